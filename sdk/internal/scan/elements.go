package scan

import "github.com/tidwall/gjson"

// First is the place of the first element (in an object: of its key) of the array or object at i.
func First(text string, i int) int {
	if i = Space(text, i+1); i >= len(text) || text[i]|0x20 == '}' {
		return -1
	}
	return i
}

// Next is the place of the element behind the one whose value ends at end.
func Next(text string, end int) int {
	if end < 0 || end+1 >= len(text) {
		return -1
	}
	if text[end] == ',' && text[end+1] > ' ' {
		return end + 1
	}
	if end = Space(text, end); end >= len(text) || text[end] != ',' {
		return -1
	}
	return Space(text, end+1)
}

// Key reads the key at i and finds the place of its value.
func Key(text string, i int) (key string, value int) {
	if i >= len(text) || text[i] != '"' {
		return "", -1
	}
	end, escaped := closing(text, i+1)
	if end < 0 {
		return "", -1
	}
	key = text[i+1 : end]
	if escaped {
		key = Unquote(text[i : end+1])
	}
	if value = end + 2; value < len(text) && text[value-1] == ':' && text[value] > ' ' {
		return key, value
	}
	if value = Space(text, end+1); value >= len(text) || text[value] != ':' {
		return "", -1
	}
	return key, Space(text, value+1)
}

// Find is the place of the field with the given key in the object at i, and of its value.
func Find(text string, i int, key string) (name, value int) {
	for name = First(text, i); name >= 0; {
		found, value := Key(text, name)
		if value < 0 {
			break
		}
		if found == key {
			return name, value
		}
		name = Next(text, End(text, value))
	}
	return -1, -1
}

// Item is the place of the nth item of the array at i.
func Item(text string, i, n int) int {
	i = First(text, i)
	for ; n > 0 && i >= 0; n-- {
		i = Next(text, End(text, i))
	}
	return i
}

// behindAll is taken for every index that is as large or larger: no array has it.
const behindAll = 1 << 27

// Index is the number that a path segment stands for in an array, in its one form: no sign, no leading zeros; -1 for
// any other segment.
func Index(segment string) int {
	if segment == "" || segment[0] == '0' && len(segment) > 1 {
		return -1
	}
	n := 0
	for i := 0; i < len(segment); i++ {
		if segment[i] < '0' || segment[i] > '9' {
			return -1
		}
		n = min(n*10+int(segment[i]-'0'), behindAll)
	}
	return n
}

// Child is the place of the value under one segment of a path, a key or an index, in the array or object at i.
func Child(text string, i int, segment string) int {
	switch KindOf(text[i:]) {
	case Object:
		_, value := Find(text, i, segment)
		return value
	case Array:
		if n := Index(segment); n >= 0 {
			return Item(text, i, n)
		}
	}
	return -1
}

// Text is the text of the value at i; empty when i is no place.
func Text(text string, i int) string {
	if end := End(text, i); end >= 0 {
		return text[i:end]
	}
	return ""
}

// Scalar is what the value at i says, a string without its quotes, and the place behind it.
func Scalar(text string, i int) (value string, end int) {
	if uint(i) >= uint(len(text)) || text[i] != '"' {
		if end = End(text, i); end < 0 {
			return "", -1
		}
		return text[i:end], end
	}
	closed, escaped := closing(text, i+1)
	switch {
	case closed < 0:
		return "", -1
	case escaped:
		return Unquote(text[i : closed+1]), closed + 1
	}
	return text[i+1 : closed], closed + 1
}

// Unquote is what a JSON string, quotes included, says.
func Unquote(text string) string {
	if len(text) < 2 || text[0] != '"' {
		return ""
	}
	end, escaped := closing(text, 1)
	if !escaped && end >= 0 {
		return text[1:end]
	}
	return gjson.Parse(text).Str
}
