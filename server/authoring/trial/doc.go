// Package trial takes a plugin's module through lifecycles that its author wrote down, in the real engine over an etcd of its own.
//
// The nouns: a World is a loaded module and an empty etcd, a Request is what is asked of it and a Result what came of that;
// a Case is a request with what is Expected of it, a File holds cases.
package trial
