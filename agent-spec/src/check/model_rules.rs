//! The settings that the model of an agent refuses or ignores, and models that are switched off, by the catalogue of models.

use crate::check::agent_properties::AgentProperties;
use crate::check::places::AgentElement;
use crate::check::reader::{Reader, items};
use crate::check::shapes::Shape;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::misfit::{Judged, Misfit, RequestForm};
use crate::model::Model;
use crate::settings::{CompactAbove, ReasoningEffort, Settings};
use crate::vocabulary::Setting;
use agent_catalog::{Api, Catalog, Date, Found, MediaInput, WireFormat, vendor};
use agent_gram::Span;
use agent_gram::syntax::Value;
use agent_types::names::nearness;
use agent_types::{Kind, MediaKind, Signature, Type};

/// The number of days before the end of a model in which the checker warns of it.
const WARNING_DAYS: i64 = 90;

/// The facts about models, and the extent of the checks.
#[derive(Clone, Copy, Debug)]
pub struct ModelRules<'a> {
    /// The catalogue of models.
    pub catalog: &'a Catalog,
    /// Today, for warnings about models that will be switched off. Without it there are no such warnings.
    pub today: Option<Date>,
    /// Whether a model that was switched off before the catalogue was made is an error.
    pub refuses_retired: bool,
    /// The model that agents are checked with instead of their own.
    pub instead: Option<&'a Model>,
    /// The providers whose requests go to another server than the vendor's, which may accept other settings.
    /// Their models are not checked.
    pub elsewhere: &'a [String],
}

impl<'a> ModelRules<'a> {
    /// Creates the rules of a catalogue, for agents with models of their own.
    #[must_use]
    pub const fn new(catalog: &'a Catalog) -> Self {
        Self {
            catalog,
            today: None,
            refuses_retired: true,
            instead: None,
            elsewhere: &[],
        }
    }

    fn is_elsewhere(&self, provider: &str) -> bool {
        self.elsewhere.iter().any(|other| other == provider)
    }

    /// Returns the facts about a model; `None` if the requests go to another server than the vendor's.
    pub(crate) fn row_of(&self, model: &Model) -> Option<Found<'a>> {
        match self.is_elsewhere(model.provider()) {
            true => None,
            false => self.catalog.model(model.provider(), model.id()),
        }
    }
}

/// Checks the settings, the signature and the tools of an agent against its model, and the model itself.
pub(super) fn check_model(
    reader: &mut Reader<'_>,
    shape: &Shape<'_>,
    properties: &AgentProperties<'_>,
    signature: Option<&Signature>,
    elements: &[Option<AgentElement>],
) {
    let Some(rules) = reader.options.model_rules else {
        return;
    };
    let (Some(model), settings) = (&properties.model, &properties.settings) else {
        return;
    };
    let model = rules.instead.unwrap_or(model);
    // Another server may accept settings that the vendor refuses.
    let provider = rules.catalog.provider(model.provider());
    if let Some(address) = &settings.base_url
        && !provider.is_some_and(|provider| provider.is_at(address))
    {
        return;
    }
    let value_of = |key: &str| {
        let mut properties = shape.properties.iter();
        let found = properties.find(|property| property.key().text() == key);
        found.map(|property| property.value())
    };
    let Some(at) = value_of("model").map(|value| value.span()) else {
        return;
    };
    let mut found = Vec::new();
    let has_tools = !elements.is_empty();
    check_name(&rules, model, at, &mut found);
    if let Some(row) = rules.row_of(model) {
        let checked = CheckedModel {
            rules: &rules,
            model,
            found: row,
            settings,
            has_tools,
        };
        for refusal in checked.refusals() {
            let span = refusal
                .setting
                .and_then(|setting| value_of(setting.key()))
                .map_or(at, |value| value.span());
            found.push(checked.diagnostic(refusal, span));
        }
        found.extend(checked.media(signature, elements, at));
    }
    for (other, span) in fallbacks(value_of("fallback"), &settings.fallback) {
        check_name(&rules, other, span, &mut found);
        let Some(row) = rules.row_of(other) else {
            continue;
        };
        let checked = CheckedModel {
            rules: &rules,
            model: other,
            found: row,
            settings,
            has_tools,
        };
        // A refusal is a warning, because a fallback is asked only when the first model is down.
        let refused = checked.refusals().into_iter();
        found.extend(refused.map(|refusal| {
            checked
                .diagnostic(refusal, span)
                .with_severity(Severity::Warning)
        }));
    }
    found.into_iter().for_each(|found| reader.report(found));
}

/// Returns the fallback models with their places.
fn fallbacks<'m>(
    value: Option<Value<'_>>,
    models: &'m [Model],
) -> impl Iterator<Item = (&'m Model, Span)> {
    let values = value.map(items).unwrap_or_default();
    let spans: Vec<Span> = values.into_iter().map(|value| value.span()).collect();
    models.iter().zip(spans)
}

/// Checks that a model exists at its vendor and was not switched off.
fn check_name(rules: &ModelRules<'_>, model: &Model, at: Span, found: &mut Vec<Diagnostic>) {
    let (provider, id) = (model.provider(), model.id());
    let row = rules.row_of(model);
    let is_known = row.as_ref().is_some_and(|row| !row.is_assumed);
    if !is_known {
        if !rules.is_elsewhere(provider) && rules.catalog.lists_models_of(provider) {
            found.push(unknown_model(rules, model, row.as_ref(), at));
        }
        return;
    }
    let Some(row) = row else {
        return;
    };
    let Some(retires) = row.row.retires else {
        return;
    };
    let instead = match &row.row.successor {
        Some(successor) => {
            format!("write `{provider}/{successor}`, which the vendor names in its place")
        }
        None => "choose another model".to_owned(),
    };
    let is_over = is_over(rules, row.provider, Some(retires));
    if is_over && rules.refuses_retired {
        let message = format!("`{id}` was switched off on {retires}");
        found.push(Diagnostic::new(Code::RetiredModel, at, message).with_help(instead));
    } else if let Some(today) = rules.today.filter(|_| !is_over)
        && today.days_until(retires) <= WARNING_DAYS
    {
        let message = match today < retires {
            true => format!("`{id}` will be switched off on {retires}"),
            false => format!("`{id}` was to be switched off on {retires}"),
        };
        found.push(Diagnostic::new(Code::RetiringModel, at, message).with_help(instead));
    }
}

/// Whether a model was switched off when its catalogue was made.
fn is_over(rules: &ModelRules<'_>, provider: &str, retires: Option<Date>) -> bool {
    let made = rules.catalog.made(provider);
    retires.is_some_and(|retires| made.is_some_and(|made| retires <= made))
}

/// Returns the name that is nearest to a misspelt one. `gpt-4o` is no nearer to `gpt-4o-mni` for being its
/// beginning, because most names of models are the beginning of others.
fn nearest_model<'a>(id: &str, known: &[&'a str]) -> Option<&'a str> {
    let whole = known.iter().copied().filter_map(|name| {
        let length = name.chars().count().abs_diff(id.chars().count());
        let distance = match name.starts_with(id) || id.starts_with(name) {
            true if length * 3 > name.len() => return None,
            true => length,
            false => nearness(id, name)?,
        };
        Some((distance, name))
    });
    whole.min().map(|(_, name)| name)
}

/// Returns the warning about a model without a row.
fn unknown_model(
    rules: &ModelRules<'_>,
    model: &Model,
    assumed: Option<&Found<'_>>,
    at: Span,
) -> Diagnostic {
    let (provider, id) = (model.provider(), model.id());
    let message = format!("the catalogue of models has no `{provider}/{id}`");
    let listed = assumed.map_or(vendor(provider), |found| found.provider);
    let known: Vec<&str> = rules
        .catalog
        .models()
        .filter(|entry| entry.provider == listed && !is_over(rules, listed, entry.row.retires))
        .map(|entry| entry.id)
        .collect();
    // A name that differs only in its numbers is a new version, not a misspelling.
    let letters = |name: &str| -> String { name.chars().filter(|c| c.is_alphabetic()).collect() };
    let meant = nearest_model(id, &known).filter(|meant| letters(meant) != letters(id));
    let row = format!(
        "`[{}:Catalog | [{}:Model {{like: \"…\"}}]]`",
        vendor(provider),
        quoted(id)
    );
    let help = match (meant, assumed) {
        (Some(meant), _) => format!("did you mean `{provider}/{meant}`?"),
        (None, Some(found)) => format!(
            "it is checked as `{}`, with warnings; a row of your own says what it takes: {row}",
            found.id
        ),
        (None, None) => {
            format!("nothing is checked of it; a row of your own says what it takes: {row}")
        }
    };
    Diagnostic::new(Code::UnknownModel, at, message).with_help(help)
}

/// Writes the name of a model as gram has it.
fn quoted(id: &str) -> String {
    agent_gram::print::writer::to_string(|writer| writer.identity(id))
}

/// Writes words and one more as gram has them.
fn listed(words: &[&str], more: &str) -> String {
    let words = words.iter().chain([&more]);
    let words: Vec<String> = words.map(|word| format!("\"{word}\"")).collect();
    format!("[{}]", words.join(", "))
}

/// Returns the kind of media of a type. A document may be a text, which every model accepts.
fn media_of(ty: &Type) -> Option<MediaInput> {
    match ty.kind() {
        Kind::Media(MediaKind::Image) => Some(MediaInput::Image),
        Kind::Media(MediaKind::Audio) => Some(MediaInput::Audio),
        _ => None,
    }
}

/// A model whose rules are known, and the settings of an agent.
struct CheckedModel<'a> {
    rules: &'a ModelRules<'a>,
    model: &'a Model,
    found: Found<'a>,
    settings: &'a Settings,
    has_tools: bool,
}

/// A setting or another part of a request that a model does not accept.
struct Refusal {
    /// The setting; `None` for the model itself.
    setting: Option<Setting>,
    code: Code,
    message: String,
    help: String,
}

impl CheckedModel<'_> {
    fn diagnostic(&self, refusal: Refusal, span: Span) -> Diagnostic {
        let found = Diagnostic::new(refusal.code, span, refusal.message);
        let found = found.with_help(refusal.help);
        match self.found.is_assumed {
            true => found.with_severity(Severity::Warning),
            false => found,
        }
    }

    /// The name of the model in messages.
    fn name(&self) -> String {
        match self.found.is_assumed {
            true => format!("`{}`, if it is like `{}`,", self.model.id(), self.found.id),
            false => format!("`{}`", self.model.id()),
        }
    }

    /// The form in which the model is asked. `None` if the catalogue does not have the provider's format.
    fn form(&self) -> Option<RequestForm> {
        let provider = self.rules.catalog.provider(self.model.provider())?;
        Some(match (provider.format?, self.model.provider()) {
            (WireFormat::OpenAi, "OpenAIResponses") => RequestForm::Responses,
            (WireFormat::OpenAi, "OpenAIChat") => RequestForm::Chat,
            (WireFormat::OpenAi, _) => match provider.api_for(&self.found.row) {
                Api::Responses => RequestForm::Responses,
                _ => RequestForm::Chat,
            },
            (WireFormat::Anthropic, _) => RequestForm::Anthropic,
            (WireFormat::Google, _) => RequestForm::Google,
            (WireFormat::Ollama, _) => RequestForm::Ollama,
            _ => return None,
        })
    }

    fn refused(&self, setting: Setting, why: &str, help: impl Into<String>, row: &str) -> Refusal {
        let (name, key) = (self.name(), setting.key());
        Refusal {
            setting: Some(setting),
            code: Code::RefusedSetting,
            message: format!("{name} refuses `{key}`{why}"),
            help: format!(
                "{}; if your model takes it, say so in a catalogue of your own: {}",
                help.into(),
                self.own_row(row)
            ),
        }
    }

    /// Writes a row of the model with a property, as gram has it.
    fn own_row(&self, property: &str) -> String {
        let (provider, id) = (vendor(self.model.provider()), quoted(self.model.id()));
        format!("`[{provider}:Catalog | [{id}:Model {{{property}}}]]`")
    }

    fn ignored(&self, setting: Setting, who: &str) -> Refusal {
        Refusal {
            setting: Some(setting),
            code: Code::IgnoredSetting,
            message: format!("{who} ignores `{}`", setting.key()),
            help: "remove it".to_owned(),
        }
    }

    /// Returns everything that the model and its format do not accept.
    fn refusals(&self) -> Vec<Refusal> {
        let judged = Judged {
            model: &self.found.row,
            provider: self.model.provider(),
            form: self.form(),
            settings: self.settings,
            has_tools: self.has_tools,
        };
        let misfits = judged.misfits().into_iter();
        let refusals = misfits.filter_map(|misfit| self.refusal(&judged, misfit));
        refusals.chain(self.unused_compaction()).collect()
    }

    /// Returns the finding about a misfit. `None` for a hint that costs nothing where it is ignored.
    fn refusal(&self, judged: &Judged<'_>, misfit: Misfit) -> Option<Refusal> {
        let row = &self.found.row;
        let always = "temperature: \"always\"";
        Some(match misfit {
            Misfit::Thinking => self.refused_thinking(),
            Misfit::Effort(effort) => self.refused_effort(judged, effort),
            Misfit::ToolsOfChat => self.refused_tools("", ""),
            Misfit::ToolsWhileThinking => {
                self.refused_tools(" while it thinks", ", or `reasoningEffort: \"none\"`")
            }
            Misfit::Budget => {
                let help = "remove it; `reasoningEffort` says how much it thinks";
                let types = row.thinking_types.iter().flatten();
                let types: Vec<&str> = types.map(|known| known.as_str()).collect();
                let own = format!("thinkingTypes: {}", listed(&types, "enabled"));
                self.refused(Setting::ThinkingBudget, "", help, &own)
            }
            Misfit::NothingToLimit => Refusal {
                setting: Some(Setting::ThinkingBudget),
                code: Code::IgnoredSetting,
                message: "`thinking: false` leaves nothing for `thinkingBudget` to limit"
                    .to_owned(),
                help: "remove one of them".to_owned(),
            },
            Misfit::Refused(Setting::Stop) => {
                self.refused(Setting::Stop, "", "remove it", "stop: true")
            }
            Misfit::Refused(setting) => self.refused(setting, "", "remove it", always),
            Misfit::WhileThinking(setting) => {
                let help = "remove it, or write `reasoningEffort: \"none\"`";
                self.refused(setting, " while it thinks", help, always)
            }
            Misfit::Ignored(setting) => self.ignored(setting, &self.name()),
            Misfit::BesideBudget(setting) => {
                let help = "remove it, or `thinkingBudget`";
                self.refused(setting, " beside `thinkingBudget`", help, always)
            }
            Misfit::TopPBesideTemperature => Refusal {
                setting: Some(Setting::TopP),
                code: Code::RefusedSetting,
                message: format!("{} refuses `topP` beside `temperature`", self.name()),
                help: "remove it, or `temperature`".to_owned(),
            },
            Misfit::ForcedCall => {
                let help = "remove it, and say in the instruction when to call which tool";
                let own = "forcedCalls: \"always\"";
                self.refused(Setting::ToolChoice, " that demands a call", help, own)
            }
            Misfit::MaxTokens(most) => {
                let tokens = self.settings.max_tokens.unwrap_or_default();
                let (why, help) = (format!(" above {most}"), format!("write {most} or less"));
                let own = format!("maxOutputTokens: {tokens}");
                self.refused(Setting::MaxTokens, &why, help, &own)
            }
            Misfit::MemberOfChat(member) => {
                let (provider, id) = (self.model.provider(), self.model.id());
                Refusal {
                    setting: Some(Setting::Extra),
                    code: Code::IgnoredSetting,
                    message: format!(
                        "`{provider}/{id}` is asked by Responses, which have no `{member}`"
                    ),
                    help: self.at_chat(),
                }
            }
            Misfit::NoMember(Setting::Cache) => return None,
            Misfit::NoMember(setting) => {
                let provider = self.model.provider();
                let mut found = self.ignored(setting, &format!("`{provider}`"));
                let has_chat = provider == "OpenAI" && judged.form == Some(RequestForm::Responses);
                if has_chat && RequestForm::Chat.member(setting).is_some() {
                    found.help = self.at_chat();
                }
                found
            }
        })
    }

    fn at_chat(&self) -> String {
        let id = self.model.id();
        format!("remove it, or write `OpenAIChat/{id}`, whose interface has it")
    }

    fn refused_effort(&self, judged: &Judged<'_>, effort: ReasoningEffort) -> Refusal {
        let key = match (judged.form, &self.found.row.chat_efforts) {
            (Some(RequestForm::Chat), Some(_)) => "chatEfforts",
            _ => "efforts",
        };
        let efforts = judged.efforts().unwrap_or_default();
        let words: Vec<&str> = efforts.iter().map(|effort| effort.as_str()).collect();
        let help = match words.is_empty() {
            true => "it takes no effort: remove it".to_owned(),
            false => format!("the efforts that it has are {}", words.join(", ")),
        };
        let why = format!(" \"{effort}\"");
        let own = format!("{key}: {}", listed(&words, effort.as_str()));
        self.refused(Setting::ReasoningEffort, &why, help, &own)
    }

    fn refused_thinking(&self) -> Refusal {
        let thinks = self.settings.thinking == Some(true);
        let (help, own) = match (thinks, &self.found.row.thinking_types) {
            (true, _) => ("remove it", "thinking: \"optional\""),
            (false, Some(_)) => {
                let help = "remove it; `reasoningEffort: \"low\"` makes it think little";
                (help, "thinkingTypes: [\"adaptive\", \"disabled\"]")
            }
            (false, None) => {
                let help = "remove it; `reasoningEffort` says how much it thinks";
                (help, "thinking: \"optional\"")
            }
        };
        let mut refusal = self.refused(Setting::Thinking, "", help, own);
        refusal.message = format!("{} refuses `thinking: {thinks}`", self.name());
        refusal
    }

    fn refused_tools(&self, when: &str, or: &str) -> Refusal {
        let (name, id) = (self.name(), self.model.id());
        Refusal {
            setting: None,
            code: Code::RefusedSetting,
            message: format!("{name} refuses tools in chat completions{when}"),
            help: format!(
                "write `OpenAI/{id}`{or}; if your model takes them, say so in a catalogue of your own: {}",
                self.own_row("chatTools: \"always\"")
            ),
        }
    }

    /// Returns the finding about a compaction that never begins. The runtime itself summarises, so that a
    /// model accepts any number.
    fn unused_compaction(&self) -> Option<Refusal> {
        let Some(CompactAbove::Tokens(tokens)) = self.settings.compact_above else {
            return None;
        };
        let most = self.found.row.context_window?;
        (u64::from(tokens) > most).then(|| Refusal {
            setting: Some(Setting::CompactAbove),
            code: Code::IgnoredSetting,
            message: format!(
                "`compactAbove` is above the context of {}, {most} tokens, so that nothing is summarised",
                self.name()
            ),
            help: format!("write less than {most}"),
        })
    }

    /// Returns the findings about media that the model does not accept, at its name.
    fn media(
        &self,
        signature: Option<&Signature>,
        elements: &[Option<AgentElement>],
        at: Span,
    ) -> Vec<Diagnostic> {
        let Some(taken) = &self.found.row.media else {
            return Vec::new();
        };
        let name = self.name();
        let refused = |ty: &Type| media_of(ty).filter(|kind| !taken.contains(kind));
        let words: Vec<&str> = taken.iter().map(|kind| kind.as_str()).collect();
        let help = |kind: MediaInput| {
            format!(
                "choose a model that takes it: this one takes {}; if yours does, say so in a catalogue of your own: {}",
                match words.is_empty() {
                    true => "no media".to_owned(),
                    false => words.join(", "),
                },
                self.own_row(&format!("media: {}", listed(&words, kind.as_str())))
            )
        };
        let severity = match self.found.is_assumed {
            true => Severity::Warning,
            false => Severity::Error,
        };
        let params = signature.map(Signature::params).unwrap_or_default();
        let of_signature = params.iter().filter_map(|param| {
            let kind = refused(param.ty())?;
            let message = format!("{name} takes no {kind}, and `{}` is one", param.name());
            let found = Diagnostic::new(Code::RefusedMedia, at, message);
            Some(found.with_help(help(kind)).with_severity(severity))
        });
        let of_tools = elements.iter().flatten().filter_map(|element| {
            let AgentElement::Tool { tool, .. } = element else {
                return None;
            };
            let kind = refused(tool.spec.signature().returns().ty())?;
            let tool = tool.spec.name();
            let message = format!(
                "{name} takes no {kind}, so that it gets a text in the place of the results of `{tool}`"
            );
            let found = Diagnostic::new(Code::RefusedMedia, at, message);
            Some(found.with_help(help(kind)).with_severity(Severity::Warning))
        });
        of_signature.chain(of_tools).collect()
    }
}
