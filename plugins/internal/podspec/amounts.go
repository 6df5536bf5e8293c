package podspec

import (
	"math"
	"strconv"
	"strings"

	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
)

// amounts are sums of resources, in the order in which they were met.
type amounts []amount

// amount is in thousandths; binary is how it is written.
type amount struct {
	name   string
	milli  int64
	binary bool
}

// String is the amount as a quantity.
func (a amount) String() string {
	switch {
	case a.milli%1000 != 0:
		return written(strconv.FormatInt(a.milli, 10) + "m")
	case a.binary && a.milli%(1000<<10) == 0:
		return written(strconv.FormatInt(a.milli/(1000<<10), 10) + "Ki")
	}
	return written(strconv.FormatInt(a.milli/1000, 10))
}

func (l amounts) find(name string) int {
	for i := range l {
		if l[i].name == name {
			return i
		}
	}
	return -1
}

// add adds other to the amounts.
func (l amounts) add(other amounts) amounts {
	for _, a := range other {
		if i := l.find(a.name); i >= 0 {
			l[i].milli = saturated(float64(l[i].milli)+float64(a.milli), l[i].milli+a.milli)
		} else {
			l = append(l, a)
		}
	}
	return l
}

// max raises the amounts to those of other.
func (l amounts) max(other amounts) amounts {
	for _, a := range other {
		if i := l.find(a.name); i < 0 {
			l = append(l, a)
		} else if l[i].milli < a.milli {
			l[i] = a
		}
	}
	return l
}

// amountsOf reads a resource list; what cannot be parsed is left out.
func amountsOf(list tree.Node) (l amounts) {
	for name, value := range list.Fields() {
		q, ok := parse(value)
		if !ok {
			continue
		}
		text := q.String()
		l = append(l, amount{name, milliOf(text), strings.HasSuffix(text, "i")})
	}
	return l
}

// milliOf is a canonical quantity in thousandths, rounded up, at most 2^63-1.
func milliOf(text string) int64 {
	end := strings.LastIndexAny(text, "0123456789") + 1
	suffix := text[end:]
	if e := strings.IndexByte(text, 'e'); e > 0 {
		end, suffix = e, text[e:]
	}
	number, err := strconv.ParseInt(text[:end], 10, 64)
	if err != nil {
		return math.MaxInt64
	}
	factor := 1000.0
	switch suffix {
	case "n":
		return int64(math.Ceil(float64(number) / 1e6))
	case "u":
		return int64(math.Ceil(float64(number) / 1e3))
	case "m":
		return number
	case "":
	default:
		factor *= factorOf(suffix)
	}
	return saturated(float64(number)*factor, number*int64(factor))
}

func factorOf(suffix string) float64 {
	if n, ok := strings.CutPrefix(suffix, "e"); ok {
		exponent, _ := strconv.Atoi(n)
		return math.Pow10(exponent)
	}
	power := strings.IndexByte("kMGTPE", suffix[0]) + 1
	if suffix[0] == 'K' {
		power = 1
	}
	if strings.HasSuffix(suffix, "i") {
		return float64(uint64(1) << (10 * power))
	}
	return math.Pow10(3 * power)
}

// saturated is exact unless the estimate says that it has overflowed.
func saturated(estimate float64, exact int64) int64 {
	switch {
	case estimate >= math.MaxInt64:
		return math.MaxInt64
	case estimate <= math.MinInt64:
		return math.MinInt64
	}
	return exact
}

// aggregate is what all containers of a spec need at once: the sum of containers and sidecars, or what an
// init container needs beside the sidecars that were started before it, if that is more.
func aggregate(spec tree.Node, list string) amounts {
	var sum, sidecars, highest amounts
	for _, c := range spec.Get("containers").Items() {
		sum = sum.add(amountsOf(c.At("resources", list)))
	}
	for _, c := range spec.Get("initContainers").Items() {
		own := amountsOf(c.At("resources", list))
		if isSidecar(c) {
			sum = sum.add(own)
			sidecars = sidecars.add(own)
			highest = highest.max(sidecars)
		} else {
			highest = highest.max(append(amounts(nil), own...).add(sidecars))
		}
	}
	return sum.max(highest)
}

// isSidecar tells whether an init container keeps running.
func isSidecar(c tree.Node) bool { return c.Get("restartPolicy").String() == "Always" }
