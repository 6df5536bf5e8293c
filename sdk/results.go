package sdk

import (
	"errors"
	"strconv"

	"github.com/stratagem-dev/stratagem/sdk/internal/jsontext"
)

// checkGracefulDelete answers with the hook's word and the grace period.
func (c *call) checkGracefulDelete() {
	options := &DeleteOptions{}
	if c.options != nil {
		options.parse(c.options)
	}
	graceful := c.strategy.gracefulDeleter.CheckGracefulDelete(&c.ctx, c.obj, options)
	dst := strconv.AppendBool([]byte(`{"graceful":`), graceful)
	if options.GracePeriodSeconds != nil {
		dst = append(dst, `,"gracePeriodSeconds":`...)
		dst = strconv.AppendInt(dst, *options.GracePeriodSeconds, 10)
	}
	c.reply.result = append(dst, '}')
}

// createSubresource answers with a message, a refusal or field errors.
func (c *call) createSubresource() {
	message, err := c.strategy.subresourceCreator.CreateSubresource(&c.ctx, c.obj, c.options)
	var refusal *Refusal
	var invalid *invalid
	switch {
	case err == nil:
		dst := jsontext.AppendString([]byte(`{"message":`), message)
		c.reply.result = append(dst, '}')
	case errors.As(err, &invalid):
		c.reject(invalid.errs)
	case errors.As(err, &refusal):
		c.reply.outcome = outcomeRejected
		dst := jsontext.AppendString([]byte(`{"reason":`), refusal.Reason)
		dst = jsontext.AppendString(append(dst, `,"message":`...), refusal.Message)
		c.reply.result = append(dst, '}')
	default:
		c.fail(err)
	}
}

// convertToTable answers with the rows.
func (c *call) convertToTable() {
	for _, item := range c.items {
		item.frozen = hookNames[hookConvertToTable]
	}
	rows := c.strategy.tableConvertor.ConvertToTable(&c.ctx, c.items)
	if len(rows) != len(c.items) {
		c.fail(errors.New(strconv.Itoa(len(rows)) + " rows for " + strconv.Itoa(len(c.items)) + " items"))
		return
	}
	dst := []byte{'['}
	for i, row := range rows {
		if i > 0 {
			dst = append(dst, ',')
		}
		var ok bool
		if dst, ok = jsontext.Append(dst, row); !ok {
			c.fail(errors.New("row " + strconv.Itoa(i) + " has a cell that cannot be written as JSON"))
			return
		}
	}
	c.reply.result = append(dst, ']')
}

// convert changes the items one by one; they become the reply's.
func (c *call) convert() {
	desired := c.options.Get("desiredAPIVersion").String()
	for i, item := range c.items {
		if err := c.strategy.converter.Convert(&c.ctx, item, desired); err != nil {
			c.fail(errors.New("item " + strconv.Itoa(i) + ": " + err.Error()))
			return
		}
		item.Set(desired, "apiVersion")
	}
}
