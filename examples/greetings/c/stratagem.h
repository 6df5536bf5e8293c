// The guest's side of host/ABI.md, version 1, in C without a library: memory, frames, JSON.
//
// A plugin includes this once, defines `describe` and `run`, and is done. Nothing is freed: every call begins with an
// empty heap, and the host bounds its memory.
#ifndef STRATAGEM_H
#define STRATAGEM_H

typedef unsigned int u32;
typedef unsigned long long u64;
typedef enum { false, true } bool;

#define EXPORT(name) __attribute__((export_name(name)))

// text is a piece of JSON, or any other bytes; without any when it is absent.
typedef struct { const char *at; u32 len; } text;

#define TEXT(literal) ((text){literal, sizeof(literal) - 1})

// Memory: a heap that only grows, thrown away when the next call reserves its frame.

extern char __heap_base;
static char *heap_top = &__heap_base;

static char *allocate(u32 size) {
    char *start = heap_top;
    u64 end = (u64)(u32)start + size;
    u64 have = (u64)__builtin_wasm_memory_size(0) << 16;
    if (end > have && __builtin_wasm_memory_grow(0, (end - have + 0xffff) >> 16) == (u32)-1) __builtin_trap();
    heap_top = (char *)(u32)((end + 7) & ~7ull);
    return start;
}

// buffer is bytes that are being written.
typedef struct { char *at; u32 len, room; } buffer;

static void put(buffer *b, text t) {
    if (b->room - b->len < t.len) {
        u32 room = (b->len + t.len) * 2;
        char *at = allocate(room);
        __builtin_memcpy(at, b->at, b->len);
        b->at = at;
        b->room = room;
    }
    __builtin_memcpy(b->at + b->len, t.at, t.len);
    b->len += t.len;
}

static void put_u32(buffer *b, u32 n) { put(b, (text){(const char *)&n, 4}); } // Wasm is little-endian, as frames are
static text written(const buffer *b) { return (text){b->at, b->len}; }

static bool same(text a, text b) { return a.len == b.len && __builtin_memcmp(a.at, b.at, a.len) == 0; }

// __builtin_memcmp may become a call of this.
int memcmp(const void *a, const void *b, unsigned long n) {
    for (const unsigned char *p = a, *q = b; n--; p++, q++)
        if (*p != *q) return *p - *q;
    return 0;
}

// JSON: what the host sends is valid and in canonical form, so a reader need not check it, nor skip spaces.

// string_end is just behind the string that begins at p.
static const char *string_end(const char *p) {
    for (p++; *p != '"'; p++)
        if (*p == '\\') p++;
    return p + 1;
}

// value_end is just behind the value that begins at p.
static const char *value_end(const char *p) {
    u32 depth = 0;
    do {
        switch (*p) {
        case '"': p = string_end(p); break;
        case '{': case '[': depth++; p++; break;
        case '}': case ']': depth--; p++; break;
        case ',': case ':': p++; break;
        default: while (*p != ',' && *p != '}' && *p != ']') p++; // a number, true, false or null, always inside something
        }
    } while (depth > 0);
    return p;
}

// member is the value of a key of an object, absent when the object has none. The key has no characters to escape.
static text member(text object, text key) {
    if (object.len < 2 || object.at[0] != '{') return (text){0};
    for (const char *p = object.at + 1; *p != '}'; p += *p == ',') {
        const char *colon = string_end(p), *end = value_end(colon + 1);
        if (same((text){p + 1, colon - p - 2}, key)) return (text){colon + 1, end - colon - 1};
        p = end;
    }
    return (text){0};
}

// with_member is an object with a key of a new value, without it when the value is absent.
static text with_member(text object, text key, text value) {
    buffer b = {0};
    put(&b, TEXT("{"));
    if (value.len > 0) {
        put(&b, TEXT("\"")); put(&b, key); put(&b, TEXT("\":")); put(&b, value);
    }
    if (object.len >= 2 && object.at[0] == '{') {
        for (const char *p = object.at + 1; *p != '}'; p += *p == ',') {
            const char *colon = string_end(p), *end = value_end(colon + 1);
            if (!same((text){p + 1, colon - p - 2}, key)) {
                if (b.len > 1) put(&b, TEXT(","));
                put(&b, (text){p, end - p});
            }
            p = end;
        }
    }
    put(&b, TEXT("}"));
    return written(&b);
}

// string_length is how many bytes a string means: canonical JSON escapes a character in two bytes, or a control character in six.
static u32 string_length(text string) {
    u32 n = 0;
    for (u32 i = 1; i + 1 < string.len; i++, n++)
        if (string.at[i] == '\\') i += string.at[i + 1] == 'u' ? 5 : 1;
    return n;
}

// Calls.

enum hook {
    DEFAULT = 1, PREPARE_FOR_CREATE, VALIDATE, WARNINGS_ON_CREATE, PREPARE_FOR_UPDATE, VALIDATE_UPDATE, WARNINGS_ON_UPDATE, CANONICALIZE,
};

// call is what a hook is asked and what it answers.
typedef struct {
    text request, object, old, options;
    bool changed; // whether a hook has replaced object
    buffer errors, warnings; // without their brackets
} call;

// reject notes a field error. The value is any JSON, absent where none is to be shown; the detail is without quotes.
static void reject(call *c, text type, text field, text value, text detail) {
    buffer *b = &c->errors;
    put(b, b->len > 0 ? TEXT(",{\"type\":\"") : TEXT("{\"type\":\"")); put(b, type);
    put(b, TEXT("\",\"field\":\"")); put(b, field);
    put(b, TEXT("\",\"detail\":\"")); put(b, detail); put(b, TEXT("\""));
    if (value.len > 0) {
        put(b, TEXT(",\"value\":")); put(b, value);
    }
    put(b, TEXT("}"));
}

// warn notes a warning, a text without characters to escape.
static void warn(call *c, text warning) {
    if (c->warnings.len > 0) put(&c->warnings, TEXT(","));
    put(&c->warnings, TEXT("\"")); put(&c->warnings, warning); put(&c->warnings, TEXT("\""));
}

// What a plugin defines: its description, and one hook of one call.
static text describe(void);
static void run(call *c, enum hook hook);

static char *frame; // where the host writes the request

static u64 point(text t) { return (u64)(u32)t.at << 32 | t.len; }

// segment takes the next segment off what is left of a frame.
static text segment(text *rest) {
    u32 len;
    if (rest->len < 4) __builtin_trap();
    __builtin_memcpy(&len, rest->at, 4);
    if (rest->len - 4 < len) __builtin_trap();
    text s = {rest->at + 4, len};
    *rest = (text){s.at + len, rest->len - 4 - len};
    return s;
}

static call read_call(text rest) {
    call c = {0};
    u32 count;
    if (rest.len < 4) __builtin_trap();
    __builtin_memcpy(&count, rest.at, 4);
    rest = (text){rest.at + 4, rest.len - 4};
    if (count < 4) __builtin_trap();
    c.request = segment(&rest);
    c.object = segment(&rest);
    c.old = segment(&rest);
    c.options = segment(&rest);
    if (c.request.len == 0 || rest.len > 0) __builtin_trap(); // no hook here takes items
    return c;
}

static void put_list(buffer *b, const buffer *list) {
    if (list->len == 0) {
        put_u32(b, 0);
        return;
    }
    put_u32(b, list->len + 2);
    put(b, TEXT("[")); put(b, written(list)); put(b, TEXT("]"));
}

static text reply(const call *c, u32 hook) {
    buffer b = {0};
    u32 outcome = c->errors.len > 0;
    text object = c->changed && outcome == 0 ? c->object : (text){0};
    put_u32(&b, 5);
    put_u32(&b, 8); put_u32(&b, outcome); put_u32(&b, hook);
    put_u32(&b, object.len); put(&b, object);
    put_list(&b, &c->errors);
    put_list(&b, &c->warnings);
    put_u32(&b, 0);
    return written(&b);
}

EXPORT("stratagem_abi_version") u32 stratagem_abi_version(void) { return 1; }
EXPORT("stratagem_describe") u64 stratagem_describe(void) { return point(describe()); }

EXPORT("stratagem_reserve") char *stratagem_reserve(u32 n) {
    heap_top = &__heap_base;
    return frame = allocate(n);
}

EXPORT("stratagem_invoke") u64 stratagem_invoke(u64 hooks, u32 n) {
    call c = read_call((text){frame, n});
    u32 last = 0;
    for (u32 hook = 0; hook < 64 && c.errors.len == 0; hook++) {
        if (hooks >> hook & 1) run(&c, last = hook);
    }
    return point(reply(&c, last));
}

#endif
