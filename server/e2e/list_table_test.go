package e2e

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// The texts of Kubernetes for what does not go together in a list.
const (
	matchAlone      = `resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided`
	matchContinues  = `resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided`
	matchUnknown    = `resourceVersionMatch: Unsupported value: "Never": supported values: "Exact", "NotOlderThan", ""`
	exactOfZero     = `resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"`
	versionContinue = `specifying resource version is not allowed when using continue`
)

// listCase is one line of the table of resourceVersion, resourceVersionMatch, limit and continue.
type listCase struct{ version, match, limit, token string }

// refusal is what the parameters are refused for: several texts where several things are wrong.
func (c listCase) refusal() (code int, texts []string) {
	if c.match != "" {
		if c.version == "" {
			texts = append(texts, matchAlone)
		}
		if c.token != "" {
			texts = append(texts, matchContinues)
		}
		switch {
		case c.match == "Never":
			texts = append(texts, matchUnknown)
		case c.match == "Exact" && c.version == "0":
			texts = append(texts, exactOfZero)
		}
	}
	switch {
	case len(texts) > 0:
		return http.StatusUnprocessableEntity, texts
	case c.token != "" && c.version != "" && c.version != "0":
		return http.StatusBadRequest, []string{versionContinue}
	}
	return http.StatusOK, nil
}

// Every combination of resourceVersion, resourceVersionMatch, limit and continue is served or refused as in Kubernetes.
func TestListTable(t *testing.T) {
	c := shared.curl(t)
	path, versions := podsIn(t, c, 3)
	old := versions[1] // p2 was not there yet
	token := c.do(t, "GET", path+"?limit=1&resourceVersionMatch=Exact&resourceVersion="+old, "").list(t).Continue
	equal(t, "delete", c.do(t, "DELETE", path+"/p0?gracePeriodSeconds=0", "").code, http.StatusOK)
	for _, version := range []string{"", "0", old} {
		for _, match := range []string{"", "NotOlderThan", "Exact", "Never"} {
			for _, limit := range []string{"", "1"} {
				for _, from := range []string{"", token} {
					checkList(t, c, path, old, listCase{version, match, limit, from})
				}
			}
		}
	}
}

func checkList(t *testing.T, c curl, path, old string, list listCase) {
	t.Helper()
	query := url.Values{}
	for name, value := range map[string]string{"resourceVersion": list.version, "resourceVersionMatch": list.match, "limit": list.limit, "continue": list.token} {
		if value != "" {
			query.Set(name, value)
		}
	}
	name := cmp.Or(query.Encode(), "nothing")
	got := c.do(t, "GET", path+"?"+query.Encode(), "")
	code, texts := list.refusal()
	equal(t, name, got.code, code)
	if code != http.StatusOK {
		contains(t, got.status(t).Message, texts...)
		equal(t, name+": causes", strings.Count(got.status(t).Message, "resourceVersionMatch: "), strings.Count(strings.Join(texts, ""), "resourceVersionMatch: "))
		return
	}
	exact := list.match == "Exact" || list.version == old && list.match == "" && list.limit != ""
	want := "p1 p2"
	switch {
	case list.token != "":
		want = "p1" // the token goes on in the version of the first page
	case exact && list.limit != "":
		want = "p0"
	case exact:
		want = "p0 p1"
	case list.limit != "":
		want = "p1"
	}
	page := got.list(t)
	equal(t, name, page.names(), want)
	if exact || list.token != "" {
		equal(t, name+": resourceVersion", page.ResourceVersion, old)
	} else if page.ResourceVersion == old {
		t.Errorf("%s: the list is of an old version", name)
	}
	equal(t, name+": there is more", page.Continue != "", list.limit != "" && list.token == "")
}
