//! A model without a network: rules that choose tools by the words of a message.

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

/// A deterministic model that needs no key and no network. The same request always gets the same
/// answer, by these rules:
///
/// 1. **After results it answers with them**: the results of the last turn, one a line; a call that
///    failed gives ``The tool `name` failed: …``.
/// 2. **Otherwise it looks for a tool** among those of the request, by the words of the last
///    message. A word counts three for a tool whose name holds it (`sayHello` holds `say` and
///    `hello`) and one for a tool whose description does. Words that say nothing, such as `the` or
///    `say`, do not count; greetings (`hi`, `hey`, `greet`, …) are one word, and so are farewells
///    (`bye`, `farewell`, …) and words for reckoning (`calculate`, `math`, …, and any `2 + 3`). A
///    tool needs three to be chosen; the highest count wins, and of equal ones the first. A tool
///    choice of the agent goes before the words: a tool that is named is called, and when a call is
///    required and none fits, the first.
/// 3. **It calls the tool with what the message holds**: a text that the parameter enumerates; a
///    person's name (after "I'm", "I am", "my name is", "call me" or "to", else the first
///    capitalised word that begins no sentence) for a text parameter named like one (`name`,
///    `personName`, `user`, …); a sum such as `2 + 3` for one named `expression`; texts in quotes
///    for other text parameters and numbers for number parameters, in order. What it does not find
///    it leaves out, required or not: it never invents anything.
/// 4. **When no tool fits** it says [`Offline::NO_TOOL`].
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
    /// What it says when no tool fits the message.
    pub const NO_TOOL: &str = "I am the offline model: I only choose tools by the words of a \
                               message, and no tool fits this one.";

    /// The model; it holds nothing.
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
        let Some(tool) = choose_tool(message, &request.tools, choice) else {
            return ModelReply::text(Self::NO_TOOL);
        };
        let arguments = Value::Object(arguments::of(message, tool.signature()));
        // Counting the messages makes the id new in the conversation, and always the same.
        let id = format!("offline_{}", request.messages.len());
        ModelReply::calls([ToolCall::new(id, tool.name(), arguments.to_string())])
            .with_finish_reason(FinishReason::ToolCalls)
    }
}

/// The results that end a history, oldest first.
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
    let text = lines.join("\n");
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

    fn trace_name(&self) -> &'static str {
        trace_name::OFFLINE
    }
}

/// What a word counts for a tool whose name holds it.
const IN_NAME: usize = 3;

/// What a tool needs to be chosen.
const ENOUGH: usize = 3;

/// The tool to call, if one is to be called.
fn choose_tool<'a>(
    message: &str,
    tools: &'a [ToolDefinition],
    choice: Option<&ToolChoice>,
) -> Option<&'a ToolDefinition> {
    match choice {
        Some(ToolChoice::None) => None,
        Some(ToolChoice::Tool(name)) => tools.iter().find(|tool| tool.name() == name.as_str()),
        Some(ToolChoice::Required) => fitting(message, tools).or(tools.first()),
        _ => fitting(message, tools),
    }
}

/// The tool that a message is about, if there is one.
fn fitting<'a>(message: &str, tools: &'a [ToolDefinition]) -> Option<&'a ToolDefinition> {
    let mut said: HashSet<String> = words::of(message).into_iter().collect();
    if arguments::sum(message).is_some() {
        said.insert(words::RECKONING.to_owned());
    }
    let mut best = None;
    for tool in tools {
        let count = count(&said, tool);
        if count >= ENOUGH && best.is_none_or(|(most, _)| count > most) {
            best = Some((count, tool));
        }
    }
    best.map(|(_, tool)| tool)
}

fn count(said: &HashSet<String>, tool: &ToolDefinition) -> usize {
    let name = words::of(tool.name());
    let description = words::of(tool.description());
    said.iter()
        .map(|word| {
            if name.contains(word) {
                IN_NAME
            } else {
                usize::from(description.contains(word))
            }
        })
        .sum()
}
