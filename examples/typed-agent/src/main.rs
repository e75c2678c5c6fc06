//! Two agents that are called as functions: one finds the language of a text, one translates the text.
//!
//! `cargo run -q -p typed-agent` runs without a key and without a network: a script answers in place of a model. With
//! `OPENAI_API_KEY` set, the agents talk to the real service, or to the server that `--base-url URL` names, and
//! translate the text that is given: `cargo run -q -p typed-agent -- french "Guten Tag"`.

mod options;
#[cfg(test)]
mod tests;

use agent_runtime::conversation::ToolCall;
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::{Error, GramType, Runtime, agent_fn, tool};
use options::{Options, read_options};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::process::ExitCode;

/// A language. The agents know the same words: remove one here, and `cargo check` accepts it, since the function
/// passes no other; add one, and it fails at the line of `agents/translate.gram`.
#[derive(Clone, Copy, Debug, Deserialize, GramType, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Language {
    English,
    French,
    German,
}

/// The answer of `translate`. A field that the agent does not promise is a compile error.
#[derive(Debug, Deserialize, GramType, PartialEq)]
struct Translation {
    text: String,
    terms: Vec<String>,
    certain: bool,
}

/// Looks a word up in the glossary
#[tool]
fn look_up(word: &str) -> Option<&'static str> {
    let glossary = [(
        "Feierabend",
        "end of the working day, fin de la journée de travail",
    )];
    let found = glossary.iter().find(|(term, _)| *term == word);
    found.map(|(_, meaning)| *meaning)
}

/// Finds the language of a text
#[agent_fn(
    model = "OpenAI/gpt-6-luna",
    instruction = "Answer with the language of the text.",
    reasoning_effort = "none"
)]
async fn detect(runtime: &Runtime, text: &str) -> Result<Language, Error>;

/// Translates a text
#[agent_fn(file = "agents/translate.gram", tools = [look_up])]
async fn translate(runtime: &Runtime, text: &str, language: Language)
-> Result<Translation, Error>;

#[tokio::main]
async fn main() -> ExitCode {
    let options = match read_options(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(usage) => {
            eprintln!("{usage}");
            return ExitCode::from(2);
        }
    };
    let has_key = std::env::var_os("OPENAI_API_KEY").is_some_and(|key| !key.is_empty());
    match run(&options, has_key).await {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The result of the program.
#[derive(Debug, PartialEq)]
struct Report {
    from: Language,
    translation: Option<Translation>,
}

/// Translates the text of the options, unless it is in the language already.
async fn run(options: &Options, has_key: bool) -> Result<Report, Error> {
    let runtime = match (&options.base_url, has_key) {
        (Some(url), _) => Runtime::builder().base_url(url).build()?,
        (None, true) => Runtime::from_env()?,
        (None, false) => Runtime::with_model(script()),
    };
    let from = detect(&runtime, &options.text).await?;
    if from == options.language {
        return Ok(Report {
            from,
            translation: None,
        });
    }
    let translation = translate(&runtime, &options.text, options.language).await?;
    Ok(Report {
        from,
        translation: Some(translation),
    })
}

/// The answers without a model: to the text of [`Options::default`].
fn script() -> Scripted {
    let call =
        |name: &str, arguments: &str| ModelReply::calls([ToolCall::new("1", name, arguments)]);
    Scripted::new([
        call("finalAnswer", r#"{"answer": "german"}"#),
        call("lookUp", r#"{"word": "Feierabend"}"#),
        call(
            "finalAnswer",
            r#"{"text": "Bonne fin de journée !", "terms": ["Feierabend"], "certain": true}"#,
        ),
    ])
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(translation) = &self.translation else {
            return write!(out, "the text is {:?} already", self.from);
        };
        write!(out, "from {:?}: {}", self.from, translation.text)?;
        if !translation.terms.is_empty() {
            write!(
                out,
                "\nwords of the glossary: {}",
                translation.terms.join(", ")
            )?;
        }
        match translation.certain {
            true => Ok(()),
            false => write!(out, "\nwarning: the translation is not certain"),
        }
    }
}
