//! Findings about the types in signatures, and about what goes with them.

use super::Examples::Signatures;
use super::Explanation;

pub(super) const MISSING_TYPE: Explanation = Explanation::of(
    Signatures,
    "\
Every parameter, every field and the result has a type. It tells the model what to send, and
lets a wrong call be refused before the function sees it. There is no default: a type that was
forgotten would look like one that was left open.

Write the type as a label: `(city::Text)`. A field has it as a property,
`{name: \"city\", type: \"Text\"}`. A value that may be anything is `Any`, and a tool that returns
nothing has the result `(::Null)`.",
    "(city)==>(::Double)",
    "(city::Text)==>(::Double)",
);

pub(super) const SEVERAL_TYPES: Explanation = Explanation::of(
    Signatures,
    "\
A parameter or result has more than one type label. Gram allows a node any number of labels, but
a value here has one type; there are no alternatives between types.

Keep one. A value that may be missing is `(age::Int {optional: true})`, one of a few texts is
`(unit::Text {enum: [\"C\", \"F\"]})`, and one that may really be of several types is `Any`. What
else you want to say about a parameter goes into its `description`.",
    "(age::Int::Text)==>(::String)",
    "(age::Int)==>(::String)",
);

pub(super) const UNKNOWN_TYPE: Explanation = Explanation::of(
    Signatures,
    "\
The type is not one of those that exist: `Text`, `Int`, `Double`, `Bool`, `Object`, `Array` and
`Any`, and for a result also `Null`. `String`, `Integer`, `Number` and `Boolean` are other words
for the first four. Case counts. They are few because each must mean the same in gram, in JSON
Schema, in Rust and to a model.

Types of your own are written out: a record is `Object` with `fields`, a list is `Array` with
`elementType`, and where a type is a value, in quotes, also `\"[Text]\"`, `\"Maybe Int\"`,
`\"Map Double\"` and `\"{name: Text}\"`.",
    "(city::Txt)==>(::Double)",
    "(city::Text)==>(::Double)",
);

pub(super) const MISPLACED_TYPE: Explanation = Explanation::of(
    Signatures,
    "\
`Null` says that a tool returns nothing, and so it is a type for results only. A parameter that
can only be nothing would not be worth having.

For a parameter or field that may be missing, write its type and `optional: true`, or give it a
`default`. Where a type stands in quotes, `\"Maybe Text\"` says the same.",
    "(city::Text)==>(country::Null)==>(::Double)",
    "(city::Text)==>(country::Text {optional: true})==>(::Double)",
);

pub(super) const MISPLACED_KEYWORD: Explanation = Explanation::of(
    Signatures,
    "\
The property exists, but says nothing about a value of this type, so a limit that somebody
relies on would not be kept. `minLength`, `maxLength`, `pattern` and `format` go with `Text`;
`minimum` and `maximum` with `Int` and `Double`; `elementType`, `minItems` and `maxItems` with
`Array`; `fields` or `valueType`, but not both, with `Object`. What a type says already is not
said again around it, as in `{type: \"[Text]\", elementType: \"Int\"}`: one of them would not count.

A result takes no `default`, since nobody fills it in; `optional: true` says that it may be
missing. A type in a map takes no `description`: it belongs to the parameter, the result or the
field that has the type.",
    "(name::Text {maximum: 40})==>(::String)",
    "(name::Text {maxLength: 40})==>(::String)",
);

pub(super) const BAD_DEFAULT: Explanation = Explanation::of(
    Signatures,
    "\
A `default` stands in for an argument that the model left out, and the values of `enum` are
those that it may send; so each of them must be a value of the parameter's type, within its
limits. This one is not, and would be refused if the model sent it.

Change the value, or the type. A whole number is no `Text` until it is in quotes, and a word
without quotes is a symbol, which no call can hold. There is no `null` in gram: for a parameter
without a default that may be missing write `optional: true`.",
    r#"(count::Int {default: "10"})==>(::String)"#,
    "(count::Int {default: 10})==>(::String)",
);
