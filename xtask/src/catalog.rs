//! Comparing the catalogue of models with that of litellm.

use agent_catalog::{Catalog, MediaInput, ModelRow, Price};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

/// litellm's names of the providers, and ours.
const PROVIDERS: [(&str, &str); 3] = [
    ("anthropic", "Anthropic"),
    ("gemini", "Google"),
    ("openai", "OpenAI"),
];

/// Prints how the catalogue differs from a file of litellm. A difference is no failure, because either may be wrong.
pub(crate) fn compare(file: &Path) -> ExitCode {
    let read = fs::read_to_string(file).map_err(|error| error.to_string());
    let parsed = read.and_then(|text| parse(&text));
    match parsed {
        Ok(theirs) => {
            let text = differences(Catalog::builtin(), &theirs);
            // Fails if the reader of a pipe has exited.
            let _ = io::stdout().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {}: {error}", file.display());
            ExitCode::from(2)
        }
    }
}

fn parse(text: &str) -> Result<Map<String, Value>, String> {
    match serde_json::from_str(text) {
        Ok(Value::Object(models)) => Ok(models),
        Ok(_) => Err("the file is no object of models".to_owned()),
        Err(error) => Err(format!("the file is no JSON: {error}")),
    }
}

/// Lists the differences, a line each.
fn differences(catalog: &Catalog, theirs: &Map<String, Value>) -> String {
    let mut rows = vec![["MODEL", "PROPERTY", "OURS", "THEIRS"].map(str::to_owned)];
    let mut known = BTreeSet::new();
    let mut theirs_only = BTreeSet::new();
    let is_over = |provider: &str, row: &ModelRow| {
        row.retires
            .is_some_and(|day| catalog.made(provider) >= Some(day))
    };
    for (key, model) in theirs {
        let Some((provider, id)) = chat_model(key, model) else {
            continue;
        };
        let name = format!("{provider}/{}", id.escape_debug());
        let found = catalog.model(provider, id);
        let Some(found) = found.filter(|found| !found.is_assumed) else {
            let ended = text(model, "deprecation_date");
            let made = catalog.made(provider).map(|day| day.to_string());
            if ended.is_none() || ended > made {
                theirs_only.insert(name);
            }
            continue;
        };
        known.insert((found.provider, found.id));
        // A snapshot may differ from its model.
        if found.id == id {
            let differing = properties(&found.row, model);
            let is_over = is_over(provider, &found.row);
            let differing = differing.into_iter().filter(|(property, ours, theirs)| {
                // A property that litellm lacks is no difference, and nobody needs the properties of a model
                // that is switched off.
                theirs.is_some() && ours != theirs && (!is_over || *property == "retires")
            });
            let shown = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
            rows.extend(differing.map(|(property, ours, theirs)| {
                [
                    name.clone(),
                    property.to_owned(),
                    shown(ours),
                    shown(theirs),
                ]
            }));
        }
    }
    rows[1..].sort();
    let mut listed = table(&rows);
    for name in theirs_only {
        listed.push_str(&format!("{name} is only in the file\n"));
    }
    for entry in catalog.models() {
        let (provider, id) = (entry.provider, entry.id);
        if !known.contains(&(provider, id)) && !is_over(provider, entry.row) {
            listed.push_str(&format!("{provider}/{id} is only in the catalogue\n"));
        }
    }
    listed
}

/// Returns our provider and the id of a model for chats.
fn chat_model<'t>(key: &'t str, model: &Value) -> Option<(&'static str, &'t str)> {
    if !matches!(model["mode"].as_str(), Some("chat" | "responses")) {
        return None;
    }
    let theirs = model["litellm_provider"].as_str()?;
    let (_, provider) = PROVIDERS.iter().find(|(name, _)| *name == theirs)?;
    let id = key
        .strip_prefix(theirs)
        .and_then(|rest| rest.strip_prefix('/'));
    Some((provider, id.unwrap_or(key)))
}

/// A property with our value and litellm's.
type Property = (&'static str, Option<String>, Option<String>);

fn properties(row: &ModelRow, model: &Value) -> Vec<Property> {
    let price = |of: fn(&Price) -> Option<f64>| row.price.as_ref().and_then(of).map(number);
    let theirs = |key: &str| model[key].as_f64();
    // litellm has prices of one token, and ours are of a million. The product is not exact.
    let cost = |key: &str| theirs(key).map(|cost| number((cost * 1e12).round() / 1e6));
    let takes = |kind| {
        let media = row.media.as_ref()?;
        Some(media.contains(&kind).to_string())
    };
    let supports = |key: &str| model[key].as_bool().map(|supports| supports.to_string());
    let mut window = theirs("max_input_tokens").map(number);
    // For some models litellm leaves the tokens of the answer out.
    if let (Some(whole), Some(answer)) = (row.context_window, row.max_output_tokens)
        && window == whole.checked_sub(answer).map(|input| input.to_string())
    {
        window = None;
    }
    vec![
        (
            "contextWindow",
            row.context_window.map(|tokens| tokens.to_string()),
            window,
        ),
        (
            "maxOutputTokens",
            row.max_output_tokens.map(|tokens| tokens.to_string()),
            theirs("max_output_tokens").map(number),
        ),
        (
            "price.input",
            price(|price| price.input),
            cost("input_cost_per_token"),
        ),
        (
            "price.cachedInput",
            price(|price| price.cached_input),
            cost("cache_read_input_token_cost"),
        ),
        (
            "price.cacheWrite",
            price(|price| price.cache_write),
            cost("cache_creation_input_token_cost"),
        ),
        (
            "price.output",
            price(|price| price.output),
            cost("output_cost_per_token"),
        ),
        (
            "media: image",
            takes(MediaInput::Image),
            supports("supports_vision"),
        ),
        (
            "media: document",
            takes(MediaInput::Document),
            supports("supports_pdf_input"),
        ),
        (
            "retires",
            row.retires.map(|day| day.to_string()),
            text(model, "deprecation_date"),
        ),
    ]
}

fn text(model: &Value, key: &str) -> Option<String> {
    model[key]
        .as_str()
        .map(|text| text.escape_debug().to_string())
}

fn number(number: f64) -> String {
    number.to_string()
}

/// Writes rows in columns.
fn table(rows: &[[String; 4]]) -> String {
    let mut widths = [0; 4];
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut table = String::new();
    for row in rows {
        let cells = row.iter().zip(widths);
        let cells = cells.map(|(cell, width)| format!("{cell:<width$}"));
        table.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        table.push('\n');
    }
    table
}

#[cfg(test)]
mod tests {
    use super::{differences, parse};
    use agent_catalog::{Catalog, Document};

    #[test]
    fn lists_what_differs() {
        let document = Document::read(
            r#"[OpenAI:Catalog {made: "2026-11-28"} |
                [a:Model {contextWindow: 400, maxOutputTokens: 100, price: {input: 0.3, output: 2}, media: "image"}],
                [b:Model],
                [over:Model {retires: "2026-11-28"}],
                [gone:Model {retires: "2026-11-28"}]
            ]"#,
        );
        let catalog = Catalog::default().with(&document).expect("no mistakes");
        let theirs = parse(
            r#"{
                "a": {"litellm_provider": "openai", "mode": "chat", "max_input_tokens": 300, "max_output_tokens": 200,
                    "input_cost_per_token": 3e-07, "output_cost_per_token": 4e-06, "supports_vision": true,
                    "supports_pdf_input": true, "deprecation_date": "2027-01-01"},
                "a-2026-01-01": {"litellm_provider": "openai", "mode": "chat", "max_output_tokens": 7},
                "openai/c": {"litellm_provider": "openai", "mode": "responses", "deprecation_date": "2026-11-29"},
                "d": {"litellm_provider": "openai", "mode": "chat", "deprecation_date": "2026-11-28"},
                "e": {"litellm_provider": "openai", "mode": "embedding"},
                "over": {"litellm_provider": "openai", "mode": "chat", "max_output_tokens": 7, "deprecation_date": "2026-11-27"},
                "f": {"litellm_provider": "azure", "mode": "chat"},
                "g": 7
            }"#,
        )
        .expect("an object");
        assert_eq!(
            differences(&catalog, &theirs),
            "MODEL        PROPERTY         OURS        THEIRS\n\
             OpenAI/a     maxOutputTokens  100         200\n\
             OpenAI/a     media: document  false       true\n\
             OpenAI/a     price.output     2           4\n\
             OpenAI/a     retires          -           2027-01-01\n\
             OpenAI/over  retires          2026-11-28  2026-11-27\n\
             OpenAI/c is only in the file\n\
             OpenAI/b is only in the catalogue\n"
        );
        for text in ["", "[]", "{"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
