//! Requests to Anthropic.

use super::answer_format;
use super::bound_thoughts::BoundThoughts;
use super::cache_marks::CacheMarks;
use super::response;
use super::turn::{ASSISTANT, has_kind, is_thought, text_at};
use crate::model::http::span::record_removed_reasoning;
use crate::model::warnings::Warnings;
use crate::model::wire::{
    LaterMedia, Object, Turn, USER, WireIds, add_turn, answer_text, arguments_object, base64_mark,
    document_text, finish_body, is_blank, kind, labelled_media, member_mut, ordered, set, thoughts,
    wire_name,
};
use crate::model::wire_format::Target;
use agent_catalog::{ModelRow, Temperature, ThinkingType};
use agent_core::conversation::{Media, Message, Part, Role, ToolCall};
use agent_core::model::{ModelRequest, ToolDefinition};
use agent_spec::__private::RequestForm;
use agent_spec::json::Ordered;
use agent_spec::vocabulary::Setting;
use agent_spec::{ReasoningEffort, Settings, ToolChoice};
use agent_tool::Error;

/// The maximum number of tokens of an answer if the agent sets none, because Anthropic requires one. It is
/// within the limits of all models, and leaves room for thoughts.
const DEFAULT_TOKENS: u32 = 8192;

/// The budget of thinking for older models with `thinking: true`.
const BUDGET: u32 = 4096;

/// The least budget of thinking, in tokens.
const LEAST_BUDGET: u32 = 1024;

/// Writes the body of a request. Members keep their order, and so do the properties of the tools' schemas,
/// because models read them from top to bottom. Also returns the hash of the conversation, for a model whose thoughts
/// are bound to it.
///
/// # Errors
/// Configuration when `extra` has a member that the body has already.
pub(super) fn body(
    request: &ModelRequest,
    target: Target<'_>,
    streamed: bool,
    bound: &BoundThoughts,
    warnings: &mut Warnings,
) -> Result<(String, Option<u64>), Error> {
    let (is_vendor, facts) = (target.endpoint.is_vendor, &target.facts.model);
    let settings = &request.settings;
    let marks = CacheMarks::new(settings.cache.unwrap_or_default(), is_vendor);
    let mut body = Object::default();
    body.text("model", request.model.id());
    let searches = is_vendor && !request.deferred.is_empty() && facts.tool_search == Some(true);
    let mut turns = turns(request, searches);
    let mut tools: Vec<Ordered> = match searches {
        true => search_tool_and(request.tools_beside_search()),
        false => request.tools.iter().map(tool).collect(),
    };
    let conversation = (facts.bound_thoughts == Some(true)).then(|| {
        let (conversation, removed) = bound.fit(&request.instruction, &tools, &mut turns);
        if removed {
            record_removed_reasoning("prefix_mismatch");
        }
        conversation
    });
    let budget = thinking_budget(settings, facts, warnings).filter(|_| may_think(&turns));
    let max_tokens = settings
        .max_tokens
        .unwrap_or(DEFAULT_TOKENS.saturating_add(budget.unwrap_or(0)));
    body.add("max_tokens", Ordered::Integer(max_tokens.into()));
    if let Some(thinking) = thinking(settings, facts, budget) {
        body.add("thinking", thinking.into_value());
    }
    let has_instruction = !is_blank(&request.instruction);
    if has_instruction {
        body.add("system", marks.instruction(&request.instruction));
    }
    marks.mark_turns(&mut turns);
    body.list(
        "messages",
        turns.into_iter().map(|turn| turn.into_value("content")),
    );
    if !tools.is_empty() {
        if !has_instruction {
            marks.mark_tools(&mut tools);
        }
        if searches {
            // Deferred tools have no mark, because Anthropic rejects it, and follow everything that the cache
            // holds.
            tools.extend(request.deferred.iter().map(deferred));
        }
        body.add("tools", Ordered::Array(tools));
        if let Some(choice) = &settings.tool_choice {
            body.add("tool_choice", tool_choice(choice));
        }
    }
    let takes_sampling = facts.temperature == Some(Temperature::Always) && budget.is_none();
    if !takes_sampling {
        let set = Setting::SAMPLING
            .into_iter()
            .filter(|setting| settings.get(*setting).is_some());
        set.for_each(|setting| warnings.unsupported(setting, "Anthropic"));
    }
    let member = |setting| member(setting, takes_sampling);
    body.settings(settings, member);
    let mut config = Object::default();
    if let Some(level) = settings.reasoning_effort {
        config.text("effort", effort(level, settings, warnings));
    }
    let schema = request.answer_schema.as_ref();
    if let Some(format) = schema.and_then(answer_format::format) {
        config.add("format", format);
    }
    if !config.is_empty() {
        body.add("output_config", config.into_value());
    }
    if let Some(mark) = marks.of_request() {
        body.add("cache_control", mark);
    }
    if streamed {
        body.add("stream", Ordered::Bool(true));
    }
    Ok((finish_body(body, request, member)?, conversation))
}

/// Returns the budget of thinking of a request. `None` if the request demands a call, because Anthropic
/// rejects a budget together with a demanded call, or if `maxTokens` leaves no room for thoughts.
fn thinking_budget(settings: &Settings, facts: &ModelRow, warnings: &mut Warnings) -> Option<u32> {
    let (setting, budget) = match (settings.thinking_budget, settings.thinking) {
        (Some(budget), _) => (Setting::ThinkingBudget, budget),
        // Older models think only with a budget.
        (None, Some(true)) if facts.refuses_type(ThinkingType::Adaptive) => {
            let most = settings.max_tokens.map_or(BUDGET, |most| most / 2);
            (Setting::Thinking, most.min(BUDGET))
        }
        _ => return None,
    };
    let choice = settings.tool_choice.as_ref();
    let why = if choice.is_some_and(ToolChoice::is_forced) {
        "Anthropic refuses it together with a `toolChoice` that demands a call"
    } else if budget < LEAST_BUDGET {
        "`maxTokens` leaves no room for thoughts"
    } else {
        return Some(budget);
    };
    warnings.not_sent(setting, why);
    None
}

/// Returns the member that sets whether and how the model thinks.
fn thinking(settings: &Settings, facts: &ModelRow, budget: Option<u32>) -> Option<Object> {
    let of_type = |word: &str| Object::default().with_text("type", word);
    Some(match (budget, settings.thinking) {
        (Some(budget), _) => {
            of_type("enabled").with("budget_tokens", Ordered::Integer(budget.into()))
        }
        (None, Some(false)) => of_type("disabled"),
        // Without this member, Anthropic leaves out the text between two calls, and a stream sends nothing in
        // that time.
        (None, _)
            if facts.hides_text == Some(true) && !facts.refuses_type(ThinkingType::Adaptive) =>
        {
            of_type("adaptive").with_text("display", "summarized")
        }
        (None, Some(true)) if !facts.refuses_type(ThinkingType::Adaptive) => of_type("adaptive"),
        _ => return None,
    })
}

/// Whether a request may have a budget of thinking. Between calls, Anthropic rejects a budget unless the answer that
/// made the calls begins with a thought. The first answer of a turn has none if it had to be a call, if another
/// provider wrote it, or if its thoughts were refused.
fn may_think(turns: &[Turn]) -> bool {
    let [.., answer, results] = turns else {
        return true;
    };
    let is_between_calls =
        (results.parts.first()).is_some_and(|block| has_kind(block, &["tool_result"]));
    !is_between_calls || answer.parts.first().is_some_and(is_thought)
}

/// Checks that Anthropic accepts the agent's budget of thinking.
///
/// # Errors
/// Configuration, which names the settings.
pub(super) fn check_thinking_budget(settings: &Settings) -> Result<(), Error> {
    let Some(budget) = settings.thinking_budget else {
        return Ok(());
    };
    if budget < LEAST_BUDGET {
        return Err(Error::configuration(format!(
            "`thinkingBudget` is {budget}; Anthropic accepts {LEAST_BUDGET} or more"
        )));
    }
    match settings.max_tokens {
        Some(most) if most <= budget => Err(Error::configuration(format!(
            "`thinkingBudget` is {budget} and `maxTokens` is {most}; for Anthropic, `maxTokens` includes the thoughts \
             and must be greater than `thinkingBudget`"
        ))),
        _ => Ok(()),
    }
}

/// Returns the member for a setting. Only older models have a temperature and `topP`, and only without a budget of
/// thinking.
fn member(setting: Setting, takes_sampling: bool) -> Option<&'static str> {
    match setting {
        // Each request has it, also without the setting.
        Setting::MaxTokens => None,
        setting if !takes_sampling && Setting::SAMPLING.contains(&setting) => None,
        setting => RequestForm::Anthropic.member(setting),
    }
}

/// Writes the history as turns: the roles alternate, and the user begins. Results of calls are blocks of the
/// user, at the start of a turn because they follow the calls.
fn turns(request: &ModelRequest, searches: bool) -> Vec<Turn> {
    let mut ids = WireIds::default();
    let mut turns: Vec<Turn> = Vec::new();
    let mut later = LaterMedia::default();
    let mut add = |role, blocks| add_turn(&mut turns, role, blocks, text);
    for message in &request.messages {
        add(
            USER,
            labelled_media(later.take_before(Some(message)), block),
        );
        let (role, blocks) = match message.role() {
            Role::Function => (USER, vec![result(message, &mut ids)]),
            Role::Assistant => {
                let mut blocks = answer(message, &mut ids);
                keep_searches(&mut blocks, request, searches);
                (ASSISTANT, blocks)
            }
            Role::User => (USER, blocks(message)),
        };
        add(role, blocks);
        if role == ASSISTANT {
            later.add(message);
        }
    }
    add(USER, labelled_media(later.take_before(None), block));
    turns
}

/// Writes an answer of the model: its kept blocks if there are any, else its text and then its calls.
fn answer<'a>(message: &'a Message, ids: &mut WireIds<'a>) -> Vec<Ordered> {
    let mut calls = message.tool_calls().iter().map(|call| tool_use(call, ids));
    let Some(kept) = response::blocks_of(message) else {
        // The media follow later.
        let texts = match message.media().next() {
            Some(_) => text(&answer_text(message)).into_iter().collect(),
            None => blocks(message),
        };
        return texts.into_iter().chain(calls).collect();
    };
    let mut texts = message.parts().iter().filter_map(Part::as_text);
    let mut thoughts = thoughts(message, response::PROVIDER);
    let mut written = Vec::with_capacity(kept.len());
    for block in kept {
        let mark = match kind(block) {
            "tool_use" => {
                if let Some(mut call) = calls.next() {
                    // If a program of the server made the call, the caller is the server's tool that runs the
                    // program.
                    if let Some(caller) = block.get(response::CALLER) {
                        set(&mut call, response::CALLER, ordered(caller));
                    }
                    written.push(call);
                }
                continue;
            }
            "text" => "text",
            "thinking" => "thinking",
            _ => "",
        };
        if mark.is_empty() || block.get(mark).is_some() {
            written.push(ordered(block));
            continue;
        }
        let said = match mark {
            "text" => texts.next(),
            _ => thoughts.next().filter(|_| block.get("signature").is_some()),
        };
        if let Some(said) = said.filter(|said| !is_blank(said)) {
            let mut block = ordered(block);
            set(&mut block, mark, Ordered::text(said.to_owned()));
            written.push(block);
        }
    }
    // Anthropic rejects an answer that ends with a thought, such as one that was cut off after it.
    while written.last().is_some_and(is_thought) {
        written.pop();
    }
    written
}

/// Writes the texts and the media of a message as blocks.
fn blocks(message: &Message) -> Vec<Ordered> {
    message.parts().iter().filter_map(block).collect()
}

fn block(part: &Part) -> Option<Ordered> {
    let (kind, media): (_, &Media) = match part {
        Part::Text(content) => return text(content),
        Part::Image(image) => ("image", image),
        Part::Document(document) => ("document", document),
        // Anthropic accepts no audio, which the media rules check before.
        _ => return None,
    };
    let source = Object::default();
    let source = if let Some(url) = media.url() {
        source.with_text("type", "url").with_text("url", url)
    } else if let Some((_, id)) = media.file_id() {
        source.with_text("type", "file").with_text("file_id", id)
    } else if let Some(content) = document_text(media) {
        source
            .with_text("type", "text")
            .with_text("media_type", "text/plain")
            .with_text("data", content)
    } else {
        source
            .with_text("type", "base64")
            .with_text("media_type", media.media_type().unwrap_or_default())
            .with_text("data", base64_mark(media)?)
    };
    let mut block = Object::default()
        .with_text("type", kind)
        .with("source", source.into_value());
    if let (Part::Document(_), Some(name)) = (part, media.name()) {
        block.text("title", name);
    }
    Some(block.into_value())
}

/// Writes a text block; none for a blank text, because Anthropic rejects blank blocks.
fn text(text: &str) -> Option<Ordered> {
    let block = || Object::default().with_text("type", "text");
    (!is_blank(text)).then(|| block().with_text("text", text).into_value())
}

fn tool_use<'a>(call: &'a ToolCall, ids: &mut WireIds<'a>) -> Ordered {
    Object::default()
        .with_text("type", "tool_use")
        .with_text("id", ids.call(call.id()))
        .with_text("name", wire_name(call.tool()))
        .with("input", arguments_object(call))
        .into_value()
}

fn result<'a>(message: &'a Message, ids: &mut WireIds<'a>) -> Ordered {
    let id = message.call_id().unwrap_or_default();
    let mut block = Object::default()
        .with_text("type", "tool_result")
        .with_text("tool_use_id", ids.result(id));
    let content = message.content();
    if message.parts().len() > 1 || message.media().next().is_some() {
        let blocks = blocks(message);
        if !blocks.is_empty() {
            block.list("content", blocks);
        } else if message.is_error() {
            block.text("content", "Error");
        }
    } else if !is_blank(content) {
        block.text("content", content);
    } else if message.is_error() {
        // Anthropic rejects a failure without content.
        block.text("content", "Error");
    }
    if message.is_error() {
        block.add("is_error", Ordered::Bool(true));
    }
    block.into_value()
}

fn tool(tool: &ToolDefinition) -> Ordered {
    Object::default()
        .with_text("name", tool.name())
        .with_text("description", tool.description())
        .with("input_schema", tool.schema().to_ordered())
        .into_value()
}

/// Writes a tool that the model gets only after its search has found the tool.
fn deferred(definition: &ToolDefinition) -> Ordered {
    let mut written = tool(definition);
    set(&mut written, "defer_loading", Ordered::Bool(true));
    written
}

/// The search of Anthropic, for queries in words.
const SEARCH: &str = "tool_search_tool_bm25";

/// Writes the tool that searches for the deferred tools, and the tools beside it.
fn search_tool_and<'t>(tools: impl Iterator<Item = &'t ToolDefinition>) -> Vec<Ordered> {
    let search = Object::default()
        .with_text("type", "tool_search_tool_bm25_20251119")
        .with_text("name", SEARCH);
    let mut written = vec![search.into_value()];
    written.extend(tools.map(tool));
    written
}

/// Removes the searches of an answer if Anthropic searches no tools in this request. Otherwise removes the
/// references to tools that the request no longer has, because Anthropic rejects such references. Neither
/// happens while a conversation continues with the same agent and model.
fn keep_searches(blocks: &mut Vec<Ordered>, request: &ModelRequest, searches: bool) {
    blocks.retain_mut(|block| {
        let is_result = has_kind(block, &["tool_search_tool_result"]);
        let is_call = has_kind(block, &["server_tool_use"]);
        let is_call = is_call && text_at(block, "name").starts_with("tool_search_tool");
        if is_result && searches {
            keep_references(block, request);
        }
        searches || !(is_result || is_call)
    });
}

/// Removes the references to tools that a request does not have from a result of a search.
fn keep_references(result: &mut Ordered, request: &ModelRequest) {
    let Some(content) = member_mut(result, "content") else {
        return;
    };
    if let Some(Ordered::Array(references)) = member_mut(content, "tool_references") {
        references.retain(|reference| {
            let name = text_at(reference, "tool_name");
            let mut tools = request.tools_beside_search().chain(&*request.deferred);
            tools.any(|tool| tool.name() == name)
        });
    }
}

fn tool_choice(choice: &ToolChoice) -> Ordered {
    let word = match choice {
        ToolChoice::Required => "any",
        ToolChoice::Tool(_) => "tool",
        ToolChoice::None => "none",
        _ => "auto",
    };
    let mut json = Object::default().with_text("type", word);
    if let ToolChoice::Tool(name) = choice {
        json.text("name", name.as_str());
    }
    json.into_value()
}

/// Returns an effort that Anthropic accepts: at least `low`, and without thinking at most `high`.
fn effort(effort: ReasoningEffort, settings: &Settings, warnings: &mut Warnings) -> &'static str {
    let sent = match settings.thinking {
        Some(false) => effort.min(ReasoningEffort::High),
        _ => effort,
    };
    if sent != effort {
        let text = "`reasoningEffort` was sent as \"high\": Anthropic has no more without thinking";
        warnings.changed(Setting::ReasoningEffort, text.to_owned());
    }
    sent.max(ReasoningEffort::Low).as_str()
}
