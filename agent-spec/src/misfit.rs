//! The settings that a model, or the wire format of its provider, does not accept.
//!
//! The check of documents reports these settings, and the runtime leaves them out of requests. When a rule is
//! added here, the compiler reports the two places that need a text for the rule.

use crate::settings::{ReasoningEffort, Settings, ToolChoice};
use crate::vocabulary::{MEMBERS, Setting};
use agent_catalog::{
    Api, CHAT_MEMBERS, ChatTools, ForcedCalls, ModelRow, Temperature, ThinkingType,
};

/// The form in which a request is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestForm {
    /// OpenAI's chat completions.
    Chat,
    /// OpenAI's Responses.
    Responses,
    /// Anthropic's messages.
    Anthropic,
    /// Google's contents.
    Google,
    /// Ollama's chat.
    Ollama,
}

impl RequestForm {
    /// The interface of OpenAI, for its two forms.
    #[must_use]
    pub fn api(self) -> Option<Api> {
        match self {
            Self::Chat => Some(Api::Chat),
            Self::Responses => Some(Api::Responses),
            _ => None,
        }
    }

    /// Returns the member of a request that has a setting as it is. `None` if the form does not have the setting, or writes it
    /// in another way.
    #[must_use]
    pub fn member(self, setting: Setting) -> Option<&'static str> {
        let (_, members) = MEMBERS.iter().find(|(known, _)| *known == setting)?;
        members[self as usize]
    }

    /// Whether the form has no member for a setting.
    fn lacks(self, setting: Setting) -> bool {
        match setting {
            Setting::ThinkingBudget => {
                matches!(self, Self::Chat | Self::Responses | Self::Ollama)
            }
            Setting::Cache => matches!(self, Self::Google | Self::Ollama),
            _ => {
                let is_known = MEMBERS.iter().any(|(known, _)| *known == setting);
                is_known && self.member(setting).is_none()
            }
        }
    }
}

/// The parts of a request to a model that the rules check.
#[derive(Clone, Copy, Debug)]
pub struct Judged<'a> {
    /// The facts about the model.
    pub model: &'a ModelRow,
    /// The provider that the agent names.
    pub provider: &'a str,
    /// The form of the request. `None` if the provider is unknown.
    pub form: Option<RequestForm>,
    /// The settings of the agent.
    pub settings: &'a Settings,
    /// Whether the request has tools.
    pub has_tools: bool,
}

/// A setting or another part of an agent that its model, or the form of its requests, does not accept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// The model refuses `thinking` with the value of the agent.
    Thinking,
    /// The model does not have this effort.
    Effort(ReasoningEffort),
    /// In chat completions, the model accepts no tools.
    ToolsOfChat,
    /// In chat completions, the model accepts tools only if it does not think.
    ToolsWhileThinking,
    /// The model refuses `thinkingBudget`.
    Budget,
    /// `thinking: false` leaves nothing for `thinkingBudget` to limit.
    NothingToLimit,
    /// The model refuses this setting: `temperature`, `topP` or `stop`.
    Refused(Setting),
    /// The model refuses `temperature` or `topP` while it thinks.
    WhileThinking(Setting),
    /// The model ignores `temperature` or `topP`.
    Ignored(Setting),
    /// The model refuses `temperature` or `topP` beside `thinkingBudget`.
    BesideBudget(Setting),
    /// The model refuses `topP` beside `temperature`.
    TopPBesideTemperature,
    /// The model refuses a `toolChoice` that demands a call.
    ForcedCall,
    /// The model writes at most this number of tokens, and `maxTokens` is greater.
    MaxTokens(u64),
    /// Responses do not have this member of `extra`, which chat completions have.
    MemberOfChat(&'static str),
    /// The form of the request has no member for this setting.
    NoMember(Setting),
}

impl Misfit {
    /// The setting. `None` for the model itself.
    #[must_use]
    pub fn setting(self) -> Option<Setting> {
        Some(match self {
            Self::Thinking => Setting::Thinking,
            Self::Effort(_) => Setting::ReasoningEffort,
            Self::ToolsOfChat | Self::ToolsWhileThinking => return None,
            Self::Budget | Self::NothingToLimit => Setting::ThinkingBudget,
            Self::Refused(setting)
            | Self::WhileThinking(setting)
            | Self::Ignored(setting)
            | Self::BesideBudget(setting)
            | Self::NoMember(setting) => setting,
            Self::TopPBesideTemperature => Setting::TopP,
            Self::ForcedCall => Setting::ToolChoice,
            Self::MaxTokens(_) => Setting::MaxTokens,
            Self::MemberOfChat(_) => Setting::Extra,
        })
    }
}

impl<'a> Judged<'a> {
    /// Returns everything that does not fit. A misfit does not depend on later misfits, so that the runtime
    /// corrects them in this order.
    #[must_use]
    pub fn misfits(&self) -> Vec<Misfit> {
        let (model, settings) = (self.model, self.settings);
        let mut misfits = Vec::new();
        let thinking = settings.thinking;
        if thinking.is_some_and(|thinks| model.refuses_thinking(thinks)) {
            misfits.push(Misfit::Thinking);
        }
        if let (Some(effort), Some(efforts)) = (settings.reasoning_effort, self.efforts())
            && !efforts.contains(&effort)
        {
            misfits.push(Misfit::Effort(effort));
        }
        misfits.extend(self.tools_in_chat());
        if settings.thinking_budget.is_some() {
            if model.refuses_type(ThinkingType::Enabled) {
                misfits.push(Misfit::Budget);
            } else if thinking == Some(false) && !model.refuses_thinking(false) {
                misfits.push(Misfit::NothingToLimit);
            }
        }
        self.check_sampling(&mut misfits);
        if model.stop == Some(false) && !settings.stop.is_empty() {
            misfits.push(Misfit::Refused(Setting::Stop));
        }
        let choice = settings.tool_choice.as_ref();
        if choice.is_some_and(ToolChoice::is_forced)
            && model.forced_calls == Some(ForcedCalls::Never)
        {
            misfits.push(Misfit::ForcedCall);
        }
        if let (Some(tokens), Some(most)) = (settings.max_tokens, model.max_output_tokens)
            && u64::from(tokens) > most
        {
            misfits.push(Misfit::MaxTokens(most));
        }
        // A provider that names the interface means the members of that interface.
        if self.form == Some(RequestForm::Responses) && self.provider == "OpenAI" {
            let members = CHAT_MEMBERS.iter();
            let members = members.filter(|member| settings.extra.get(member).is_some());
            misfits.extend(members.map(|member| Misfit::MemberOfChat(member)));
        }
        for setting in Setting::ALL.iter().copied() {
            let is_lacking = self.form.is_some_and(|form| form.lacks(setting));
            let is_refused = misfits.contains(&Misfit::Refused(setting));
            if is_lacking && settings.get(setting).is_some() && !is_refused {
                misfits.push(Misfit::NoMember(setting));
            }
        }
        misfits
    }

    /// The efforts that the model has, as far as they are known.
    #[must_use]
    pub fn efforts(&self) -> Option<&'a [ReasoningEffort]> {
        match (self.form, &self.model.chat_efforts) {
            (Some(RequestForm::Chat), Some(efforts)) => Some(efforts),
            _ => self.model.efforts.as_deref(),
        }
    }

    /// Whether the model does not think, with these settings.
    fn has_thinking_disabled(&self) -> bool {
        // OpenAI has no setting `thinking`, and gets an effort in its place.
        let is_openai = self.form.is_some_and(|form| form.api().is_some());
        let effort = self.settings.reasoning_effort;
        (is_openai && self.settings.thinking == Some(false))
            || effort.or(self.model.default_effort) == Some(ReasoningEffort::None)
    }

    fn tools_in_chat(&self) -> Option<Misfit> {
        if self.form != Some(RequestForm::Chat) || !self.has_tools {
            return None;
        }
        match self.model.chat_tools {
            Some(ChatTools::Never) => Some(Misfit::ToolsOfChat),
            Some(ChatTools::EffortNone) if !self.has_thinking_disabled() => {
                Some(Misfit::ToolsWhileThinking)
            }
            _ => None,
        }
    }

    fn check_sampling(&self, misfits: &mut Vec<Misfit>) {
        let (model, settings) = (self.model, self.settings);
        // Only the rows of Anthropic have types.
        let has_types = model.thinking_types.is_some();
        let has_budget =
            has_types && settings.thinking_budget.is_some() && settings.thinking != Some(false);
        let is_set = |setting: &Setting| settings.get(*setting).is_some();
        for setting in Setting::SAMPLING.into_iter().filter(is_set) {
            misfits.push(match model.temperature {
                Some(Temperature::Never) => Misfit::Refused(setting),
                Some(Temperature::EffortNone) if !self.has_thinking_disabled() => {
                    Misfit::WhileThinking(setting)
                }
                Some(Temperature::Ignored) => Misfit::Ignored(setting),
                Some(Temperature::Always) if has_budget => Misfit::BesideBudget(setting),
                _ => continue,
            });
        }
        if has_types
            && model.temperature == Some(Temperature::Always)
            && [Setting::Temperature, Setting::TopP].iter().all(is_set)
        {
            misfits.push(Misfit::TopPBesideTemperature);
        }
    }
}
