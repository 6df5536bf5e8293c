// The strategy plugin of ../go/main.go in C: `clang --target=wasm32` and nothing else.
#include "stratagem.h"

static const u32 max_message = 80; // bytes

static const char *description =
    "{\"name\":\"greetings-c\",\"version\":\"1.0.0\",\"resources\":[{\"group\":\"example.org\",\"resource\":\"greetings\",\"kind\":\"Greeting\","
    "\"scope\":\"Namespaced\",\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,\"columns\":["
    "{\"name\":\"Message\",\"type\":\"string\",\"jsonPath\":\".spec.message\"},{\"name\":\"Language\",\"type\":\"string\",\"jsonPath\":\".spec.language\"}],"
    "\"schema\":{\"type\":\"object\",\"required\":[\"spec\"],\"properties\":{"
    "\"spec\":{\"type\":\"object\",\"properties\":{\"message\":{\"type\":\"string\"},\"language\":{\"type\":\"string\"},"
    "\"times\":{\"type\":\"integer\",\"format\":\"int32\"}}},"
    "\"status\":{\"type\":\"object\",\"properties\":{\"said\":{\"type\":\"integer\",\"format\":\"int32\"}}}}}}],"
    "\"hooks\":[\"Default\",\"PrepareForCreate\",\"Validate\",\"WarningsOnCreate\",\"ValidateUpdate\",\"WarningsOnUpdate\",\"Canonicalize\"],"
    "\"subresources\":[{\"name\":\"status\"}]}]}";

static text describe(void) { return (text){description, __builtin_strlen(description)}; }

static text spec(text object) { return member(object, TEXT("spec")); }

static void set_spec(call *c, text key, text value) {
    c->object = with_member(c->object, TEXT("spec"), with_member(spec(c->object), key, value));
    c->changed = true;
}

// set_defaults says a greeting once, in English.
static void set_defaults(call *c) {
    if (member(spec(c->object), TEXT("language")).len == 0) set_spec(c, TEXT("language"), TEXT("\"en\""));
    if (member(spec(c->object), TEXT("times")).len == 0) set_spec(c, TEXT("times"), TEXT("1"));
}

// drop_status keeps the status to its subresource.
static void drop_status(call *c) {
    if (member(c->object, TEXT("status")).len == 0) return;
    c->object = with_member(c->object, TEXT("status"), (text){0});
    c->changed = true;
}

static text lower(text t) {
    char *at = allocate(t.len);
    for (u32 i = 0; i < t.len; i++) at[i] = t.at[i] >= 'A' && t.at[i] <= 'Z' ? t.at[i] + ('a' - 'A') : t.at[i];
    return (text){at, t.len};
}

static bool between_1_and_10(text number) {
    return number.len == 1 ? number.at[0] >= '1' && number.at[0] <= '9' : same(number, TEXT("10"));
}

static void validate(call *c) {
    text message = member(spec(c->object), TEXT("message"));
    text times = member(spec(c->object), TEXT("times"));
    text language = member(spec(c->object), TEXT("language"));
    if (string_length(message) == 0)
        reject(c, TEXT("FieldValueRequired"), TEXT("spec.message"), (text){0}, TEXT(""));
    else if (string_length(message) > max_message)
        reject(c, TEXT("FieldValueTooLong"), TEXT("spec.message"), (text){0}, TEXT("may not be more than 80 bytes"));
    if (!between_1_and_10(times))
        reject(c, TEXT("FieldValueInvalid"), TEXT("spec.times"), times, TEXT("must be between 1 and 10, inclusive"));
    text known = lower(language);
    if (!same(known, TEXT("\"de\"")) && !same(known, TEXT("\"en\"")) && !same(known, TEXT("\"fr\"")))
        reject(c, TEXT("FieldValueNotSupported"), TEXT("spec.language"), language,
               TEXT("supported values: \\\"de\\\", \\\"en\\\", \\\"fr\\\""));
}

// validate_update checks a changed Greeting, which stays in its language.
static void validate_update(call *c) {
    validate(c);
    text is = member(spec(c->object), TEXT("language")), was = member(spec(c->old), TEXT("language"));
    if (!same(lower(is), was)) reject(c, TEXT("FieldValueInvalid"), TEXT("spec.language"), is, TEXT("field is immutable"));
}

static void warnings(call *c) {
    text message = member(spec(c->object), TEXT("message"));
    if (message.len >= 4 && same((text){message.at + message.len - 3, 3}, TEXT("!!\"")))
        warn(c, TEXT("spec.message: there is no need to shout"));
}

// canonicalize writes the language in lower case.
static void canonicalize(call *c) {
    text language = member(spec(c->object), TEXT("language"));
    if (!same(language, lower(language))) set_spec(c, TEXT("language"), lower(language));
}

static void run(call *c, enum hook hook) {
    switch (hook) {
    case DEFAULT: set_defaults(c); break;
    case PREPARE_FOR_CREATE: drop_status(c); break;
    case VALIDATE: validate(c); break;
    case VALIDATE_UPDATE: validate_update(c); break;
    case WARNINGS_ON_CREATE: case WARNINGS_ON_UPDATE: warnings(c); break;
    case CANONICALIZE: canonicalize(c); break;
    default: __builtin_trap(); // not described, so never asked for
    }
}
