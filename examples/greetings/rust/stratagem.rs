//! The guest's side of host/ABI.md, version 1, in Rust without crates: frames, JSON, calls.
//!
//! What the host sends is valid JSON in canonical form, so that a reader need not check it, nor skip spaces. A frame
//! that breaks the ABI panics, which is a trap.

/// A value of JSON; `None` where it is absent.
pub type Json<'a> = Option<&'a str>;

/// Numbers of the hooks that this plugin has.
pub const DEFAULT: u32 = 1;
pub const PREPARE_FOR_CREATE: u32 = 2;
pub const VALIDATE: u32 = 3;
pub const WARNINGS_ON_CREATE: u32 = 4;
pub const VALIDATE_UPDATE: u32 = 6;
pub const WARNINGS_ON_UPDATE: u32 = 7;
pub const CANONICALIZE: u32 = 8;

/// What a hook is asked and what it answers.
pub struct Call {
    pub object: String,
    pub old: String,
    changed: bool,
    errors: Vec<String>,
    warnings: Vec<String>,
}

impl Call {
    /// Makes another object the answer.
    pub fn replace(&mut self, object: String) {
        self.object = object;
        self.changed = true;
    }

    /// Notes a field error. The value is `None` where none is to be shown.
    pub fn reject(&mut self, kind: &str, field: &str, value: Json, detail: &str) {
        let value = value.map_or(String::new(), |v| format!(",\"value\":{}", v));
        self.errors.push(format!("{{\"type\":\"{}\",\"field\":\"{}\",\"detail\":{}{}}}", kind, field, quote(detail), value));
    }

    /// Notes a warning.
    pub fn warn(&mut self, warning: &str) {
        self.warnings.push(quote(warning));
    }
}

/// A text as a JSON string.
pub fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out + "\""
}

/// What a JSON string means; empty for what is no string.
pub fn unquote(json: Json) -> String {
    let mut out = String::new();
    let mut chars = match json {
        Some(s) if s.starts_with('"') => s[1..s.len() - 1].chars(),
        _ => return out,
    };
    while let Some(c) = chars.next() {
        out.push(match c {
            '\\' => match chars.next() {
                Some('b') => '\u{8}',
                Some('f') => '\u{c}',
                Some('n') => '\n',
                Some('r') => '\r',
                Some('t') => '\t',
                Some('u') => control(chars.by_ref().take(4).collect()),
                c => c.unwrap(),
            },
            c => c,
        });
    }
    out
}

/// The canonical form escapes control characters alone by their numbers.
fn control(digits: String) -> char {
    u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32).unwrap()
}

fn string_end(json: &[u8], mut i: usize) -> usize {
    i += 1;
    while json[i] != b'"' {
        i += if json[i] == b'\\' { 2 } else { 1 };
    }
    i + 1
}

/// The place just behind the value that begins at `i`.
fn value_end(json: &[u8], mut i: usize) -> usize {
    let mut depth = 0;
    loop {
        match json[i] {
            b'"' => i = string_end(json, i),
            b'{' | b'[' => (i, depth) = (i + 1, depth + 1),
            b'}' | b']' => (i, depth) = (i + 1, depth - 1),
            b',' | b':' => i += 1,
            // a number, true, false or null, always inside something
            _ => i += json[i..].iter().position(|c| b",}]".contains(c)).unwrap(),
        }
        if depth == 0 {
            return i;
        }
    }
}

/// The members of an object, each key with its value. A key is as it is written.
fn members(object: Json) -> Vec<(&str, &str)> {
    let mut all = Vec::new();
    let text = object.filter(|o| o.starts_with('{')).unwrap_or("{}");
    let mut i = 1;
    while text.as_bytes()[i] == b'"' {
        let colon = string_end(text.as_bytes(), i);
        let end = value_end(text.as_bytes(), colon + 1);
        all.push((&text[i + 1..colon - 1], &text[colon + 1..end]));
        i = end + 1;
        if i >= text.len() {
            break;
        }
    }
    all
}

/// The value of a key of an object.
pub fn member<'a>(object: Json<'a>, key: &str) -> Json<'a> {
    members(object).into_iter().find(|m| m.0 == key).map(|m| m.1)
}

/// An object with a key of a new value, without it when the value is `None`.
pub fn with_member(object: Json, key: &str, value: Json) -> String {
    let mut all = members(object);
    all.retain(|m| m.0 != key);
    all.extend(value.map(|v| (key, v)));
    let texts: Vec<String> = all.iter().map(|(k, v)| format!("\"{}\":{}", k, v)).collect();
    format!("{{{}}}", texts.join(","))
}

/// Takes the next segment off what is left of a frame.
fn segment(rest: &mut &[u8]) -> String {
    let (len, behind) = rest.split_at(4);
    let (text, behind) = behind.split_at(u32::from_le_bytes(len.try_into().unwrap()) as usize);
    *rest = behind;
    String::from_utf8(text.to_vec()).unwrap()
}

fn read_call(frame: &[u8]) -> Call {
    let (count, mut rest) = frame.split_at(4);
    assert!(u32::from_le_bytes(count.try_into().unwrap()) >= 4);
    let request = segment(&mut rest);
    let object = segment(&mut rest);
    let old = segment(&mut rest);
    let _options = segment(&mut rest);
    assert!(!request.is_empty() && rest.is_empty()); // no hook here takes items
    Call { object, old, changed: false, errors: Vec::new(), warnings: Vec::new() }
}

fn list(items: &[String]) -> String {
    if items.is_empty() { String::new() } else { format!("[{}]", items.join(",")) }
}

fn reply(call: &Call, hook: u32) -> Vec<u8> {
    let rejected = !call.errors.is_empty();
    let mut decided = (rejected as u32).to_le_bytes().to_vec();
    decided.extend(hook.to_le_bytes());
    let object = if call.changed && !rejected { call.object.as_bytes() } else { b"" };
    let (errors, warnings) = (list(&call.errors), list(&call.warnings));
    let mut out = 5u32.to_le_bytes().to_vec();
    for segment in [&decided, object, errors.as_bytes(), warnings.as_bytes(), b""] {
        out.extend((segment.len() as u32).to_le_bytes());
        out.extend(segment);
    }
    out
}

/// Reads a frame, runs the hooks that are asked for, and answers.
pub fn invoke(frame: &[u8], hooks: u64, run: fn(&mut Call, u32)) -> Vec<u8> {
    let mut call = read_call(frame);
    let mut last = 0;
    for hook in (0..64).filter(|h| hooks >> h & 1 == 1) {
        last = hook;
        run(&mut call, hook);
        if !call.errors.is_empty() {
            break;
        }
    }
    reply(&call, last)
}

/// Where the host finds bytes. They are never freed: the host brings the instance back to its beginning.
pub fn point(bytes: Vec<u8>) -> u64 {
    let bytes = bytes.leak();
    (bytes.as_ptr() as u64) << 32 | bytes.len() as u64
}
