package e2e

import "sync"

// tailBytes is how much of a log is shown.
const tailBytes = 8 << 10

// logBuffer takes what a process prints.
type logBuffer struct {
	mu   sync.Mutex
	data []byte
}

// Write appends.
func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.data = append(l.data, p...)
	return len(p), nil
}

// String is all of it.
func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.data)
}

// tail is the end of it.
func (l *logBuffer) tail() string {
	text := l.String()
	return text[max(0, len(text)-tailBytes):]
}
