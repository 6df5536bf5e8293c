package e2e

import (
	"testing"
)

const cronTab = `{"apiVersion":"example.com/v1","kind":"CronTab","metadata":{"name":"a"},"spec":{"cronSpec":"*/5 * * * *","image":"backup:1"}}`

func TestCronTabStory(t *testing.T) {
	k := kubectl{shared, namespace(t, shared)}
	equal(t, "apply", k.feed(t, cronTab, "apply", "-f", "-"), "crontab.example.com/a created\n")
	equal(t, "apply again", k.feed(t, cronTab, "apply", "-f", "-"), "crontab.example.com/a unchanged\n")
	contains(t, k.run(t, "get", "crontabs"), "NAME", "a ")
	equal(t, "delete", k.run(t, "delete", "crontab", "a"), "crontab.example.com \"a\" deleted from "+k.namespace+" namespace\n")
}
