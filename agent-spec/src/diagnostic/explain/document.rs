//! Findings about all that a document declares.

use super::Examples::{Documents, Patterns};
use super::Explanation;

pub(super) const NOTHING_DECLARED: Explanation = Explanation::of(
    Documents,
    "\
The document is gram, but it declares no agent and no tool, so there is nothing to check or to
run. What a pattern is, its label says: `Agent` makes it an agent, `Tool` a tool (the older
`ToolSpecification` does, too). Labels are read with their capital letters.

Patterns with other labels may stand in a document beside agents and tools; they are left alone.
A document without any is more likely a wrong file, or has a misspelt label. To check the
notation of gram that is about something else, use `agent check --as gram`.",
    r#"[hello:Agnet {instruction: "Greet the user.", model: "OpenAI/gpt-4o-mini"}]"#,
    r#"[hello:Agent {instruction: "Greet the user.", model: "OpenAI/gpt-4o-mini"}]"#,
);

pub(super) const MISSING_LABEL: Explanation = Explanation::of(
    Patterns,
    "\
A program took a pattern for an agent or for a tool, and the pattern does not say that it is
one: an agent has the label `Agent`, a tool has `Tool`, or the older `ToolSpecification`.
Without the rule any record with the right keys would pass for an agent.

The finding is one of `AgentPattern` and `ToolPattern`, to which a program turns patterns that
it got from elsewhere. Add the label, with `Subject::with_label` when the pattern is made in
code. In a checked document a pattern without the label is no agent at all, which is for example
`agent::nothing-declared`.",
    r#"[hello {instruction: "Greet the user.", model: "OpenAI/gpt-4o-mini"}]"#,
    r#"[hello:Agent {instruction: "Greet the user.", model: "OpenAI/gpt-4o-mini"}]"#,
);

pub(super) const MISSING_NAME: Explanation = Explanation::of(
    Documents,
    "\
Agents, tools and the fields of a record are known by their names, and this one has none. A
model calls a tool by its name, a library finds the function by it, and an agent is chosen by
its own.

The name of an agent or a tool is the identifier, before the label: `[greet:Tool …]`. A field
has it as a property: `{name: \"age\", type: \"Int\"}`. Only parameters may go without; they are
then called `arg1`, `arg2` and so on.",
    r#"[:Tool {description: "Greets a person"} | (personName::Text)==>(::String)]"#,
    r#"[greet:Tool {description: "Greets a person"} | (personName::Text)==>(::String)]"#,
);

pub(super) const BAD_NAME: Explanation = Explanation::of(
    Documents,
    "\
The name of a tool goes to the model's provider, and they differ in what they take. What all of
them take is a letter or `_`, then letters, digits, `_` or `-`, 63 characters at most; so that
is what a tool can be called, and a tool never has to be renamed with the model.

The same finding is given when one thing has two names: an agent whose `name` is not its
identifier, or a parameter whose `paramName` is not. The identifier is the name; remove the
property.",
    r#"[people.greet:Tool {description: "Greets a person"} | (personName::Text)==>(::String)]"#,
    r#"[people_greet:Tool {description: "Greets a person"} | (personName::Text)==>(::String)]"#,
);

pub(super) const UNKNOWN_PROPERTY: Explanation = Explanation::of(
    Documents,
    "\
A property has no meaning in this place. On parameters, results, fields and types only known
ones may stand, since they all become part of what the model is told. Agents and tools may carry
properties of your own, which are kept untouched, unless they nearly spell a known one: a
setting that is misspelt would otherwise be ignored, and nobody would notice.

The message names the nearest known property, or lists those that are known here. Correct the
spelling, remove the property, or call your own by a name that cannot be mistaken.",
    r#"[hello:Agent {
  instruction: "Greet the user.", model: "OpenAI/gpt-4o-mini", max_tokens: 500
}]"#,
    r#"[hello:Agent {
  instruction: "Greet the user.", model: "OpenAI/gpt-4o-mini", maxTokens: 500
}]"#,
);

pub(super) const DUPLICATE_KEY: Explanation = Explanation::of(
    Documents,
    "\
A record of an agent, a tool, a parameter or a type gives one key twice. One of the two values
would be lost, and which one is not plain to see, so it is an error here, although the notation
allows it.

Keep one of them. When both were meant, see whether the property takes a list, as `stop`, `enum`
and `fallback` do.",
    r#"[hello:Agent {
  instruction: "Greet the user.", model: "OpenAI/gpt-4o", model: "OpenAI/gpt-4o-mini"
}]"#,
    r#"[hello:Agent {
  instruction: "Greet the user.", model: "OpenAI/gpt-4o", fallback: "OpenAI/gpt-4o-mini"
}]"#,
);

pub(super) const BAD_VALUE: Explanation = Explanation::of(
    Documents,
    "\
The property is right, but its value is not one that it can have. The message says what it
takes: text, a whole number, a number within bounds, `true` or `false`, a list, or a time such
as `10s` or `500ms`, whose unit stands right after the digits.

A word without quotes is a symbol, which is not text: quote it. Values are never converted in
silence, because a `\"10\"` in place of a `10` is more often a mistake than a shorthand. The same
finding is given for bounds that leave no value at all, such as a `minimum` above the `maximum`.",
    r#"[hello:Agent {
  instruction: "Greet the user.", model: "OpenAI/gpt-4o-mini", toolTimeout: 10
}]"#,
    r#"[hello:Agent {
  instruction: "Greet the user.", model: "OpenAI/gpt-4o-mini", toolTimeout: 10s
}]"#,
);
