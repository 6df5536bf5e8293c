// Package policy decides which strategy plugins' modules a server takes: which keys may sign which plugins.
//
// The nouns: Policy (a file of keys and rules), Rule (what is asked of the plugins whose names it matches), Verdict (why a module
// is taken), Refusal (why it is not), File (a Policy that follows what its file says). A policy file:
//
//	apiVersion: stratagem.dev/v1alpha1
//	kind: PluginPolicy
//	allowBundled: true                # the modules built into this server, under their own names; true unless it says false
//	keys:
//	- name: release
//	  publicKeyFile: release.pub      # PEM; relative to the policy's folder. Or publicKey: with the PEM text itself
//	rules:                            # the first whose plugins match decides; what no rule matches is refused
//	- name: payments
//	  plugins: ["payments", "payments-*"]   # names, with * and ? and [a-z] as in path.Match
//	  keys: [release]                 # one of these must have signed the module
//	- name: pinned
//	  plugins: ["crontabs"]
//	  digests: ["sha256:…"]           # taken without a signature
//	- name: others
//	  plugins: ["*"]
//	  required: false                 # taken as they come; a signature by one of keys is noted
package policy
