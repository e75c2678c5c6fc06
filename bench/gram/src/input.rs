//! What is read: the same data in each form that a row takes.

use crate::data::{AGENTS, agents};
use crate::document::{write_gram, write_json};
use agent_gram::Pattern;
use agent_spec::json::pattern_to_json;

/// Which form a row reads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// The document.
    Gram,
    /// The agents as JSON.
    Json,
    /// The patterns as JSON.
    PatternsJson,
    /// The patterns of the document, for rows that print.
    Patterns,
}

/// The data in each form.
#[derive(Default)]
pub(crate) struct Input {
    pub gram: String,
    pub json: String,
    pub patterns_json: String,
    pub patterns: Vec<Pattern>,
}

impl Input {
    /// Makes the data.
    ///
    /// # Errors
    /// When the document that was made cannot be read.
    pub(crate) fn generate() -> Result<Self, String> {
        let mut gram = String::new();
        let mut json = String::from("[");
        for (index, agent) in agents().take(AGENTS).enumerate() {
            write_gram(&mut gram, &agent);
            json.push_str(if index == 0 { "" } else { "," });
            write_json(&mut json, &agent);
        }
        json.push(']');
        let patterns = patterns_of(&gram)?;
        let values = patterns.iter().map(pattern_to_json).collect();
        Ok(Self {
            patterns_json: serde_json::Value::Array(values).to_string(),
            gram,
            json,
            patterns,
        })
    }

    /// The text that a process needs to make this form.
    pub(crate) fn text(&self, form: Form) -> &str {
        match form {
            Form::Gram | Form::Patterns => &self.gram,
            Form::Json => &self.json,
            Form::PatternsJson => &self.patterns_json,
        }
    }

    /// One form, made of such a text.
    ///
    /// # Errors
    /// When the text cannot be read.
    pub(crate) fn from_text(form: Form, text: String) -> Result<Self, String> {
        let mut input = Self::default();
        match form {
            Form::Gram => input.gram = text,
            Form::Json => input.json = text,
            Form::PatternsJson => input.patterns_json = text,
            Form::Patterns => {
                input.patterns = patterns_of(&text)?;
                input.gram = text;
            }
        }
        Ok(input)
    }
}

fn patterns_of(gram: &str) -> Result<Vec<Pattern>, String> {
    agent_gram::parse_patterns(gram)
        .map_err(|errors| format!("the document is no gram: {errors:?}"))
}
