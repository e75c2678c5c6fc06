//! Findings about agents.

use super::Examples::Documents;
use super::Explanation;

pub(super) const MISSING_INSTRUCTION: Explanation = Explanation::of(
    Documents,
    "\
An agent must have an `instruction`: the text that tells the model who it is and what to do. It
is sent before every conversation. Without one the model answers as it likes, which is not an
agent but a model; so an empty instruction is refused, too.

Say what the agent is for, and when it is to use which tool. `{{name}}` in the text is filled in
from the variables of a run. A long text is best written as a fence, between lines of three
backticks.",
    r#"[hello:Agent {model: "OpenAI/gpt-4o-mini"}]"#,
    r#"[hello:Agent {
  model: "OpenAI/gpt-4o-mini",
  instruction: "You are a friendly assistant. Greet the user with the greet tool."
}]"#,
);

pub(super) const MISSING_MODEL: Explanation = Explanation::of(
    Documents,
    "\
An agent must name the `model` that it runs on, as `Provider/model-id`. There is no default:
models differ in what they can do and in what they cost, and an instruction is written with one
in mind.

Whoever runs the agent can choose another one without changing the file: `agent run --model`, or
`--offline` for the model that needs neither key nor network.",
    r#"[hello:Agent {instruction: "Greet the user."}]"#,
    r#"[hello:Agent {instruction: "Greet the user.", model: "OpenAI/gpt-4o-mini"}]"#,
);

pub(super) const BAD_MODEL: Explanation = Explanation::of(
    Documents,
    "\
A model is written `Provider/model-id`: who offers it, a `/`, and what the provider calls it.
Several providers offer models of one name, so the name alone does not say where to send the
request, and for which key to look.

Only the first `/` separates. What comes after it belongs to the model, as in
`Ollama/library/llama3:8b`.",
    r#"[hello:Agent {instruction: "Greet the user.", model: "gpt-4o-mini"}]"#,
    r#"[hello:Agent {instruction: "Greet the user.", model: "OpenAI/gpt-4o-mini"}]"#,
);

pub(super) const UNKNOWN_PROVIDER: Explanation = Explanation::of(
    Documents,
    "\
The part of the model before the `/` is no provider that is known: `OpenAI`, `Anthropic`,
`Google`, `Ollama`, `Offline` and `Scripted` are, written just so. A program can register
further ones with its runtime. What checks a document before that is told their names:
`agent!` and `gram!` with `providers: [\"Acme\"],`, the `agent` command with
`--provider Acme=URL`.

A server that speaks the protocol of one of these, as many do, needs no provider of its own:
name the provider whose protocol it is, and give the address as `baseUrl`.",
    r#"[hello:Agent {instruction: "Greet the user.", model: "openai/gpt-4o-mini"}]"#,
    r#"[hello:Agent {instruction: "Greet the user.", model: "OpenAI/gpt-4o-mini"}]"#,
);

pub(super) const NOT_A_TOOL: Explanation = Explanation::of(
    Documents,
    "\
The elements of an agent, after the `|`, are its tools, and nothing else. Each is a tool in
full, or just the name of one that is defined elsewhere in the document, built in, or
registered.

A pattern with one element that lacks the label `Tool` is taken for a tool with its label
forgotten or misspelt. Anything else that you want to keep with an agent goes into its
properties, or beside it in the document.",
    r#"[hello:Agent {instruction: "Greet the user.", model: "OpenAI/gpt-4o-mini"} |
  [greet {description: "Greets a person"} | (personName::Text)==>(::String)]
]"#,
    r#"[hello:Agent {instruction: "Greet the user.", model: "OpenAI/gpt-4o-mini"} |
  [greet:Tool {description: "Greets a person"} | (personName::Text)==>(::String)]
]"#,
);

pub(super) const UNKNOWN_TOOL: Explanation = Explanation::of(
    Documents,
    "\
A bare name among the elements of an agent refers to a tool, and there is none of this name: not
in the document, before or after, and not among those that are built in. The model would be
offered a tool that nothing can describe and nobody can run.

Define the tool in the document, or correct the name; case counts. `agent check --tools FILE`
adds the tools of another document. Inside `agent!` the name may also be that of a registered
function.",
    r#"[hello:Agent {instruction: "Greet the user.", model: "OpenAI/gpt-4o-mini"} | greet]"#,
    r#"[hello:Agent {instruction: "Greet the user.", model: "OpenAI/gpt-4o-mini"} | greet]
[greet:Tool {description: "Greets a person"} | (personName::Text)==>(::String)]"#,
);

pub(super) const DUPLICATE_TOOL: Explanation = Explanation::of(
    Documents,
    "\
The agent has two tools of one name, in full or by reference. A model calls a tool by its name
alone, so no one could tell which of the two it means, and most providers refuse such a request.

Remove one of them. When they are different tools, rename one, here and where its function is
registered.",
    r#"[hello:Agent {instruction: "Greet the user.", model: "OpenAI/gpt-4o-mini"} |
  [greet:Tool {description: "Greets a person"} | (personName::Text)==>(::String)],
  greet
]"#,
    r#"[hello:Agent {instruction: "Greet the user.", model: "OpenAI/gpt-4o-mini"} |
  [greet:Tool {description: "Greets a person"} | (personName::Text)==>(::String)]
]"#,
);

pub(super) const BAD_TOOL_CHOICE: Explanation = Explanation::of(
    Documents,
    "\
`toolChoice` says whether the model is to call a tool: `\"auto\"` leaves it to the model,
`\"required\"` demands a call, `\"none\"` forbids it, and the name of one of the agent's tools
demands a call of that tool. The text is none of these, or a call is demanded of an agent
without tools. A provider would refuse the request.

Correct the word or the name; case counts. A call that is demanded is demanded until the model
has made one; from then on it decides itself, so that the run can end.",
    r#"[hello:Agent {
  instruction: "Greet the user.", model: "OpenAI/gpt-4o-mini", toolChoice: "great"
} |
  [greet:Tool {description: "Greets a person"} | (personName::Text)==>(::String)]
]"#,
    r#"[hello:Agent {
  instruction: "Greet the user.", model: "OpenAI/gpt-4o-mini", toolChoice: "greet"
} |
  [greet:Tool {description: "Greets a person"} | (personName::Text)==>(::String)]
]"#,
);

pub(super) const RESERVED_EXTRA: Explanation = Explanation::of(
    Documents,
    "\
`extra` holds members of the request that this provider has and an agent has no property for;
they are sent as they stand. It must not say `model`, `messages`, `tools` or `stream`: those are
what the run decides, and with others in their place it would not be this agent that is run.

Say it where it belongs: the model in `model`, the tools as elements of the agent. Records in
`extra` are put together with those that are sent anyway; any other member that is there already
ends the run with an error.",
    r#"[hello:Agent {
  instruction: "Greet the user.", model: "OpenAI/gpt-4o-mini", extra: {model: "gpt-5"}
}]"#,
    r#"[hello:Agent {
  instruction: "Greet the user.", model: "OpenAI/gpt-5", extra: {service_tier: "flex"}
}]"#,
);

pub(super) const DUPLICATE_AGENT: Explanation = Explanation::of(
    Documents,
    "\
The document defines two agents of one name. The name is how an agent is chosen, as in
`agent run FILE --agent NAME`, and how its runs are told apart in traces and comparisons.

Rename one of them. Variants of one agent, to be compared with each other, are two agents with
two names.",
    r#"[hello:Agent {instruction: "Greet the user.", model: "OpenAI/gpt-4o-mini"}]
[hello:Agent {instruction: "Greet the user in verse.", model: "OpenAI/gpt-4o-mini"}]"#,
    r#"[hello:Agent {instruction: "Greet the user.", model: "OpenAI/gpt-4o-mini"}]
[hello_in_verse:Agent {instruction: "Greet the user in verse.", model: "OpenAI/gpt-4o-mini"}]"#,
);

pub(super) const KEY_IN_DOCUMENT: Explanation = Explanation::of(
    Documents,
    "\
Something looks like the key of a provider: by its form, such as `sk-…`, wherever it stands, or by
its name, such as `apiKey` or `token`, as a property of an agent or in `extra`. No key is read from
a document: documents are shared, published and kept in histories, and a key in one must be taken
for known to others.

What becomes of it depends on the place, and none is a good one. A property of an agent's own is
kept and does nothing. What stands in `extra` is sent to the provider with every request, and in an
instruction or a description the model reads it and may repeat it.

Take the key out, and have the provider give you another one. Put that into the variable of the
provider, such as `OPENAI_API_KEY`, or give it to the runtime in code. Where findings show the line,
the key is covered; `agent run --debug` shows `[key]` in its place.",
    r#"[hello:Agent {instruction: "Greet the user.", model: "OpenAI/gpt-5", extra: {api_key: "sk-1234"}}]"#,
    r#"[hello:Agent {instruction: "Greet the user.", model: "OpenAI/gpt-5"}]"#,
);
