// The guest's side of host/ABI.md, version 1, in AssemblyScript: frames, JSON, calls. A plugin calls `define` at its
// top level and exports the four functions below.
//
// Objects arrive as bytes and leave as bytes; text is a string here, which AssemblyScript keeps in UTF-16, only where
// a value is looked at. Nothing is freed: every call begins with the heap that the module began with.

export enum Hook {
  Default = 1, PrepareForCreate, Validate, WarningsOnCreate, PrepareForUpdate, ValidateUpdate, WarningsOnUpdate, Canonicalize,
}

// Json is a value in valid and canonical JSON, as the host sends it; "" when it is absent.
export type Json = string;

// Call is what a hook is asked and what it answers.
export class Call {
  changed: bool = false; // whether a hook has replaced object
  errors: string = ""; // without their brackets
  warnings: string = "";

  constructor(public request: Json, public object: Json, public old: Json, public options: Json) {}

  // replace makes another object the answer.
  replace(object: Json): void {
    this.object = object;
    this.changed = true;
  }

  // reject notes a field error. The value is "" where none is to be shown.
  reject(type: string, field: string, value: Json, detail: string): void {
    if (this.errors != "") this.errors += ",";
    this.errors += `{"type":"${type}","field":"${field}","detail":${quote(detail)}`;
    this.errors += value == "" ? "}" : `,"value":${value}}`;
  }

  // warn notes a warning.
  warn(warning: string): void {
    if (this.warnings != "") this.warnings += ",";
    this.warnings += quote(warning);
  }
}

// quote is a text as a JSON string.
export function quote(text: string): Json {
  let out = "\"";
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c == 0x22 || c == 0x5c) out += "\\";
    if (c < 0x20) out += "\\u00" + (c < 0x10 ? "0" : "1") + "0123456789abcdef".charAt(c & 15);
    else out += String.fromCharCode(c);
  }
  return out + "\"";
}

// unquote is what a JSON string means; "" for what is no string.
export function unquote(json: Json): string {
  if (!json.startsWith("\"")) return "";
  let out = "";
  for (let i = 1; i < json.length - 1; i++) {
    let c = json.charCodeAt(i);
    if (c == 0x5c) {
      c = json.charCodeAt(++i);
      switch (c) {
        case 0x62: c = 0x08; break; // b
        case 0x66: c = 0x0c; break; // f
        case 0x6e: c = 0x0a; break; // n
        case 0x72: c = 0x0d; break; // r
        case 0x74: c = 0x09; break; // t
        case 0x75: c = <i32>parseInt(json.substr(i + 1, 4), 16); i += 4; break; // u
      }
    }
    out += String.fromCharCode(c);
  }
  return out;
}

function stringEnd(json: Json, i: i32): i32 {
  for (i++; json.charCodeAt(i) != 0x22; i++) if (json.charCodeAt(i) == 0x5c) i++;
  return i + 1;
}

// valueEnd is just behind the value that begins at i.
function valueEnd(json: Json, i: i32): i32 {
  let depth = 0;
  do {
    const c = json.charCodeAt(i);
    if (c == 0x22) i = stringEnd(json, i); // "
    else if (c == 0x7b || c == 0x5b) { depth++; i++; } // { [
    else if (c == 0x7d || c == 0x5d) { depth--; i++; } // } ]
    else if (c == 0x2c || c == 0x3a) i++; // , :
    else while (!isEnd(json.charCodeAt(i))) i++; // a number, true, false or null, always inside something
  } while (depth > 0);
  return i;
}

// @ts-ignore: decorator
@inline
function isEnd(c: i32): bool { return c == 0x2c || c == 0x7d || c == 0x5d; }

// member is the value of a key of an object, "" when the object has none. The key has no characters to escape.
export function member(object: Json, key: string): Json {
  if (!object.startsWith("{")) return "";
  for (let i = 1; object.charCodeAt(i) == 0x22;) {
    const colon = stringEnd(object, i), end = valueEnd(object, colon + 1);
    if (object.substring(i + 1, colon - 1) == key) return object.substring(colon + 1, end);
    i = end + 1;
  }
  return "";
}

// withMember is an object with a key of a new value, without it when the value is "".
export function withMember(object: Json, key: string, value: Json): Json {
  let out = value == "" ? "" : `"${key}":${value}`;
  if (object.startsWith("{")) {
    for (let i = 1; object.charCodeAt(i) == 0x22;) {
      const colon = stringEnd(object, i), end = valueEnd(object, colon + 1);
      if (object.substring(i + 1, colon - 1) != key) out += (out == "" ? "" : ",") + object.substring(i, end);
      i = end + 1;
    }
  }
  return `{${out}}`;
}

let description: string = "";
let run: (call: Call, hook: Hook) => void = (call: Call, hook: Hook) => { unreachable(); };

// define says what the plugin is, and what runs one hook of a call.
export function define(describe: string, hooks: (call: Call, hook: Hook) => void): void {
  description = describe;
  run = hooks;
}

// Frames.

let frame: usize = 0; // where the host writes the request

function point(bytes: ArrayBuffer): u64 { return <u64>changetype<usize>(bytes) << 32 | bytes.byteLength; }

// Reader takes segments off a frame.
class Reader {
  constructor(public at: usize, public left: u32) {}

  count(): u32 {
    if (this.left < 4) unreachable();
    const n = load<u32>(this.at);
    this.at += 4;
    this.left -= 4;
    return n;
  }

  segment(): string {
    const n = this.count();
    if (n > this.left) unreachable();
    const text = String.UTF8.decodeUnsafe(this.at, n);
    this.at += n;
    this.left -= n;
    return text;
  }
}

function readCall(r: Reader): Call {
  if (r.count() < 4) unreachable();
  const request = r.segment(), object = r.segment(), old = r.segment(), options = r.segment();
  if (request == "" || r.left > 0) unreachable(); // no hook here takes items
  return new Call(request, object, old, options);
}

function reply(call: Call, hook: u32): ArrayBuffer {
  const rejected = call.errors != "";
  const segments = [
    String.UTF8.encode(call.changed && !rejected ? call.object : ""),
    String.UTF8.encode(rejected ? `[${call.errors}]` : ""),
    String.UTF8.encode(call.warnings == "" ? "" : `[${call.warnings}]`),
    new ArrayBuffer(0),
  ];
  let size = 16;
  for (let i = 0; i < segments.length; i++) size += 4 + segments[i].byteLength;
  const out = new ArrayBuffer(size);
  let at = changetype<usize>(out);
  store<u32>(at, 5);
  store<u32>(at, 8, 4);
  store<u32>(at, rejected ? 1 : 0, 8);
  store<u32>(at, hook, 12);
  at += 16;
  for (let i = 0; i < segments.length; i++) {
    const n = segments[i].byteLength;
    store<u32>(at, n);
    memory.copy(at + 4, changetype<usize>(segments[i]), n);
    at += 4 + n;
  }
  return out;
}

export function stratagem_abi_version(): i32 { return 1; }

export function stratagem_describe(): u64 { return point(String.UTF8.encode(description)); }

export function stratagem_reserve(n: u32): usize {
  heap.reset(); // the runtime is the stub, which only ever takes more; what is static is not on the heap
  frame = heap.alloc(n);
  return frame;
}

export function stratagem_invoke(hooks: u64, n: u32): u64 {
  const call = readCall(new Reader(frame, n));
  let last: u32 = 0;
  for (let hook: u32 = 0; hook < 64 && call.errors == ""; hook++) {
    if (hooks >> hook & 1) run(call, last = hook);
  }
  return point(reply(call, last));
}

// abort is what a failed assertion or index becomes: a trap.
export function abort(message: string | null, file: string | null, line: u32, column: u32): void { unreachable(); }
