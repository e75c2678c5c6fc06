//! The requests: agents and conversations with every form of a request.

use agent_runtime::conversation::{Audio, Document, Image, Part, ToolCall};
use agent_runtime::spec::AgentPattern;
use agent_runtime::tool::{DynamicTool, ToolConfig};
use agent_runtime::{Agent, Conversation, Message, ToolLibrary};
use serde_json::Value;

/// A conversation before the last question, and who is asked it.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) agent: Agent,
    pub(crate) before: Conversation,
}

/// Every form of a type that a tool can have.
const TOOLS: &[(&str, &str)] = &[
    (
        "sayHello",
        "(personName::Text {default: \"world\"})==>(::String)",
    ),
    ("currentTime", "()==>(::String)"),
    (
        "scalars",
        "(a::Int {minimum: 1, maximum: 9})==>(b::Double {minimum: 0.5})==>(c::Bool {optional: true})\
         ==>(d::Text {minLength: 1, maxLength: 9, pattern: \"^[a-z]+$\"})\
         ==>(e::Text {enum: [\"x\", \"y\"]})==>(f::Int {enum: [1, 2], default: 2})==>(::Int)",
    ),
    (
        "formats",
        "(at::Text {format: \"date-time\"})==>(link::Text {format: \"uri\"})\
         ==>(mail::Text {format: \"email\"})==>(id::Text {format: \"uuid\"})\
         ==>(own::Text {format: \"duration\"})==>(::Null)",
    ),
    (
        "nested",
        "(user::Object {fields: [{name: \"name\", type: \"Text\", description: \"In full\"}, \
          {name: \"tags\", type: \"Array\", elementType: \"Text\", maxItems: 5}, \
          {name: \"home\", type: \"Object\", optional: true, fields: [{name: \"zip\", type: \"Int\"}]}]})\
         ==>(scores::Object {valueType: \"Double\"})==>(anything::Any)==>(list::Array {elementType: \"Any\"})\
         ==>(rows::Array {elementType: {type: \"Array\", elementType: \"Int\"}, minItems: 1})\
         ==>(::Array {elementType: \"Text\"})",
    ),
];

/// All settings that a request can carry.
const SETTINGS: &str =
    "temperature: 0.5, topP: 0.9, seed: 7, maxTokens: 4096, stop: [\"END\", \"###\"]";

/// Every choice of tools, every effort and every cache, by name. `"5m"` is the default.
const CHOICES: &[(&str, &str)] = &[
    (
        "choice_auto",
        "toolChoice: \"auto\", reasoningEffort: \"minimal\", cache: \"off\"",
    ),
    (
        "choice_required",
        "toolChoice: \"required\", reasoningEffort: \"low\", cache: \"1h\"",
    ),
    (
        "choice_none",
        "toolChoice: \"none\", reasoningEffort: \"medium\"",
    ),
    ("budget", "thinkingBudget: 2048, reasoningEffort: \"high\""),
    (
        "choice_named",
        "toolChoice: \"sayHello\", reasoningEffort: \"high\"",
    ),
];

/// Further members that a provider accepts, at every depth.
const EXTRAS: &[(&str, &str)] = &[
    (
        "OpenAI",
        "{parallel_tool_calls: false, service_tier: \"flex\", logit_bias: {`50256`: -100}, \
          metadata: {team: \"a\"}, frequency_penalty: 0.5, n: 1}",
    ),
    (
        "OpenAIResponses",
        "{parallel_tool_calls: false, service_tier: \"flex\", reasoning: {summary: \"auto\"}, \
          metadata: {team: \"a\"}, text: {verbosity: \"low\"}, truncation: \"disabled\"}",
    ),
    (
        "Anthropic",
        "{thinking: {type: \"enabled\", budget_tokens: 1024}, metadata: {user_id: \"u\"}, \
          service_tier: \"auto\"}",
    ),
    (
        "Google",
        "{generationConfig: {topK: 40, thinkingConfig: {thinkingBudget: 512}, \
          responseModalities: [\"TEXT\"]}}",
    ),
    (
        "Ollama",
        "{options: {num_ctx: 8192, top_k: 40}, keep_alive: \"5m\", logprobs: true}",
    ),
];

fn agent(model: &str, settings: &str, tools: &[(&str, &str)]) -> Agent {
    let tools: Vec<String> = tools
        .iter()
        .map(|(name, signature)| {
            format!("[{name}:Tool {{description: \"Does {name}\"}} | {signature}]")
        })
        .collect();
    let elements = match tools.is_empty() {
        true => String::new(),
        false => format!(" | {}", tools.join(", ")),
    };
    let gram = format!(
        "[tester:Agent {{instruction: \"Be brief. Grüße 👋\", model: \"{model}\"{settings}}}{elements}]"
    );
    let pattern = AgentPattern::parse(&gram).expect("an agent");
    pattern.to_agent().unwrap_or_else(|error| panic!("{error}"))
}

/// Tools for the specs; none is ever called.
pub(crate) fn library() -> ToolLibrary {
    let mut library = ToolLibrary::new();
    for (name, signature) in TOOLS {
        let tool: DynamicTool =
            ToolConfig::with_signature(*name, format!("Does {name}"), signature)
                .build(|_| async { Ok(Value::Null) })
                .expect("a tool");
        library.add(tool).expect("a further tool");
    }
    library
}

fn call(id: &str, tool: &str, args: &str) -> ToolCall {
    ToolCall::new(id, tool, args)
}

/// The conversations before the question, by name.
fn conversations() -> Vec<(&'static str, Vec<Message>)> {
    let user = |text: &str| Message::user(text);
    let says = |text: &str| Message::assistant(text);
    let hello = || call("call_1", "sayHello", "{\"personName\": \"Ada\"}");
    let greeted = || Message::function("sayHello", "call_1", "Hello, Ada!");
    vec![
        ("one_question", vec![]),
        (
            "small_talk",
            vec![
                user("Hi"),
                says("Hello!"),
                user("How are you?"),
                says("Fine."),
            ],
        ),
        (
            "one_call",
            vec![
                user("Hi"),
                says("").with_tool_calls([hello()]),
                greeted(),
                says("Done."),
            ],
        ),
        (
            "call_with_words",
            vec![
                user("Hi"),
                says("One moment.").with_tool_calls([hello()]),
                greeted(),
                says("Done."),
            ],
        ),
        (
            "parallel_calls",
            vec![
                user("Hi all"),
                says("").with_tool_calls([
                    hello(),
                    call("call_2", "currentTime", "{}"),
                    call("call_3", "scalars", "{\"a\": 99}"),
                ]),
                greeted(),
                Message::function("currentTime", "call_2", "12:00"),
                Message::function("scalars", "call_3", "`a` is 99, above 9").into_error(),
                says("Done."),
            ],
        ),
        (
            "broken_calls",
            vec![
                user("Hi"),
                says("").with_tool_calls([
                    call("a.b/c", "functions.sayHello", "{\"personName\":"),
                    call("call_é", "", "[1]"),
                    call("x".repeat(90).as_str(), "no such tool", ""),
                ]),
                Message::function("functions.sayHello", "a.b/c", "there is no such tool")
                    .into_error(),
                Message::function("", "call_é", "there is no such tool").into_error(),
                Message::function("no such tool", "x".repeat(90), "").into_error(),
                says("Sorry."),
            ],
        ),
        // A run that ended before the model answered leaves results, or two questions in a row.
        (
            "results_at_the_end",
            vec![user("Hi"), says("").with_tool_calls([hello()]), greeted()],
        ),
        ("two_questions", vec![user("Hi"), user("Are you there?")]),
        (
            "blank_answer",
            vec![user("Hi"), says(""), user("Hello?"), says(" ")],
        ),
        (
            "begins_with_the_model",
            vec![says("Welcome!"), user("Hi"), says("What can I do?")],
        ),
        (
            "two_turns_of_calls",
            vec![
                user("Hi"),
                says("").with_tool_calls([hello()]),
                greeted(),
                says("").with_tool_calls([call("call_4", "currentTime", "")]),
                Message::function("currentTime", "call_4", "{\"hour\":12}"),
                says("Done."),
            ],
        ),
    ]
}

/// Conversations with every kind of media that a provider takes.
fn media(provider: &str) -> Vec<(&'static str, Vec<Message>)> {
    let image = || {
        Part::from(
            Image::new(*b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01").with_name("a.png"),
        )
    };
    let text = || Part::from(Document::new(*b"Ada's diary").with_name("a.txt"));
    let pdf = || Part::from(Document::new(*b"%PDF-1.7\n").with_name("a.pdf"));
    let audio = || Part::from(Audio::new(*b"RIFF\0\0\0\0WAVE"));
    let linked = || Part::from(Image::from_url("https://example.com/a.png"));
    let linked_pdf = || Part::from(Document::from_url("https://example.com/a.pdf"));
    let uploaded = || Part::from(Document::from_file_id(provider, "file-1"));
    let taken = match provider {
        "OpenAI" => vec![image(), text(), pdf(), audio(), linked(), uploaded()],
        "OpenAIResponses" => vec![image(), text(), pdf(), linked(), linked_pdf(), uploaded()],
        "Anthropic" => vec![image(), text(), pdf(), linked(), uploaded()],
        "Google" => vec![image(), text(), pdf(), audio(), linked(), uploaded()],
        _ => vec![image(), text()],
    };
    let asks = [Part::from("What is this?")].into_iter().chain(taken);
    let call = call("call_1", "sayHello", "{}");
    let shown = || Message::function_parts("sayHello", "call_1", ["Here:".into(), image(), text()]);
    vec![
        (
            "media_of_the_user",
            vec![Message::user_parts(asks), Message::assistant("A cat.")],
        ),
        (
            "media_of_a_result",
            vec![
                Message::user("Show it"),
                Message::assistant("").with_tool_calls([call.clone()]),
                shown(),
                Message::assistant("A cat."),
            ],
        ),
        (
            "media_of_a_result_at_the_end",
            vec![
                Message::user("Show it"),
                Message::assistant("").with_tool_calls([call]),
                shown(),
            ],
        ),
        (
            "media_of_an_answer",
            vec![
                Message::user("Draw a cat"),
                Message::assistant_parts(["A cat.".into(), image()]),
            ],
        ),
    ]
}

/// Every case for a model.
pub(crate) fn cases(model: &str) -> Vec<Case> {
    let settings = format!(", {SETTINGS}");
    let mut cases = vec![Case {
        name: "no_tools",
        agent: agent(model, &settings, &[]),
        before: Conversation::new(),
    }];
    for (name, settings) in CHOICES {
        cases.push(Case {
            name,
            agent: agent(model, &format!(", {SETTINGS}, {settings}"), TOOLS),
            before: Conversation::new(),
        });
    }
    let (provider, _) = model.split_once('/').expect("a provider");
    let extra = EXTRAS.iter().find(|(of, _)| *of == provider);
    let (_, extra) = extra.expect("extras of every provider");
    cases.push(Case {
        name: "extras",
        agent: agent(model, &format!("{settings}, extra: {extra}"), TOOLS),
        before: Conversation::new(),
    });
    for (name, messages) in conversations().into_iter().chain(media(provider)) {
        cases.push(Case {
            name,
            agent: agent(model, &settings, TOOLS),
            before: messages.into_iter().collect(),
        });
    }
    cases
}
