//! The offline model, which chooses tools by the words of a message.

mod arguments;
mod words;

use super::{
    ChatFuture, ChatModel, FinishReason, ModelReply, ModelRequest, ToolDefinition, Usage,
    trace_name,
};
use crate::conversation::{Message, Role, ToolCall};
use agent_spec::ToolChoice;
use serde_json::Value;
use std::collections::HashSet;

/// A deterministic model that needs no key and no network. Equal requests get equal replies, by these rules:
///
/// 1. **After calls it repeats their results**: those of the last turn, one per line. A failed call has
///    ``The tool `name` failed: …``.
/// 2. **Otherwise it chooses a tool** of the request by the words of the last message. A word scores 3 if it
///    is in a tool's name (`sayHello` has `say` and `hello`), and 1 if it is in the tool's description. Words
///    without a meaning of their own, such as `the` or `say`, do not score. Greetings (`hi`, `hey`, `greet`,
///    …) are synonyms, and so are farewells (`bye`, `farewell`, …) and words for calculations (`calculate`,
///    `math`, …, and any `2 + 3`). The tool with the highest score is chosen, the first one of equal tools,
///    if it scores at least 3. The agent's tool choice takes precedence: a named tool is called, and if a
///    call is required and no tool scores enough, the first tool is called.
/// 3. **It finds the arguments in the message**: a text of the parameter's enumeration; a person's name
///    (after "I'm", "I am", "my name is", "call me" or "to", else the first capitalised word that begins no
///    sentence) for a text parameter with a name such as `name`, `personName` or `user`; a calculation such
///    as `2 + 3` for a parameter named `expression`; texts in double quotes for other text parameters and numbers
///    for number parameters, in order. It leaves out other arguments, even required ones, and never invents
///    one.
/// 4. **If no tool is chosen** it replies [`Offline::NO_TOOL`].
///
/// ```
/// use agent_runtime::model::Offline;
/// use agent_runtime::{Agent, Conversation, Runtime, ToolLibrary};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let agent = Agent::new("quiet", "Offline/rules", "Be kind.")?;
/// let mut conversation = Conversation::new();
/// let runtime = Runtime::offline();
/// let reply = runtime.execute(&agent, "Hello!", &mut conversation, &ToolLibrary::new()).await?;
/// assert_eq!(reply.content, Offline::NO_TOOL);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Offline;

impl Offline {
    /// The answer when no tool fits the message.
    pub const NO_TOOL: &str = "I am the offline model: I only choose a tool if the message has words of its \
        name or description, and no tool fits this one.";

    /// The addition to the result of a call that lacks an argument, because the result looks like an error of the tool.
    const HINT: &str = "\nI am the offline model: I find arguments in the numbers of a message, and in its texts in double quotes.";

    /// Creates the model.
    #[must_use]
    pub const fn new() -> Self {
        Self
    }

    fn answer(request: &ModelRequest) -> ModelReply {
        let messages = &request.messages;
        let reply = match messages.last() {
            Some(last) if last.role() == Role::Function => ModelReply::text(results(messages)),
            Some(last) => Self::answer_message(last.content(), request),
            None => ModelReply::text(Self::NO_TOOL),
        };
        reply.with_usage(Usage::of_request(0, 0))
    }

    fn answer_message(message: &str, request: &ModelRequest) -> ModelReply {
        let choice = request.settings.tool_choice.as_ref();
        let tools: Vec<_> = request
            .tools_beside_search()
            .chain(&*request.deferred)
            .collect();
        let Some(tool) = choose_tool(message, &tools, choice) else {
            return ModelReply::text(Self::NO_TOOL);
        };
        let arguments = Value::Object(arguments::find(message, tool.signature()));
        // The number of messages makes the id unique in the conversation, and deterministic.
        let id = format!("offline_{}", request.messages.len());
        ModelReply::calls([ToolCall::new(id, tool.name(), arguments.to_string())])
            .with_finish_reason(FinishReason::ToolCalls)
    }
}

/// The beginning of the result of a call with invalid arguments.
const INVALID_ARGUMENTS: &str = "the arguments are not right";

/// Returns the results at the end of a history, oldest first.
fn results(messages: &[Message]) -> String {
    let start = messages
        .iter()
        .rposition(|message| message.role() != Role::Function)
        .map_or(0, |at| at + 1);
    let lines: Vec<String> = messages[start..]
        .iter()
        .map(|message| match (message.is_error(), message.name()) {
            (true, name) => {
                let name = name.unwrap_or_default();
                format!("The tool `{name}` failed: {}", message.content())
            }
            (false, _) => message.content().to_owned(),
        })
        .collect();
    let mut text = lines.join("\n");
    if lines.iter().any(|line| line.contains(INVALID_ARGUMENTS)) {
        text += Offline::HINT;
    }
    if text.trim().is_empty() {
        "Done.".to_owned()
    } else {
        text
    }
}

impl ChatModel for Offline {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        Box::pin(async move { Ok(Self::answer(request)) })
    }

    /// Reads conversations of any length.
    fn context_window(&self, _: &ModelRequest) -> Option<u64> {
        Some(u64::MAX)
    }

    fn trace_name(&self) -> &'static str {
        trace_name::OFFLINE
    }
}

/// The score of a word that is in a tool's name. A word in the description has a score of 1.
const IN_NAME: usize = 3;

/// The minimum score of a tool.
const MIN_SCORE: usize = 3;

/// Chooses the tool to call, if any.
fn choose_tool<'a>(
    message: &str,
    tools: &[&'a ToolDefinition],
    choice: Option<&ToolChoice>,
) -> Option<&'a ToolDefinition> {
    match choice {
        Some(ToolChoice::None) => None,
        Some(ToolChoice::Tool(name)) => {
            let mut tools = tools.iter().copied();
            tools.find(|tool| tool.name() == name.as_str())
        }
        Some(ToolChoice::Required) => best_tool(message, tools).or(tools.first().copied()),
        _ => best_tool(message, tools),
    }
}

/// Returns the first tool with the highest score, if it is high enough.
fn best_tool<'a>(message: &str, tools: &[&'a ToolDefinition]) -> Option<&'a ToolDefinition> {
    let mut words_of_message: HashSet<String> = words::meaningful(message).into_iter().collect();
    if arguments::find_calculation(message).is_some() {
        words_of_message.insert(words::CALCULATION.to_owned());
    }
    let mut best = None;
    for tool in tools.iter().copied() {
        let score = score(&words_of_message, tool);
        if score >= MIN_SCORE && best.is_none_or(|(highest, _)| score > highest) {
            best = Some((score, tool));
        }
    }
    best.map(|(_, tool)| tool)
}

fn score(words: &HashSet<String>, tool: &ToolDefinition) -> usize {
    let name = words::meaningful(tool.name());
    let description = words::meaningful(tool.description());
    words
        .iter()
        .map(|word| {
            if name.contains(word) {
                IN_NAME
            } else {
                usize::from(description.contains(word))
            }
        })
        .sum()
}
