package sdk

// DeleteOptions are the options of a delete, as the client sent them.
type DeleteOptions struct {
	// GracePeriodSeconds is nil when the client did not say; CheckGracefulDelete may set it.
	GracePeriodSeconds *int64
	// PropagationPolicy is Background, Foreground, Orphan or empty.
	PropagationPolicy string
}

func (o *DeleteOptions) parse(options *Object) {
	o.PropagationPolicy = options.Get("propagationPolicy").String()
	if grace := options.Get("gracePeriodSeconds"); grace.IsNumber() {
		seconds := grace.Int()
		o.GracePeriodSeconds = &seconds
	}
}
