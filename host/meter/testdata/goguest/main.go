// Command goguest is what stock Go makes of loops, calls, maps, sorting, panics and goroutines; the tests run it
// metered and unmetered.
package main

import (
	"encoding/json"
	"sort"
)

func main() {}

//go:wasmexport fib
func fib(n int32) int32 {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

//go:wasmexport encode
func encode(n int32) int32 {
	counts := map[string]int32{}
	for i := range n {
		counts[string(rune('a'+i%26))] += i
	}
	text, _ := json.Marshal(counts)
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		panic(err)
	}
	text, _ = json.Marshal(tree)
	return hash(text)
}

//go:wasmexport order
func order(n int32) int32 {
	values := make([]int, n)
	for i := range values {
		values[i] = i * 7919 % 10007
	}
	sort.Ints(values)
	text := make([]byte, 0, n)
	for _, v := range values {
		text = append(text, byte(v))
	}
	return hash(text)
}

//go:wasmexport recovers
func recovers(n int32) (result int32) {
	defer func() {
		if recover() != nil {
			result = -n
		}
	}()
	var values []int32
	return values[n]
}

//go:wasmexport channels
func channels(n int32) int32 {
	numbers := make(chan int32)
	go func() {
		for i := range n {
			numbers <- i
		}
		close(numbers)
	}()
	var sum int32
	for i := range numbers {
		sum += i
	}
	return sum
}

//go:wasmexport spin
func spin(int32) int32 {
	for {
	}
}

//go:wasmexport recurse
func recurse(n int32) int32 { return recurse(n+1) + 1 }

//go:wasmexport allocate
func allocate(n int32) int32 {
	for {
		n += int32(len(append([]byte(nil), make([]byte, 1<<16)...)))
	}
}

func hash(text []byte) int32 {
	h := int32(17)
	for _, c := range text {
		h = h*31 + int32(c)
	}
	return h
}
