package explain

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/stratagem-dev/stratagem/host"
)

// Print writes an explanation for people to read: a line for each step, and below it what it changed and said.
func (e *Explanation) Print(out io.Writer) error {
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 8, 3, ' ', 0)
	fmt.Fprintln(w, "STEP\tPLUGIN\tVERSION\tFUEL\tTIME\tSENT\tRECEIVED")
	for _, s := range e.Steps {
		fmt.Fprintln(w, s.line())
	}
	if err := w.Flush(); err != nil {
		return err
	}
	lines := strings.Split(table.String(), "\n")
	fmt.Fprintf(out, "%s\n\n%s\n", e.Request, strings.TrimRight(lines[0], " "))
	for i, s := range e.Steps {
		fmt.Fprintln(out, strings.TrimRight(lines[i+1], " "))
		for _, detail := range s.details() {
			fmt.Fprintln(out, "  "+detail)
		}
	}
	_, err := fmt.Fprintf(out, "\n%s\n", e.Outcome)
	return err
}

// String is the request in a line: create crontabs.example.com default/backup.
func (r Request) String() string {
	target, name := r.Resource, r.Name
	if r.Group != "" {
		target += "." + r.Group
	}
	if r.Subresource != "" {
		target += "/" + r.Subresource
	}
	if r.Namespace != "" {
		name = r.Namespace + "/" + name
	}
	return r.Verb + " " + target + " " + name
}

// line is the step's cells, with tabs between.
func (s *Step) line() string {
	cells := []string{s.Name, s.Plugin, s.Version, "", "", "", ""}
	if c := s.Cost; c != nil {
		cells[4] = time.Duration(c.Nanoseconds).Round(time.Microsecond).String()
		if c.SentBytes > 0 {
			cells[3], cells[5], cells[6] = host.FuelText(c.Fuel, c.Approximate), fmt.Sprint(c.SentBytes), fmt.Sprint(c.ReceivedBytes)
		}
	}
	return strings.Join(cells, "\t")
}

// details is what the step changed and said, a line each.
func (s *Step) details() (lines []string) {
	for _, op := range s.Patch {
		lines = append(lines, strings.TrimRight(fmt.Sprintf("%-7s %s %s", op.Op, op.Path, op.Value), " "))
	}
	for _, e := range s.Errors {
		lines = append(lines, fmt.Sprintf("error   %s: %s", e.Field, e.Message))
	}
	if s.Refusal != nil {
		lines = append(lines, fmt.Sprintf("refusal %s: %s", s.Refusal.Reason, s.Refusal.Message))
	}
	for _, text := range s.Warnings {
		lines = append(lines, "warning "+text)
	}
	if len(s.Result) > 0 {
		lines = append(lines, "answer  "+string(s.Result))
	}
	if s.Failure != "" {
		lines = append(lines, "failure "+s.Failure)
	}
	return lines
}

// String is the outcome in a line.
func (o Outcome) String() string {
	if o.Status != nil {
		return fmt.Sprintf("%d %s: %s", o.Code, o.Status.Reason, o.Status.Message)
	}
	return fmt.Sprintf("%d: it would be taken", o.Code)
}
