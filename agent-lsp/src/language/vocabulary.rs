//! The documentation of keys, labels, providers and styles, for hover and completion.
//!
//! The names and the kinds of values are in [`agent_spec::vocabulary`]. The meanings and the examples are in
//! the Markdown files of `vocabulary/`, a section for each name.

use agent_spec::settings::TOOL_CHOICES;
use agent_spec::vocabulary::{CONST, Keyword, KeywordValue, RecordKind, Setting, SettingKind};
use agent_spec::{Kind, PromptCache, ReasoningEffort, Style, Type};
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
pub(crate) fn provider_markdown(name: &str) -> Option<&'static str> {
    let section = PROVIDERS.section(name)?;
    Some(&section.meaning)
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

/// Returns the values that a key accepts, in a few words.
fn accepted_values(kind: RecordKind, name: &str) -> Cow<'static, str> {
    match (kind, name) {
        (RecordKind::Agent, "instruction")
        | (RecordKind::Tool, "description")
        | (RecordKind::Field, "name") => "text, required".into(),
        (RecordKind::Agent, "model") => "`Provider/model-id`, required".into(),
        (RecordKind::Agent, name) => Setting::from_key(name).map_or("text".into(), setting_values),
        (RecordKind::Grants, "network") => "host, or a list of these".into(),
        (RecordKind::Grants, "environment") => "name of a variable, or a list of these".into(),
        (RecordKind::Grants, _) => "path of a folder, or a list of these".into(),
        (RecordKind::Tool, "timeout") => "length of time".into(),
        (RecordKind::Tool, _) => "`true` or `false`".into(),
        (RecordKind::Project, "style") => {
            let styles: Vec<_> = Style::ALL.iter().map(quoted).collect();
            styles.join(" or ").into()
        }
        (RecordKind::Project, "tools" | "models") => {
            "path with `*` and `**`, or a list of these".into()
        }
        (RecordKind::Project, _) => "name, or a list of these".into(),
        (_, CONST) => "value of the type".into(),
        (_, name) => Keyword::from_name(name)
            .map_or("text", keyword_values)
            .into(),
    }
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
        SettingKind::CompactAbove => "whole number, 1 or more, or `\"auto\"`".into(),
        SettingKind::Choice => {
            let words = TOOL_CHOICES.map(quoted).join(", ");
            format!("{words}, or the name of one of the agent's tools").into()
        }
        SettingKind::Flag => "`true` or `false`".into(),
        SettingKind::Duration => "length of time".into(),
        SettingKind::Url => "`http` or `https` address".into(),
        SettingKind::Models => "`Provider/model-id`, or a list of these".into(),
        SettingKind::Grants => {
            let keys = RecordKind::Grants.keys().map(|key| format!("`{key}`"));
            format!("record of {}", keys.collect::<Vec<_>>().join(", ")).into()
        }
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
        // Without line breaks, which some editors show.
        let paragraphs = text.trim().split("\n\n");
        let paragraphs: Vec<String> = paragraphs.map(|text| text.replace('\n', " ")).collect();
        Some(Self {
            name,
            meaning: paragraphs.join("\n\n"),
            example,
        })
    }
}
