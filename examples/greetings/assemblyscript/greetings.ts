// The strategy plugin of ../go/main.go in AssemblyScript.
import { Call, Hook, Json, define, member, quote, unquote, withMember } from "./stratagem";

export { stratagem_abi_version, stratagem_describe, stratagem_reserve, stratagem_invoke } from "./stratagem";

const maxMessage = 80; // bytes

define(`{"name":"greetings-assemblyscript","version":"1.0.0","resources":[{
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
  "subresources":[{"name":"status"}]}]}`, (call: Call, hook: Hook): void => {
  switch (hook) {
    case Hook.Default: return setDefaults(call);
    case Hook.PrepareForCreate: return dropStatus(call);
    case Hook.Validate: return validate(call);
    case Hook.ValidateUpdate: return validateUpdate(call);
    case Hook.WarningsOnCreate:
    case Hook.WarningsOnUpdate: return warnings(call);
    case Hook.Canonicalize: return canonicalize(call);
    default: unreachable(); // not described, so never asked for
  }
});

function spec(object: Json, key: string): Json { return member(member(object, "spec"), key); }

function setSpec(call: Call, key: string, value: Json): void {
  call.replace(withMember(call.object, "spec", withMember(member(call.object, "spec"), key, value)));
}

// setDefaults says a greeting once, in English.
function setDefaults(call: Call): void {
  if (spec(call.object, "language") == "") setSpec(call, "language", quote("en"));
  if (spec(call.object, "times") == "") setSpec(call, "times", "1");
}

// dropStatus keeps the status to its subresource.
function dropStatus(call: Call): void {
  if (member(call.object, "status") != "") call.replace(withMember(call.object, "status", ""));
}

function validate(call: Call): void {
  const message = unquote(spec(call.object, "message"));
  if (message == "") call.reject("FieldValueRequired", "spec.message", "", "");
  else if (String.UTF8.byteLength(message) > maxMessage) {
    call.reject("FieldValueTooLong", "spec.message", "", `may not be more than ${maxMessage} bytes`);
  }
  const times = spec(call.object, "times"), n = parseInt(times);
  if (!(n >= 1 && n <= 10)) call.reject("FieldValueInvalid", "spec.times", times, "must be between 1 and 10, inclusive");
  const language = spec(call.object, "language"), known = unquote(language).toLowerCase();
  if (known != "de" && known != "en" && known != "fr") {
    call.reject("FieldValueNotSupported", "spec.language", language, `supported values: "de", "en", "fr"`);
  }
}

// validateUpdate checks a changed Greeting, which stays in its language.
function validateUpdate(call: Call): void {
  validate(call);
  const is = spec(call.object, "language");
  if (is.toLowerCase() != spec(call.old, "language")) {
    call.reject("FieldValueInvalid", "spec.language", is, "field is immutable");
  }
}

function warnings(call: Call): void {
  if (unquote(spec(call.object, "message")).endsWith("!!")) call.warn("spec.message: there is no need to shout");
}

// canonicalize writes the language in lower case.
function canonicalize(call: Call): void {
  const language = spec(call.object, "language");
  if (language != language.toLowerCase()) setSpec(call, "language", language.toLowerCase());
}
