package sdk

// strategy is an author's strategy value with the hooks and traits that were found on it.
type strategy struct {
	group, resource, subresource string

	hooks  uint64 // bit 1<<k for hook k
	traits []string

	defaulter          Defaulter
	createPreparer     CreatePreparer
	validator          Validator
	createWarner       CreateWarner
	updatePreparer     UpdatePreparer
	updateValidator    UpdateValidator
	updateWarner       UpdateWarner
	canonicalizer      Canonicalizer
	gracefulDeleter    GracefulDeleter
	subresourceCreator SubresourceCreator
	tableConvertor     TableConvertor
	converter          Converter
	expirer            Expirer
	decorator          Decorator
	updateDeleter      UpdateDeleter
}

// detect finds out, once, which of the interfaces of strategy.go a value has.
func detect(group, resource, subresource string, v any) *strategy {
	s := &strategy{group: group, resource: resource, subresource: subresource}
	found := func(h hook, ok bool) {
		if ok {
			s.hooks |= h.bit()
		}
	}
	var ok bool
	s.defaulter, ok = v.(Defaulter)
	found(hookDefault, ok)
	s.createPreparer, ok = v.(CreatePreparer)
	found(hookPrepareForCreate, ok)
	s.validator, ok = v.(Validator)
	found(hookValidate, ok)
	s.createWarner, ok = v.(CreateWarner)
	found(hookWarningsOnCreate, ok)
	s.updatePreparer, ok = v.(UpdatePreparer)
	found(hookPrepareForUpdate, ok)
	s.updateValidator, ok = v.(UpdateValidator)
	found(hookValidateUpdate, ok)
	s.updateWarner, ok = v.(UpdateWarner)
	found(hookWarningsOnUpdate, ok)
	s.canonicalizer, ok = v.(Canonicalizer)
	found(hookCanonicalize, ok)
	s.gracefulDeleter, ok = v.(GracefulDeleter)
	found(hookCheckGracefulDelete, ok)
	s.subresourceCreator, ok = v.(SubresourceCreator)
	found(hookCreateSubresource, ok)
	s.tableConvertor, ok = v.(TableConvertor)
	found(hookConvertToTable, ok)
	s.converter, ok = v.(Converter)
	found(hookConvert, ok)
	s.expirer, ok = v.(Expirer)
	found(hookTTL, ok)
	s.decorator, ok = v.(Decorator)
	found(hookDecorate, ok)
	s.updateDeleter, ok = v.(UpdateDeleter)
	found(hookShouldDeleteDuringUpdate, ok)
	s.traits = traitsOf(v)
	return s
}

// traitsOf are the traits that a value says yes to.
func traitsOf(v any) (traits []string) {
	yes := func(name string, ok bool) {
		if ok {
			traits = append(traits, name)
		}
	}
	if t, ok := v.(CreateOnUpdateAllower); ok {
		yes("AllowCreateOnUpdate", t.AllowCreateOnUpdate())
	}
	if t, ok := v.(UnconditionalUpdateAllower); ok {
		yes("AllowUnconditionalUpdate", t.AllowUnconditionalUpdate())
	}
	if t, ok := v.(DeletedObjectReturner); ok {
		yes("ReturnDeletedObject", t.ReturnDeletedObject())
	}
	if t, ok := v.(GenerationKeeper); ok {
		yes("GenerationOnSpecChange", t.GenerationOnSpecChange())
	}
	if t, ok := v.(SchemaValidator); ok {
		yes("ValidateSchema", t.ValidateSchema())
	}
	return traits
}
