package scan

import (
	"encoding/json"
	"math/rand"
	"strings"
	"testing"
)

// end is End, byte by byte.
func end(text string, i int) int {
	decoder := json.NewDecoder(strings.NewReader(text[i:]))
	var raw json.RawMessage
	if decoder.Decode(&raw) != nil {
		return -1
	}
	return i + int(decoder.InputOffset())
}

// tokens are what random texts are made of: all that a scanner may trip over, in strings and outside.
var tokens = []string{"{", "}", "[", "]", "{}", "[]", ",", ":", `"`, `\\`, `\"`, `\\\"`, "a", "long text without any end", "é", "\u00ff\u0100", "1", "null", " ", "\n", "]}", "{["}

// randomValue is a valid JSON value.
func randomValue(random *rand.Rand, depth int) any {
	n := random.Intn(5)
	switch kind := random.Intn(6); {
	case kind == 0 && depth > 0:
		list := make([]any, n)
		for i := range list {
			list[i] = randomValue(random, depth-1)
		}
		return list
	case kind <= 2 && depth > 0:
		object := map[string]any{}
		for range n {
			object[randomText(random)] = randomValue(random, depth-1)
		}
		return object
	case kind == 3:
		return random.Intn(1000000) - 1000
	case kind == 4:
		return []any{true, false, nil}[random.Intn(3)]
	}
	return randomText(random)
}

func randomText(random *rand.Rand) string {
	var text strings.Builder
	for range random.Intn(6) {
		text.WriteString(tokens[random.Intn(len(tokens))])
	}
	return text.String()
}

func TestEndOfValidValues(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for range 20000 {
		value, _ := json.Marshal(randomValue(random, 5))
		before, behind := strings.Repeat(" ", random.Intn(9)), []string{"", ",", "}", "]", " , 1", `,"]}`}[random.Intn(6)]
		text := before + string(value) + behind
		if got, want := End(text, len(before)), len(before)+len(value); got != want {
			t.Fatalf("End of %q is %d, want %d", text, got, want)
		}
		for cut := range value {
			if value[0] != '{' && value[0] != '[' && value[0] != '"' {
				break
			}
			if got := End(string(value[:cut]), 0); got != -1 {
				t.Fatalf("%q has an end at %d", value[:cut], got)
			}
		}
	}
}

// TestHostileTexts reads texts that are no JSON: no answer lies outside of them, and every loop ends.
func TestHostileTexts(t *testing.T) {
	random := rand.New(rand.NewSource(2))
	for range 50000 {
		var builder strings.Builder
		for range random.Intn(20) {
			builder.WriteString(tokens[random.Intn(len(tokens))])
		}
		text := builder.String()
		for i := range len(text) + 1 {
			if got := End(text, i); got > len(text) || got >= 0 && got <= i {
				t.Fatalf("End(%q, %d) is %d", text, i, got)
			}
		}
		if text != "" && (text[0] == '{' || text[0] == '[') {
			name, value := Find(text, 0, "a")
			if name > len(text) || value > len(text) {
				t.Fatalf("Find in %q: %d, %d", text, name, value)
			}
			Item(text, 0, 3)
			Text(text, value)
		}
	}
}

func TestFind(t *testing.T) {
	random := rand.New(rand.NewSource(3))
	for range 20000 {
		object := map[string]any{}
		for range random.Intn(8) {
			object[randomText(random)] = randomValue(random, 3)
		}
		text, _ := json.MarshalIndent(object, "", []string{"", " "}[random.Intn(2)])
		for key, want := range object {
			name, value := Find(string(text), 0, key)
			if name < 0 {
				t.Fatalf("%q is not found in %s", key, text)
			}
			var found string
			var got any
			if err := json.Unmarshal([]byte(text[name:end(string(text), name)]), &found); err != nil || found != key {
				t.Fatalf("%q is found at %d of %s", key, name, text)
			}
			wanted, _ := json.Marshal(want)
			if err := json.Unmarshal([]byte(Text(string(text), value)), &got); err != nil {
				t.Fatalf("%q has %q in %s", key, Text(string(text), value), text)
			}
			if again, _ := json.Marshal(got); string(again) != string(wanted) {
				t.Fatalf("%q is %s in %s, want %s", key, again, text, wanted)
			}
		}
		if name, value := Find(string(text), 0, "an absent key"); name != -1 || value != -1 {
			t.Fatalf("an absent key is found in %s", text)
		}
	}
}

func TestIndex(t *testing.T) {
	for segment, want := range map[string]int{
		"0": 0, "7": 7, "10": 10, "": -1, "-1": -1, "+1": -1, "01": -1, "00": -1, "1.0": -1, "a": -1, "123456789": 123456789,
		"99999999999999999999999999": behindAll,
	} {
		if got := Index(segment); got != want {
			t.Errorf("%q: %d, want %d", segment, got, want)
		}
	}
}
