//! The keys of what has a type: parameters, results, fields and types in types.

use super::Key;
use agent_spec::check::Place;

const ALL: &[Place] = &[
    Place::Parameter,
    Place::Result,
    Place::Field,
    Place::Entry,
    Place::Type,
];
const DESCRIBED: &[Place] = &[Place::Parameter, Place::Result, Place::Field, Place::Entry];
const GIVEN: &[Place] = &[Place::Parameter, Place::Field, Place::Entry];
const TYPED: &[Place] = &[Place::Field, Place::Entry, Place::Type];

pub(super) const KEYS: &[Key] = &[
    Key {
        places: &[Place::Parameter],
        name: "paramName",
        value: "text",
        meaning: "The parameter's name, in the older form where the node has none. \
                  `(personName::Text)` says the same as `(::Text {paramName: \"personName\"})`.",
        example: "paramName: \"personName\"",
    },
    Key {
        places: &[Place::Field],
        name: "name",
        value: "text, required",
        meaning: "The name of the field.",
        example: "name: \"age\"",
    },
    Key {
        places: TYPED,
        name: "type",
        value: "type, required",
        meaning: "The type: a label such as `\"Text\"`, a type expression such as `\"[Maybe Int]\"`, \
                  or a record `{type: …, …}`.",
        example: "type: \"Int\"",
    },
    Key {
        places: GIVEN,
        name: "default",
        value: "value of the type",
        meaning: "The value when none is given, which makes it optional.",
        example: "default: \"world\"",
    },
    Key {
        places: ALL,
        name: "optional",
        value: "`true` or `false`",
        meaning: "Whether the value may be missing.",
        example: "optional: true",
    },
    Key {
        places: DESCRIBED,
        name: "description",
        value: "text",
        meaning: "What it is for. The model is told.",
        example: "description: \"The name of the person\"",
    },
    Key {
        places: ALL,
        name: "elementType",
        value: "type",
        meaning: "For `Array`: the type of each element.",
        example: "elementType: \"Text\"",
    },
    Key {
        places: ALL,
        name: "valueType",
        value: "type",
        meaning: "For `Object`: the type of each value, under any keys.",
        example: "valueType: \"Int\"",
    },
    Key {
        places: ALL,
        name: "fields",
        value: "list of `{name, type, …}`, or record from name to type",
        meaning: "For `Object`: its fields.",
        example: "fields: {name: \"Text\", age: \"Maybe Int\"}",
    },
    Key {
        places: ALL,
        name: "enum",
        value: "list of values of the type",
        meaning: "The only values allowed.",
        example: "enum: [\"celsius\", \"fahrenheit\"]",
    },
    Key {
        places: ALL,
        name: "format",
        value: "text",
        meaning: "For `Text`: the form of the text. `date-time`, `date`, `time`, `email`, `uri`, \
                  `uuid`, `ipv4` and `ipv6` are asserted; any other is a remark to the model.",
        example: "format: \"date\"",
    },
    Key {
        places: ALL,
        name: "minimum",
        value: "number",
        meaning: "For `Int` and `Double`: the smallest number allowed.",
        example: "minimum: 0",
    },
    Key {
        places: ALL,
        name: "maximum",
        value: "number",
        meaning: "For `Int` and `Double`: the greatest number allowed.",
        example: "maximum: 100",
    },
    Key {
        places: ALL,
        name: "minLength",
        value: "whole number, 0 or more",
        meaning: "For `Text`: the least number of characters.",
        example: "minLength: 1",
    },
    Key {
        places: ALL,
        name: "maxLength",
        value: "whole number, 0 or more",
        meaning: "For `Text`: the greatest number of characters.",
        example: "maxLength: 80",
    },
    Key {
        places: ALL,
        name: "pattern",
        value: "regular expression",
        meaning: "For `Text`: what the text must match somewhere. Classes such as `\\\\d` are ASCII, \
                  and there is no look-around.",
        example: "pattern: \"^[A-Z]{3}$\"",
    },
    Key {
        places: ALL,
        name: "minItems",
        value: "whole number, 0 or more",
        meaning: "For `Array`: the least number of items.",
        example: "minItems: 1",
    },
    Key {
        places: ALL,
        name: "maxItems",
        value: "whole number, 0 or more",
        meaning: "For `Array`: the greatest number of items.",
        example: "maxItems: 10",
    },
];
