package sdk

import "github.com/stratagem-dev/stratagem/sdk/internal/scan"

// parse reads the request segment of a frame.
func (c *Context) parse(json string) {
	for i := scan.First(json, 0); i >= 0; {
		key, value := scan.Key(json, i)
		text, end := scan.Scalar(json, value)
		if end < 0 {
			return
		}
		switch key {
		case "verb":
			c.Verb = text
		case "group":
			c.Group = text
		case "version":
			c.Version = text
		case "resource":
			c.Resource = text
		case "subresource":
			c.Subresource = text
		case "namespace":
			c.Namespace = text
		case "name":
			c.Name = text
		case "user":
			c.User.parse(json[value:end])
		case "dryRun":
			c.DryRun = text == "true"
		case "time":
			c.Time = text
		}
		i = scan.Next(json, end)
	}
}

func (u *User) parse(json string) {
	for i := scan.First(json, 0); i >= 0; {
		key, value := scan.Key(json, i)
		text, end := scan.Scalar(json, value)
		if end < 0 {
			return
		}
		switch key {
		case "name":
			u.Name = text
		case "uid":
			u.UID = text
		case "groups":
			u.Groups = Value{json[value:end]}.appendStrings(u.Groups)
		}
		i = scan.Next(json, end)
	}
}
