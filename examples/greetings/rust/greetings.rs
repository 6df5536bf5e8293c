//! The strategy plugin of ../go/main.go in Rust: one call of rustc, no crates.

mod stratagem;

use stratagem::*;

const MAX_MESSAGE: usize = 80; // bytes

const DESCRIPTION: &str = r#"{"name":"greetings-rust","version":"1.0.0","resources":[{
  "group":"example.org","resource":"greetings","kind":"Greeting","scope":"Namespaced",
  "versions":[{"name":"v1","served":true,"storage":true,
    "columns":[
      {"name":"Message","type":"string","jsonPath":".spec.message"},
      {"name":"Language","type":"string","jsonPath":".spec.language"}],
    "schema":{"type":"object","required":["spec"],"properties":{
      "spec":{"type":"object","properties":{
        "message":{"type":"string"},"language":{"type":"string"},"times":{"type":"integer","format":"int32"}}},
      "status":{"type":"object","properties":{"said":{"type":"integer","format":"int32"}}}}}}],
  "hooks":["Default","PrepareForCreate","Validate","WarningsOnCreate","ValidateUpdate","WarningsOnUpdate","Canonicalize"],
  "subresources":[{"name":"status"}]}]}"#;

fn spec<'a>(object: &'a str, key: &str) -> Json<'a> {
    member(member(Some(object), "spec"), key)
}

fn set_spec(call: &mut Call, key: &str, value: &str) {
    let spec = with_member(member(Some(&call.object), "spec"), key, Some(value));
    call.replace(with_member(Some(&call.object), "spec", Some(&spec)));
}

/// Says a greeting once, in English.
fn set_defaults(call: &mut Call) {
    if spec(&call.object, "language").is_none() {
        set_spec(call, "language", "\"en\"");
    }
    if spec(&call.object, "times").is_none() {
        set_spec(call, "times", "1");
    }
}

/// Keeps the status to its subresource.
fn drop_status(call: &mut Call) {
    if member(Some(&call.object), "status").is_some() {
        call.replace(with_member(Some(&call.object), "status", None));
    }
}

fn validate(call: &mut Call) {
    let object = call.object.clone();
    let message = unquote(spec(&object, "message"));
    if message.is_empty() {
        call.reject("FieldValueRequired", "spec.message", None, "");
    } else if message.len() > MAX_MESSAGE {
        call.reject("FieldValueTooLong", "spec.message", None, &format!("may not be more than {} bytes", MAX_MESSAGE));
    }
    let times = spec(&object, "times");
    if !times.and_then(|t| t.parse().ok()).map_or(false, |n: i64| (1..=10).contains(&n)) {
        call.reject("FieldValueInvalid", "spec.times", times, "must be between 1 and 10, inclusive");
    }
    let language = spec(&object, "language");
    if !["de", "en", "fr"].contains(&unquote(language).to_ascii_lowercase().as_str()) {
        call.reject("FieldValueNotSupported", "spec.language", language, r#"supported values: "de", "en", "fr""#);
    }
}

/// Checks a changed Greeting, which stays in its language.
fn validate_update(call: &mut Call) {
    validate(call);
    let (object, old) = (call.object.clone(), call.old.clone());
    let is = spec(&object, "language");
    if is.map(str::to_ascii_lowercase).as_deref() != spec(&old, "language") {
        call.reject("FieldValueInvalid", "spec.language", is, "field is immutable");
    }
}

fn warnings(call: &mut Call) {
    if unquote(spec(&call.object, "message")).ends_with("!!") {
        call.warn("spec.message: there is no need to shout");
    }
}

/// Writes the language in lower case.
fn canonicalize(call: &mut Call) {
    let language = spec(&call.object, "language").unwrap_or_default().to_string();
    let lower = language.to_ascii_lowercase();
    if language != lower {
        set_spec(call, "language", &lower);
    }
}

fn run(call: &mut Call, hook: u32) {
    match hook {
        DEFAULT => set_defaults(call),
        PREPARE_FOR_CREATE => drop_status(call),
        VALIDATE => validate(call),
        VALIDATE_UPDATE => validate_update(call),
        WARNINGS_ON_CREATE | WARNINGS_ON_UPDATE => warnings(call),
        CANONICALIZE => canonicalize(call),
        _ => panic!("hook {} is not described, so never asked for", hook),
    }
}

/// Where the host writes the request.
static mut FRAME: Vec<u8> = Vec::new();

#[no_mangle]
pub extern "C" fn stratagem_abi_version() -> i32 {
    1
}

#[no_mangle]
pub extern "C" fn stratagem_describe() -> u64 {
    point(DESCRIPTION.into())
}

#[no_mangle]
pub extern "C" fn stratagem_reserve(n: u32) -> *mut u8 {
    // A module has one thread, and the host calls it again only when it has returned.
    unsafe {
        FRAME = vec![0; n as usize];
        FRAME.as_mut_ptr()
    }
}

#[no_mangle]
pub extern "C" fn stratagem_invoke(hooks: u64, n: u32) -> u64 {
    let frame = unsafe { std::mem::take(&mut FRAME) };
    point(invoke(&frame[..n as usize], hooks, run))
}
