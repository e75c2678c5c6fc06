//! Findings about signatures as a whole.

use super::Examples::Signatures;
use super::Explanation;

pub(super) const NOT_A_SIGNATURE: Explanation = Explanation::of(
    Signatures,
    "\
A signature is a path: the parameters as nodes, one after another, with arrows between them, and
the result as the last node. `(personName::Text)==>(age::Int)==>(::String)` takes two parameters
and returns text.

There is always at least one arrow, since it is what separates the result from the parameters. A
node alone, a name, or a bracket is no signature. A tool without parameters begins with an empty
node: `()==>(::String)`.",
    "(personName::Text)",
    "(personName::Text)==>(::String)",
);

pub(super) const BAD_DIRECTION: Explanation = Explanation::of(
    Signatures,
    "\
The arrows of a signature lead from the parameters to the result, so all of them point one way.
Where two point at each other, or one points both ways, it is open which node is the result.

Write `==>` throughout. A signature whose arrows all point to the left is read from right to
left, and arrows without a head are read from left to right.",
    "(personName::Text)==>(age::Int)<==(::String)",
    "(personName::Text)==>(age::Int)==>(::String)",
);

pub(super) const DUPLICATE_PARAMETER: Explanation = Explanation::of(
    Signatures,
    "\
Two parameters of a signature, or two fields of a record, have one name. A model gives the
arguments of a call by name, in a JSON object that can hold each name once, so one of the two
could never be given.

Rename one of them, or make a list of both: `(names::Array {elementType: \"Text\"})`. A parameter
without a name counts by its place, as `arg1`, `arg2` and so on.",
    "(city::Text)==>(city::Text)==>(::Double)",
    "(from::Text)==>(to::Text)==>(::Double)",
);

pub(super) const BAD_PARAMETER_NAME: Explanation = Explanation::of(
    Signatures,
    "\
The names of a tool's parameters go to the model's provider as the keys of a JSON Schema.
Anthropic's API takes letters, digits, `_`, `-` and `.`, 64 characters at most, and none outside
ASCII; it refuses a whole request that has another key, and with it every tool of the agent. The
other providers state no rule, so this is what a parameter can be called.

Write words together, as in `cityName`, and say the rest in the `description`. The fields of
records keep the names they have.",
    "(`city name`::Text)==>(::Double)",
    r#"(cityName::Text {description: "City name"})==>(::Double)"#,
);
