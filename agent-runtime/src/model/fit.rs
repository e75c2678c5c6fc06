//! A request in the form that its model accepts: settings that do not fit the model or the format are left
//! out, with a warning.
//!
//! The checker of agents reports most of these settings before, by the same rules. The settings remain in
//! agents that are built in code, or run with another model than their own.

use super::facts::Facts;
use super::warnings::Warnings;
use super::wire_format::WireFormat;
use super::{ModelRequest, ToolDefinition};
use agent_catalog::{ReasoningEffort, StructuredOutput};
use agent_spec::__private::{Judged, Misfit, RequestForm};
use agent_spec::vocabulary::Setting;
use agent_spec::{Settings, ToolChoice};
use std::borrow::Cow;
use std::sync::Arc;

/// Returns a request in the form that its model accepts, in the format of its provider.
pub(super) fn fit<'r, F: WireFormat>(
    request: &'r ModelRequest,
    facts: &Facts,
    warnings: &mut Warnings,
) -> Cow<'r, ModelRequest> {
    let mut fitted = Cow::Borrowed(request);
    fit_answer::<F>(&mut fitted, facts);
    let settings = Arc::clone(&fitted.settings);
    let mut fitting = Fitting {
        request,
        form: F::FORM,
        has_tools: !fitted.tools.is_empty(),
        settings: Cow::Borrowed(&settings),
        facts,
        warnings,
    };
    fitting.thinking_as_effort();
    fitting.correct();
    if let Cow::Owned(settings) = fitting.settings {
        fitted.to_mut().settings = Arc::new(settings);
    }
    fitted
}

/// Keeps either the schema of a typed answer or the tool that gives the answer. A server with the Responses
/// format may get both.
fn fit_answer<F: WireFormat>(request: &mut Cow<'_, ModelRequest>, facts: &Facts) {
    let (Some(schema), Some(tool)) = (&request.answer_schema, &request.answer_tool) else {
        return;
    };
    let is_answer = |definition: &ToolDefinition| definition.name() == tool;
    let known = facts.model.structured_output;
    let is_structured = match known.or(F::STRUCTURED_OUTPUT) {
        Some(StructuredOutput::Always) => true,
        Some(StructuredOutput::WithoutTools) => request.tools.iter().all(is_answer),
        Some(_) => false,
        // A server with the Responses format gets both, because it may support the schema.
        None if F::FORM == RequestForm::Responses => return,
        None => false,
    };
    if !is_structured || F::answer_format(schema).is_none() {
        request.to_mut().answer_schema = None;
        return;
    }
    let is_demanded = request
        .settings
        .tool_choice
        .as_ref()
        .is_some_and(|choice| match choice {
            ToolChoice::Tool(name) => name.as_str() == tool,
            _ => false,
        });
    let tools: Arc<[ToolDefinition]> = request
        .tools
        .iter()
        .filter(|definition| !is_answer(definition))
        .cloned()
        .collect();
    let request = request.to_mut();
    request.tools = tools;
    if is_demanded {
        Arc::make_mut(&mut request.settings).tool_choice = None;
    }
}

struct Fitting<'r, 'f> {
    request: &'r ModelRequest,
    form: RequestForm,
    /// Whether the request has tools besides the one for the answer.
    has_tools: bool,
    settings: Cow<'r, Settings>,
    facts: &'f Facts,
    warnings: &'f mut Warnings,
}

impl Fitting<'_, '_> {
    /// Returns the name of the model for warnings.
    fn model(&self) -> String {
        let id = self.request.model.id();
        match &self.facts.assumed {
            Some(row) => format!("`{id}`, if it is like `{row}`,"),
            None => format!("`{id}`"),
        }
    }

    fn judged(&self) -> Judged<'_> {
        Judged {
            model: &self.facts.model,
            provider: self.request.model.provider(),
            form: Some(self.form),
            settings: &self.settings,
            has_tools: self.has_tools,
        }
    }

    /// Corrects the misfits, one after the other, because a corrected effort can make later settings fit.
    fn correct(&mut self) {
        let mut skipped = 0;
        while let Some(misfit) = self.judged().misfits().get(skipped).copied() {
            if !self.correct_one(misfit) {
                skipped += 1;
            }
        }
    }

    /// Removes or replaces a setting that does not fit. Returns `false` if the misfit cannot be corrected.
    fn correct_one(&mut self, misfit: Misfit) -> bool {
        let (model, id) = (self.model(), self.request.model.id());
        let why = match misfit {
            Misfit::Thinking => match self.settings.thinking {
                Some(true) => format!("{model} does not think"),
                _ => format!("{model} always thinks"),
            },
            Misfit::Effort(effort) => {
                let efforts = self.judged().efforts().unwrap_or_default();
                let Some(nearest) = effort.nearest(efforts) else {
                    return self.leave_out(Setting::ReasoningEffort, format!("{model} takes none"));
                };
                let text = format!(
                    "`reasoningEffort` was sent as \"{nearest}\": {model} has no \"{effort}\""
                );
                self.settings.to_mut().reasoning_effort = Some(nearest);
                return self.warn(Setting::ReasoningEffort, text);
            }
            Misfit::ToolsOfChat => return false,
            Misfit::ToolsWhileThinking => {
                let none = ReasoningEffort::None;
                let efforts = self.judged().efforts();
                if efforts.is_some_and(|efforts| !efforts.contains(&none)) {
                    return false;
                }
                let text = format!(
                    "`reasoningEffort` was sent as \"none\": in chat completions, {model} takes tools only if it does \
                     not think; `OpenAI/{id}` does both"
                );
                self.settings.to_mut().reasoning_effort = Some(none);
                return self.warn(Setting::ReasoningEffort, text);
            }
            Misfit::Budget => format!("{model} decides itself how long it thinks"),
            Misfit::NothingToLimit => "`thinking` is false".to_owned(),
            Misfit::Refused(_) => format!("{model} refuses it"),
            Misfit::WhileThinking(_) => format!("{model} refuses it while it thinks"),
            Misfit::Ignored(_) => format!("{model} ignores it"),
            Misfit::BesideBudget(_) => format!("{model} refuses it beside `thinkingBudget`"),
            Misfit::TopPBesideTemperature => {
                format!("{model} takes either it or `temperature`")
            }
            Misfit::ForcedCall => format!("{model} refuses a choice that demands a call"),
            Misfit::MaxTokens(most) => {
                let most = u32::try_from(most).unwrap_or(u32::MAX);
                let text = format!("`maxTokens` was sent as {most}: {model} writes no more");
                self.settings.to_mut().max_tokens = Some(most);
                return self.warn(Setting::MaxTokens, text);
            }
            Misfit::MemberOfChat(member) => {
                let text = format!(
                    "`{member}` of `extra` was not sent: Responses of OpenAI do not have it; `OpenAIChat/{id}` does"
                );
                self.settings.to_mut().extra.remove(member);
                return self.warn(Setting::Extra, text);
            }
            Misfit::NoMember(_) => {
                let format = match self.form {
                    RequestForm::Chat => "OpenAI",
                    RequestForm::Responses => "Responses of OpenAI",
                    RequestForm::Anthropic => "Anthropic",
                    RequestForm::Google => "Google",
                    RequestForm::Ollama => "Ollama",
                };
                format!("{format} has no such setting")
            }
        };
        match misfit.setting() {
            Some(setting) => self.leave_out(setting, why),
            None => false,
        }
    }

    fn leave_out(&mut self, setting: Setting, why: String) -> bool {
        self.settings.to_mut().unset(setting);
        self.warnings.not_sent(setting, why);
        true
    }

    fn warn(&mut self, setting: Setting, text: String) -> bool {
        self.warnings.changed(setting, text);
        true
    }

    /// Replaces `thinking` by an effort for OpenAI, which has no such setting.
    fn thinking_as_effort(&mut self) {
        let row = &self.facts.model;
        let Some(thinks) = self.settings.thinking else {
            return;
        };
        if self.form.api().is_none() || row.refuses_thinking(thinks) {
            return;
        }
        let efforts = row.efforts.as_deref().unwrap_or_default();
        let settings = self.settings.to_mut();
        settings.thinking = None;
        if thinks && row.default_effort == Some(ReasoningEffort::None) {
            settings
                .reasoning_effort
                .get_or_insert(ReasoningEffort::Medium);
        } else if !thinks && efforts.contains(&ReasoningEffort::None) {
            settings.reasoning_effort = Some(ReasoningEffort::None);
        } else if row.thinking.is_none() {
            let why = format!("it is not known how {} is told", self.model());
            self.warnings.not_sent(Setting::Thinking, why);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::model::WIRE_BODIES;
    use agent_core::conversation::Message;
    use agent_core::model::{ModelRequest, ToolDefinition};
    use agent_spec::schema::Schema;
    use agent_spec::{AgentPattern, Model, Settings, ToolSpec};
    use serde_json::{Value, json};

    fn tool(name: &str) -> ToolDefinition {
        let spec = ToolSpec::new(name.to_owned(), "Does it", "(a::Text)==>(::String)");
        ToolDefinition::new(&spec.expect("a spec"))
    }

    fn settings(text: &str) -> Settings {
        let gram = format!(
            "[a:Agent {{instruction: \"i\", model: \"Offline/m\", {text}}} | \
             [greet:Tool {{description: \"Greets\"}} | ()==>(::String)]]"
        );
        let agent = AgentPattern::parse(&gram).expect("an agent");
        agent.to_agent().expect("an agent").settings().clone()
    }

    /// Returns the body of a request in a format, to the vendor.
    fn body(format: &str, request: &ModelRequest) -> Value {
        let (_, write) = WIRE_BODIES
            .iter()
            .find(|(name, _)| *name == format)
            .expect("a format");
        write(request, None)
    }

    fn schema() -> Schema {
        let signature = agent_spec::parse_signature("(greeting::Text)==>(::Null)");
        signature.expect("a signature").schema()
    }

    /// Each row has a format, a model, whether there is a tool beside the one for the answer, and where the schema is.
    #[test]
    fn a_typed_answer_is_asked_for_by_the_schema_or_by_the_tool() {
        for (format, model, has_tool, pointer) in [
            (
                "OpenAIResponses",
                "OpenAI/gpt-6-luna",
                true,
                Some("/text/format/schema"),
            ),
            (
                "OpenAIResponses",
                "OpenAI/gpt-4o-mini",
                false,
                Some("/text/format/schema"),
            ),
            ("OpenAI", "OpenAIChat/gpt-4o-mini", true, None),
            (
                "Anthropic",
                "Anthropic/claude-opus-5-5",
                true,
                Some("/output_config/format/schema"),
            ),
            ("Anthropic", "Anthropic/unheard-of", true, None),
            (
                "Google",
                "Google/gemini-3.8-flash",
                true,
                Some("/generationConfig/responseJsonSchema"),
            ),
            ("Google", "Google/gemini-2.5-flash", true, None),
            (
                "Google",
                "Google/gemini-2.5-flash",
                false,
                Some("/generationConfig/responseJsonSchema"),
            ),
            ("Ollama", "Ollama/qwen3", true, None),
            ("Ollama", "Ollama/qwen3", false, Some("/format")),
        ] {
            let model = Model::parse(model).expect("a model");
            let others = has_tool.then(|| tool("greet"));
            let tools: Vec<_> = others.into_iter().chain([tool("finalAnswer")]).collect();
            let mut request =
                ModelRequest::new(model, "Help.", vec![Message::user("Hi")]).with_tools(tools);
            request.answer_schema = Some(schema());
            request.answer_tool = Some("finalAnswer".to_owned());
            let sent = body(format, &request);
            let name = request.model.to_string();
            match pointer {
                Some(pointer) => {
                    assert_eq!(
                        sent.pointer(pointer).map(|schema| &schema["type"]),
                        Some(&json!("object")),
                        "{name} {sent}"
                    );
                    assert!(!sent.to_string().contains("finalAnswer"), "{name} {sent}");
                }
                None => assert!(sent.to_string().contains("finalAnswer"), "{name} {sent}"),
            }
            assert_eq!(
                sent.to_string().contains("greet\""),
                has_tool,
                "{name} {sent}"
            );
        }
    }

    /// Each row has a format, a model, settings, a pointer, and what is there.
    #[test]
    fn settings_are_sent_as_the_model_takes_them() {
        let none = Value::Null;
        for (format, model, text, pointer, expected) in [
            (
                "OpenAIResponses",
                "OpenAI/gpt-6-luna",
                "temperature: 0.5",
                "/temperature",
                none.clone(),
            ),
            (
                "OpenAIResponses",
                "OpenAI/gpt-6-luna",
                "temperature: 0.5, reasoningEffort: \"none\"",
                "/temperature",
                json!(0.5),
            ),
            (
                "OpenAIResponses",
                "OpenAI/gpt-6-luna",
                "temperature: 0.5, thinking: false",
                "/temperature",
                json!(0.5),
            ),
            (
                "OpenAIResponses",
                "OpenAI/gpt-6-luna",
                "thinking: false",
                "/reasoning/effort",
                json!("none"),
            ),
            (
                "OpenAIResponses",
                "OpenAI/gpt-5.4",
                "thinking: true",
                "/reasoning/effort",
                json!("medium"),
            ),
            (
                "OpenAIResponses",
                "OpenAI/gpt-6-astra",
                "reasoningEffort: \"none\"",
                "/reasoning/effort",
                json!("low"),
            ),
            (
                "OpenAIResponses",
                "OpenAI/gpt-6-astra",
                "thinking: false",
                "/reasoning",
                none.clone(),
            ),
            (
                "OpenAIResponses",
                "OpenAI/gpt-6-luna",
                "extra: {n: 1, x: 2}",
                "/n",
                none.clone(),
            ),
            (
                "OpenAIResponses",
                "OpenAI/gpt-6-luna",
                "extra: {n: 1, x: 2}",
                "/x",
                json!(2),
            ),
            (
                "OpenAIResponses",
                "OpenAIResponses/gpt-6-luna",
                "extra: {n: 1}",
                "/n",
                json!(1),
            ),
            (
                "OpenAIResponses",
                "OpenAI/gpt-6-luna",
                "maxTokens: 200000",
                "/max_output_tokens",
                json!(128_000),
            ),
            (
                "OpenAI",
                "OpenAIChat/gpt-5.6-luna",
                "reasoningEffort: \"max\"",
                "/reasoning_effort",
                json!("none"),
            ),
            (
                "OpenAI",
                "OpenAIChat/gpt-6-luna",
                "stop: [\"a\"]",
                "/stop",
                none.clone(),
            ),
            (
                "Anthropic",
                "Anthropic/claude-opus-5-5",
                "toolChoice: \"required\"",
                "/tool_choice",
                none.clone(),
            ),
            (
                "Anthropic",
                "Anthropic/claude-opus-5-5",
                "seed: 1",
                "/thinking/display",
                json!("summarized"),
            ),
            (
                "Anthropic",
                "Anthropic/claude-opus-5",
                "thinking: false",
                "/thinking/type",
                json!("disabled"),
            ),
            (
                "Anthropic",
                "Anthropic/claude-opus-5-5",
                "thinking: false",
                "/thinking/type",
                json!("adaptive"),
            ),
            (
                "Anthropic",
                "Anthropic/claude-opus-4-8",
                "thinking: true",
                "/thinking/type",
                json!("adaptive"),
            ),
            (
                "Anthropic",
                "Anthropic/claude-haiku-4-5",
                "thinking: true",
                "/thinking/budget_tokens",
                json!(4096),
            ),
            (
                "Anthropic",
                "Anthropic/claude-opus-5",
                "thinking: false, reasoningEffort: \"max\"",
                "/output_config/effort",
                json!("high"),
            ),
            (
                "Anthropic",
                "Anthropic/claude-haiku-4-5",
                "temperature: 0.5",
                "/temperature",
                json!(0.5),
            ),
            (
                "Anthropic",
                "Anthropic/claude-haiku-4-5",
                "temperature: 0.5, topP: 0.5",
                "/top_p",
                none.clone(),
            ),
            (
                "Anthropic",
                "Anthropic/claude-opus-5-5",
                "temperature: 0.5",
                "/temperature",
                none.clone(),
            ),
            (
                "Anthropic",
                "Anthropic/claude-opus-5-5",
                "thinkingBudget: 2000",
                "/thinking/budget_tokens",
                none.clone(),
            ),
            (
                "Google",
                "Google/gemini-4-hydrogen",
                "reasoningEffort: \"max\"",
                "/generationConfig/thinkingConfig/thinkingLevel",
                json!("XHIGH"),
            ),
            (
                "Google",
                "Google/gemini-2.5-flash",
                "thinking: false",
                "/generationConfig/thinkingConfig/thinkingBudget",
                json!(0),
            ),
            (
                "Google",
                "Google/gemini-3.8-flash",
                "temperature: 0.5",
                "/generationConfig/temperature",
                none.clone(),
            ),
            (
                "Anthropic",
                "Anthropic/claude-haiku-4-5",
                "thinking: false, thinkingBudget: 2000",
                "/thinking/type",
                json!("disabled"),
            ),
            (
                "Google",
                "Google/gemini-2.5-flash",
                "thinking: false, thinkingBudget: 2000",
                "/generationConfig/thinkingConfig/thinkingBudget",
                json!(0),
            ),
            (
                "Ollama",
                "Ollama/qwen3",
                "thinking: true",
                "/think",
                json!(true),
            ),
        ] {
            let id = model;
            let model = Model::parse(model).expect("a model");
            let request = ModelRequest::new(model, "Help.", vec![Message::user("Hi")])
                .with_tools([tool("greet")])
                .with_settings(settings(text));
            let sent = body(format, &request);
            let found = sent.pointer(pointer).cloned().unwrap_or_default();
            assert_eq!(found, expected, "{id} {text}: {sent}");
        }
    }
}
