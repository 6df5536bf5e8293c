package sdk

import "github.com/tidwall/gjson"

// DeleteOptions are the options of a delete, as the client sent them.
type DeleteOptions struct {
	// GracePeriodSeconds is nil when the client did not say; CheckGracefulDelete may set it.
	GracePeriodSeconds *int64
	// PropagationPolicy is Background, Foreground, Orphan or empty.
	PropagationPolicy string
}

func parseDeleteOptions(json string) *DeleteOptions {
	options := &DeleteOptions{PropagationPolicy: gjson.Get(json, "propagationPolicy").String()}
	if grace := gjson.Get(json, "gracePeriodSeconds"); grace.Type == gjson.Number {
		seconds := grace.Int()
		options.GracePeriodSeconds = &seconds
	}
	return options
}
