package podspec

import (
	"strings"

	"github.com/stratagem-dev/stratagem/sdk/validate"
)

func (c *check) dnsConfig(path place) {
	config := c.spec.Get("dnsConfig")
	servers := config.Get("nameservers")
	if c.spec.Get("dnsPolicy").String() == "None" {
		if !config.Exists() {
			c.required(path, "must provide `dnsConfig` when `dnsPolicy` is None")
			return
		}
		if servers.Empty() {
			c.required(path.child("nameservers"), "must provide at least one DNS nameserver when `dnsPolicy` is None")
			return
		}
	}
	if !config.Exists() {
		return
	}
	if servers.Len() > 3 {
		c.invalid(path.child("nameservers"), servers.Value(), "must not have more than 3 nameservers")
	}
	for i, server := range servers.Items() {
		c.ip(server.String(), path.child("nameservers").index(i))
	}
	searches, at := config.Get("searches"), path.child("searches")
	if searches.Len() > 32 {
		c.invalid(at, searches.Value(), "must not have more than 32 search paths")
	}
	if len(strings.Join(searches.Value().Strings(), " ")) > 2048 {
		c.invalid(at, searches.Value(), "must not have more than 2048 characters (including spaces) in the search list")
	}
	for i, search := range searches.Items() {
		if text := search.String(); text != "." {
			text = strings.TrimSuffix(text, ".")
			c.each(at.index(i), text, isSearchDomain(text))
		}
	}
	for i, option := range config.Get("options").Items() {
		if option.Get("name").String() == "" {
			c.required(path.child("options").index(i), "must not be empty")
		}
	}
}

func (c *check) hostAliases(path place) {
	for i, alias := range c.spec.Get("hostAliases").Items() {
		c.ip(alias.Get("ip").String(), path.index(i).child("ip"))
		for j, name := range alias.Get("hostnames").Items() {
			c.each(path.index(i).child("hostnames").index(j), name.String(), validate.IsDNS1123Subdomain(name.String()))
		}
	}
}

// ip checks an address; one that was there before may stay as it was.
func (c *check) ip(text string, path place) {
	ip := ParseIP(text)
	if problem := ip.Problem(); problem != "" && (ip.Family == 0 || !c.hadIP(text)) {
		c.invalid(path, text, problem)
	}
}

func (c *check) hadIP(text string) bool {
	for _, server := range c.old.At("dnsConfig", "nameservers").Items() {
		if server.String() == text {
			return true
		}
	}
	return hasField(c.old.Get("hostAliases"), "ip", text)
}

const searchFmt = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"

// isSearchDomain is IsDNS1123Subdomain with underscores.
func isSearchDomain(name string) (errs []string) {
	if len(name) > validate.DNS1123SubdomainMaxLength {
		errs = append(errs, validate.MaxLenError(validate.DNS1123SubdomainMaxLength))
	}
	for _, label := range strings.Split(name, ".") {
		last := len(label) - 1
		plain := strings.ReplaceAll(strings.TrimPrefix(label, "_"), "_", "-")
		if last < 0 || label[last] == '_' || len(dnsLabel(plain)) > 0 && last < 63 {
			return append(errs, validate.RegexError("a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
				searchFmt+"(\\."+searchFmt+")*", "example.com"))
		}
	}
	return errs
}
