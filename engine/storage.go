package engine

import (
	"context"
	"errors"
	"fmt"
)

// Storage keeps bytes under keys, every change at a revision of its own.
//
//   - Keys are absolute ("/registry/pods/default/nginx"); values are opaque.
//   - Revisions are etcd's mod revisions: one counter for all keys, growing with every write.
//   - Implementations are safe for concurrent use. The one in use is engine/etcd.
type Storage interface {
	// Create puts value under key if the key is absent, or returns *KeyExistsError.
	Create(ctx context.Context, key string, value []byte, opts WriteOptions) (revision int64, err error)
	// Update replaces the value if the key's mod revision is ifRevision, or returns *RevisionError.
	Update(ctx context.Context, key string, value []byte, ifRevision int64, opts WriteOptions) (revision int64, err error)
	// Delete removes the key if its mod revision is ifRevision, or returns *RevisionError.
	Delete(ctx context.Context, key string, ifRevision int64, opts WriteOptions) (revision int64, err error)
	// Get reads one key at a moment not before the call, or returns *KeyNotFoundError.
	Get(ctx context.Context, key string) (Item, error)
	// List reads the keys under a prefix, in key order, all at one revision.
	List(ctx context.Context, prefix string, opts ListOptions) (Page, error)
	// Watch streams the changes under a prefix after a revision, in revision order.
	Watch(ctx context.Context, prefix string, opts WatchOptions) (Watcher, error)
	// Revision is the newest revision at a moment not before the call.
	Revision(ctx context.Context) (int64, error)
}

// Peeker is a Storage that can show an item without making sure that it is the newest: it may be behind what
// other servers have written, never behind a write that went through this Storage. It is false where it cannot say.
type Peeker interface {
	Peek(key string) (Item, bool)
}

// WriteOptions tunes a write. The zero value is an unconditional, lasting write.
type WriteOptions struct {
	// Guards must all hold in the same transaction, else *GuardError.
	Guards []Guard
	// TTL in seconds after which the key goes by itself; 0 means never.
	TTL int64
}

// Guard is a condition on another key: its mod revision must be Revision (0: the key must be absent;
// -1: the key must be present, at whatever revision).
type Guard struct {
	Key      string
	Revision int64
}

// Item is one stored value. Data must not be changed.
type Item struct {
	Key      string
	Data     []byte
	Revision int64 // the revision of its last change
	// Memo is where a storage that keeps items in memory lets readers keep what they made of Data; else nil.
	Memo *Memo
}

// ListOptions selects what List reads. The zero value reads everything, now.
type ListOptions struct {
	// Revision to read at; 0 is the newest at a moment not before the call.
	// A compacted one is *CompactedError, one that is yet to come *FutureRevisionError.
	Revision int64
	// Limit is the most items to return; 0 is all.
	Limit int64
	// From is the first key that may be returned; empty is the prefix's first.
	From string
	// CountOnly leaves Items empty.
	CountOnly bool
	// Last says that no page behind this one will be asked for: nothing is kept for it.
	Last bool
	// Runs asks for Page.Runs in place of Page.Items, of a storage that holds its items in memory.
	Runs bool
	// Facet, where there is one, allows to leave items out that have another value.
	Facet *Facet
}

// Page is a List's answer.
type Page struct {
	Items []Item
	// Runs are the items as the storage itself holds them, so that a long list needs no second slice of everything; they
	// must not be changed. Only where they were asked for, and then Items is nil.
	Runs     [][]*Item
	Revision int64 // the revision the page was read at
	Count    int64 // keys from From (or the prefix's first) to the prefix's last, the returned ones included
	More     bool  // items remain behind the last one
}

// runs are the items of a page, however it holds them.
func (p *Page) runs() [][]*Item {
	if p.Items == nil {
		return p.Runs
	}
	items := make([]*Item, len(p.Items))
	for i := range p.Items {
		items[i] = &p.Items[i]
	}
	return [][]*Item{items}
}

// WatchOptions selects what Watch streams.
type WatchOptions struct {
	// After is the revision whose successors are streamed; 0 starts now.
	// Where it is compacted the watcher ends with *CompactedError.
	After int64
	// Progress asks for events of type Progress from time to time.
	Progress bool
	// Facet, where there is one, allows to leave changes out of items that had another value before and have after.
	Facet *Facet
}

// Watcher is a running watch. Events is closed when it ends; Err then says why
// (nil after the context ended or Stop).
type Watcher interface {
	Events() <-chan Event
	Err() error
	// RequestProgress asks for a Progress event, at a revision not before the call, where they were asked for.
	RequestProgress(ctx context.Context) error
	Stop()
}

// EventType says what an Event is.
type EventType uint8

// The types of events.
const (
	Created  EventType = iota + 1
	Modified           // Prev is the value before
	Deleted            // Prev is the last value; Data is empty
	Progress           // every change up to Revision has been delivered; no key
)

// Event is one change of one key.
type Event struct {
	Type     EventType
	Key      string
	Data     []byte
	Prev     []byte // empty when etcd has compacted it away
	Revision int64
	// Memo and PrevMemo go with Data and Prev, see Item.
	Memo, PrevMemo *Memo
}

// ErrStopped is returned by a storage that has been closed.
var ErrStopped = errors.New("storage is closed")

// KeyExistsError reports a Create over a key that is there.
type KeyExistsError struct{ Existing Item }

func (e *KeyExistsError) Error() string { return fmt.Sprintf("key %s exists", e.Existing.Key) }

// KeyNotFoundError reports a key that is not there.
type KeyNotFoundError struct {
	Key string
	// Revision is the store's revision when the key was looked for.
	Revision int64
}

func (e *KeyNotFoundError) Error() string { return fmt.Sprintf("key %s not found", e.Key) }

// RevisionError reports an Update or Delete whose revision was not the key's. Current is the
// item as it is, so that the caller can try again without another read; nil when the key is gone.
type RevisionError struct {
	Key     string
	Wanted  int64
	Current *Item
}

func (e *RevisionError) Error() string {
	if e.Current == nil {
		return fmt.Sprintf("key %s is not at revision %d: it is gone", e.Key, e.Wanted)
	}
	return fmt.Sprintf("key %s is not at revision %d but at %d", e.Key, e.Wanted, e.Current.Revision)
}

// GuardError reports that a guard did not hold; nothing was written.
type GuardError struct{ Guards []Guard }

func (e *GuardError) Error() string { return fmt.Sprintf("a guard does not hold: %v", e.Guards) }

// CompactedError reports a revision that etcd no longer has.
type CompactedError struct{ Wanted, Compacted int64 }

func (e *CompactedError) Error() string {
	return fmt.Sprintf("revision %d has been compacted, the oldest is %d", e.Wanted, e.Compacted)
}

// FutureRevisionError reports a revision that is yet to come.
type FutureRevisionError struct{ Wanted, Current int64 }

func (e *FutureRevisionError) Error() string {
	return fmt.Sprintf("too large resource version: %d, current: %d", e.Wanted, e.Current)
}

// TooLargeError reports a value that the storage refuses for its size in bytes.
type TooLargeError struct {
	Key  string
	Size int
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the value of %s is too large: %d bytes", e.Key, e.Size)
}
