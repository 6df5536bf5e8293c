package sdk

import "github.com/tidwall/gjson"

// parseContext reads the request segment of a frame.
func parseContext(json string) *Context {
	c := &Context{}
	gjson.Parse(json).ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "verb":
			c.Verb = value.Str
		case "group":
			c.Group = value.Str
		case "version":
			c.Version = value.Str
		case "resource":
			c.Resource = value.Str
		case "subresource":
			c.Subresource = value.Str
		case "namespace":
			c.Namespace = value.Str
		case "name":
			c.Name = value.Str
		case "user":
			c.User = parseUser(value)
		case "dryRun":
			c.DryRun = value.Type == gjson.True
		case "time":
			c.Time = value.Str
		}
		return true
	})
	return c
}

func parseUser(json gjson.Result) (u User) {
	json.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "name":
			u.Name = value.Str
		case "uid":
			u.UID = value.Str
		case "groups":
			u.Groups = Value{value}.Strings()
		}
		return true
	})
	return u
}
