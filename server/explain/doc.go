// Package explain shows what a request goes through: it runs the lifecycle that all requests run, with strategies that take
// the hooks one by one and note what each changed, said and cost.
//
// The nouns: a Trace follows one request, a Step is one hook or what the server itself did between two of them, an
// Explanation is what comes of it, as the API answers it.
package explain
