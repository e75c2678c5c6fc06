//! The documentation of keys, labels, providers and styles, for hover and completion.
//!
//! The names and the kinds of values are in [`agent_spec::vocabulary`]. The meanings and the examples are in
//! the Markdown files of `vocabulary/`, a section for each name. The first paragraph of a section of agents, tools
//! and grants is also a row in `book/src/reference/agent-settings.md`.

mod catalog;

pub(crate) use catalog::{catalog_words, is_catalog_flag};

use agent_catalog::Catalog;
use agent_spec::settings::TOOL_CHOICES;
use agent_spec::vocabulary::{CONST, Keyword, KeywordValue, RecordKind, Setting, SettingKind};
use agent_spec::{Kind, PromptCache, ReasoningEffort, Style, Type, WhenTainted};
use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::sync::LazyLock;

/// The documentation of a key of a record.
pub(crate) struct KeyDoc {
    section: &'static Section,
    /// The values that the key accepts, in a few words.
    pub(crate) value: Cow<'static, str>,
}

impl KeyDoc {
    /// Returns the documentation of a key, if records of this kind have it.
    pub(crate) fn find(kind: RecordKind, name: &str) -> Option<Self> {
        let is_const = name == CONST && kind.has(Keyword::Enum);
        if !is_const && !kind.keys().any(|key| key == name) {
            return None;
        }
        Some(Self {
            section: key_page(kind).section(name)?,
            value: accepted_values(kind, name),
        })
    }

    /// Returns the key with a value.
    pub(crate) fn example(&self) -> &'static str {
        self.section.example
    }

    /// Returns the first paragraph of the meaning.
    #[cfg(test)]
    pub(crate) fn summary(&self) -> &str {
        let meaning = &self.section.meaning;
        meaning.split("\n\n").next().unwrap_or(meaning)
    }

    /// Returns whether the value is a text in quotes.
    pub(crate) fn is_text(&self) -> bool {
        let value = self.example().split_once(": ");
        value.is_some_and(|(_, value)| value.starts_with('"'))
    }

    /// Returns name, values, meaning and example, in Markdown.
    pub(crate) fn markdown(&self) -> String {
        let Section {
            name,
            meaning,
            example,
        } = self.section;
        let value = &self.value;
        format!("**`{name}`**: {value}\n\n{meaning}\n\n```gram\n{example}\n```\n")
    }
}

/// Returns the documentation of a label, in Markdown.
pub(crate) fn label_markdown(label: &str) -> Option<String> {
    let name = match label {
        "ToolSpecification" => "Tool",
        label => label,
    };
    let Some(section) = DECLARATIONS.section(name) else {
        return word_markdown(label);
    };
    let Section {
        meaning, example, ..
    } = section;
    Some(format!(
        "**`{label}`**\n\n{meaning}\n\n```gram\n{example}\n```\n"
    ))
}

/// Returns the documentation of a word of type expressions, in Markdown: the meaning and, for the label of a
/// type, the JSON Schema.
pub(crate) fn word_markdown(word: &str) -> Option<String> {
    let meaning = &TYPE_WORDS.section(word)?.meaning;
    let mut markdown = format!("**`{word}`**\n\n{meaning}\n");
    if let Some(kind) = Kind::from_label(word) {
        let schema = Type::new(kind).schema();
        let _ = write!(markdown, "\n```json\n{schema}\n```\n");
    }
    Some(markdown)
}

/// Returns the documentation of a provider of [`agent_spec::model::PROVIDERS`], in Markdown.
pub(crate) fn provider_markdown(name: &str) -> Option<String> {
    if let Some(section) = PROVIDERS.section(name) {
        return Some(section.meaning.clone());
    }
    let row = Catalog::builtin().provider(name)?;
    let key = row.keys.iter().flatten().next();
    let key = key.map_or_else(String::new, |key| format!(" The key is in `{key}`."));
    Some(format!("{name}.{key}"))
}

/// Returns the documentation of a style of signatures, in Markdown.
pub(crate) fn style_markdown(style: Style) -> Option<String> {
    let Section {
        name,
        meaning,
        example,
    } = STYLES.section(style.as_str())?;
    Some(format!(
        "**`{name}`**\n\n{meaning}\n\n```gram\n{example}\n```\n"
    ))
}

/// Returns the documentation of a word that a key of a catalogue accepts, in Markdown. It is a paragraph of
/// the key's section.
pub(crate) fn catalog_word_markdown(kind: RecordKind, key: &str, word: &str) -> Option<String> {
    if !catalog_words(kind, key).contains(&word) {
        return None;
    }
    let key = match key {
        "chatEfforts" | "defaultEffort" => "efforts",
        key => key,
    };
    let mut paragraphs = key_page(kind).section(key)?.meaning.split("\n\n");
    let meaning = paragraphs.find_map(|text| text.strip_prefix(&format!("`{word}`: ")))?;
    Some(format!("**`{word}`**\n\n{meaning}\n"))
}

/// Returns the values that a key accepts, in a few words.
fn accepted_values(kind: RecordKind, name: &str) -> Cow<'static, str> {
    match (kind, name) {
        (RecordKind::Agent, "instruction")
        | (RecordKind::Tool, "description")
        | (RecordKind::Field, "name") => "text, required".into(),
        (RecordKind::Agent, "model") => "`Provider/model-id`, required".into(),
        (RecordKind::Agent, "variables") => "text, or a list of texts".into(),
        (RecordKind::Agent | RecordKind::Tool, "timeout") => "length of time".into(),
        (RecordKind::Agent, "requiresApproval") => "`true` or `false`".into(),
        (RecordKind::Agent, name) => Setting::from_key(name).map_or("text".into(), setting_values),
        (RecordKind::Grants, "network") => "host, or a list of these".into(),
        (RecordKind::Grants, "environment") => "name of a variable, or a list of these".into(),
        (RecordKind::Grants, _) => "path of a folder, or a list of these".into(),
        (RecordKind::Tool, "reads") => "`[\"private\"]` or `[]`".into(),
        (RecordKind::Tool, _) => "`true` or `false`".into(),
        (RecordKind::Project, "style") => {
            let styles: Vec<_> = Style::ALL.iter().map(quoted).collect();
            styles.join(" or ").into()
        }
        (RecordKind::Project, "tools" | "models") => {
            "path with `*` and `**`, or a list of these".into()
        }
        (RecordKind::Project, _) => "name, or a list of these".into(),
        (
            RecordKind::Catalog | RecordKind::Model | RecordKind::Price | RecordKind::LongContext,
            _,
        ) => catalog_values(kind, name),
        (_, CONST) => "value of the type".into(),
        (_, name) => Keyword::from_name(name)
            .map_or("text", keyword_values)
            .into(),
    }
}

fn catalog_values(kind: RecordKind, name: &str) -> Cow<'static, str> {
    let inner = match name {
        "price" => Some(RecordKind::Price),
        "longContext" => Some(RecordKind::LongContext),
        _ => None,
    };
    if let Some(inner) = inner {
        return record_of(inner).into();
    }
    if is_catalog_flag(kind, name) {
        return "`true` or `false`".into();
    }
    let words: Vec<_> = catalog_words(kind, name).iter().map(quoted).collect();
    if let [first @ .., last] = &words[..] {
        let words = format!("{} or {last}", first.join(", "));
        return match name {
            "efforts" | "chatEfforts" | "thinkingTypes" | "media" | "apis" => {
                format!("{words}, or a list of these").into()
            }
            _ => words.into(),
        };
    }
    let values = match (kind, name) {
        (_, "made" | "released" | "retires") => "day, such as `\"2026-11-28\"`",
        (_, "contextWindow" | "maxOutputTokens") => "number of tokens",
        (_, "above") => "number of tokens, required",
        (_, "input" | "output") => "dollars for a million tokens, required",
        (RecordKind::Price | RecordKind::LongContext, _) => "dollars for a million tokens",
        (_, "like") => "name of a model of the same provider, or `Provider/model-id`",
        (_, "key") => "name of a variable, or a list of these",
        (_, "models") => "name of a provider",
        (_, "baseUrl" | "source") => "address",
        _ => "text",
    };
    values.into()
}

/// Returns the keys of a record that is a value.
fn record_of(kind: RecordKind) -> String {
    let keys = kind.keys().map(|key| format!("`{key}`"));
    format!("record of {}", keys.collect::<Vec<_>>().join(", "))
}

fn setting_values(setting: Setting) -> Cow<'static, str> {
    match setting.kind() {
        SettingKind::Number(max) => format!("number from 0 to {max}").into(),
        SettingKind::Integer => "whole number of 64 bits".into(),
        SettingKind::Count(u32::MAX) => "whole number, 1 or more".into(),
        SettingKind::Count(most) => format!("whole number from 1 to {most}").into(),
        SettingKind::Texts => "text, or a list of texts".into(),
        SettingKind::Effort => {
            let [first @ .., last] = ReasoningEffort::ALL.map(quoted);
            format!("{} or {last}", first.join(", ")).into()
        }
        SettingKind::Cache => {
            let [first @ .., last] = PromptCache::ALL.map(quoted);
            format!("{} or {last}", first.join(", ")).into()
        }
        SettingKind::WhenTainted => {
            let [first @ .., last] = WhenTainted::ALL.map(WhenTainted::as_str).map(quoted);
            format!("{} or {last}", first.join(", ")).into()
        }
        SettingKind::CompactAbove => "whole number, 1 or more, or `\"auto\"`".into(),
        SettingKind::Choice => {
            let words = TOOL_CHOICES.map(quoted).join(", ");
            format!("{words}, or the name of one of the agent's tools").into()
        }
        SettingKind::Flag => "`true` or `false`".into(),
        SettingKind::Duration => "length of time".into(),
        SettingKind::Url => "`http` or `https` address".into(),
        SettingKind::Models => "`Provider/model-id`, or a list of these".into(),
        SettingKind::Grants => record_of(RecordKind::Grants).into(),
        SettingKind::Record => "record".into(),
    }
}

fn keyword_values(keyword: Keyword) -> &'static str {
    match (keyword, keyword.value()) {
        (Keyword::Type, _) => "type, required",
        (Keyword::Default, _) => "value of the type",
        (Keyword::Optional, _) => "`true` or `false`",
        (Keyword::ElementType | Keyword::ValueType, _) => "type",
        (Keyword::Items | Keyword::AnyOf, _) => "list of types",
        (Keyword::Fields, _) => "list of `{name, type, …}`, or record from name to type",
        (_, KeywordValue::Part | KeywordValue::Text) => "text",
        (_, KeywordValue::Values) => "list of values of the type",
        (_, KeywordValue::Pattern) => "regular expression",
        (_, KeywordValue::Number) => "number",
        (_, KeywordValue::Count) => "whole number, 0 or more",
        (_, KeywordValue::Schema) => "text that is a JSON Schema",
    }
}

fn quoted(word: impl fmt::Display) -> String {
    format!("`\"{word}\"`")
}

/// A page of documentation.
pub(super) struct Page {
    sections: Vec<Section>,
}

/// The section of a name.
struct Section {
    name: &'static str,
    /// The meaning, in Markdown.
    meaning: String,
    /// The example in gram; empty without one.
    example: &'static str,
}

pub(super) static AGENT_KEYS: LazyLock<Page> =
    LazyLock::new(|| Page::parse(include_str!("vocabulary/agent.md")));
pub(super) static GRANT_KEYS: LazyLock<Page> =
    LazyLock::new(|| Page::parse(include_str!("vocabulary/grants.md")));
pub(super) static TOOL_KEYS: LazyLock<Page> =
    LazyLock::new(|| Page::parse(include_str!("vocabulary/tool.md")));
pub(super) static TYPE_KEYS: LazyLock<Page> =
    LazyLock::new(|| Page::parse(include_str!("vocabulary/type.md")));
pub(super) static PROJECT_KEYS: LazyLock<Page> =
    LazyLock::new(|| Page::parse(include_str!("vocabulary/project.md")));
pub(super) static CATALOG_KEYS: LazyLock<Page> =
    LazyLock::new(|| Page::parse(include_str!("vocabulary/catalog.md")));
pub(super) static MODEL_KEYS: LazyLock<Page> =
    LazyLock::new(|| Page::parse(include_str!("vocabulary/model.md")));
pub(super) static PRICE_KEYS: LazyLock<Page> =
    LazyLock::new(|| Page::parse(include_str!("vocabulary/price.md")));
pub(super) static LONG_CONTEXT_KEYS: LazyLock<Page> =
    LazyLock::new(|| Page::parse(include_str!("vocabulary/long_context.md")));
pub(super) static STYLES: LazyLock<Page> =
    LazyLock::new(|| Page::parse(include_str!("vocabulary/style.md")));
pub(super) static DECLARATIONS: LazyLock<Page> =
    LazyLock::new(|| Page::parse(include_str!("vocabulary/declaration.md")));
pub(super) static TYPE_WORDS: LazyLock<Page> =
    LazyLock::new(|| Page::parse(include_str!("vocabulary/type_word.md")));
pub(super) static PROVIDERS: LazyLock<Page> =
    LazyLock::new(|| Page::parse(include_str!("vocabulary/provider.md")));

fn key_page(kind: RecordKind) -> &'static Page {
    match kind {
        RecordKind::Agent => &AGENT_KEYS,
        RecordKind::Grants => &GRANT_KEYS,
        RecordKind::Tool => &TOOL_KEYS,
        RecordKind::Project => &PROJECT_KEYS,
        RecordKind::Catalog => &CATALOG_KEYS,
        RecordKind::Model => &MODEL_KEYS,
        RecordKind::Price => &PRICE_KEYS,
        RecordKind::LongContext => &LONG_CONTEXT_KEYS,
        _ => &TYPE_KEYS,
    }
}

impl Page {
    /// Parses a title, and sections with a heading, paragraphs, and at most one block of gram at the end.
    fn parse(markdown: &'static str) -> Self {
        let sections = markdown.split("\n## ").skip(1);
        Self {
            sections: sections.filter_map(Section::parse).collect(),
        }
    }

    /// Returns the names of the sections.
    #[cfg(test)]
    pub(super) fn names(&self) -> Vec<&'static str> {
        self.sections.iter().map(|section| section.name).collect()
    }

    fn section(&self, name: &str) -> Option<&Section> {
        self.sections.iter().find(|section| section.name == name)
    }
}

impl Section {
    fn parse(markdown: &'static str) -> Option<Self> {
        let (name, text) = markdown.split_once('\n')?;
        let (text, example) = match text.split_once("\n```gram\n") {
            Some((text, block)) => (text, block.split_once("\n```")?.0),
            None => (text, ""),
        };
        // Line breaks are removed, because some editors show them.
        let paragraphs = text.trim().split("\n\n");
        let paragraphs: Vec<String> = paragraphs.map(|text| text.replace('\n', " ")).collect();
        Some(Self {
            name,
            meaning: paragraphs.join("\n\n"),
            example,
        })
    }
}
