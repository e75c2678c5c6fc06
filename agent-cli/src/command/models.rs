//! `agent models`: lists, shows and compares models.

mod check;
mod vendor;

use crate::command::check::model;
use crate::document::ToolFiles;
use crate::input::refuse_stdin_twice;
use crate::models::ModelFiles;
use crate::outcome::{CommandError, Outcome};
use crate::output::{json_to_stdout, line_to_stdout, text_to_stdout};
use crate::output_format::Format;
use crate::projects::Projects;
use crate::report::{DiagnosticsDocument, Printer};
use crate::style::Style;
use agent_catalog::{Catalog, Found, ModelRow, vendor};
use agent_project::known_tools::KnownModels;
use agent_project::report::Report;
use agent_project::source;
use agent_runtime::Environment;
use agent_spec::model::Model;
use agent_spec::names::nearest;
use agent_spec::terminal;
use agent_spec::{Diagnostic, Severity};
use serde::Serialize;
use serde_json::Value;
use std::collections::HashSet;
use std::path::PathBuf;

const LONG_ABOUT: &str = "\
List, show and compare models

What models take, cost and refuse is in a catalogue that is part of this program. `agent check` compares the settings
of agents with it. A model that it does not have is a few lines of gram, which --models adds:
  [OpenAI:Catalog | [gpt-6.3-luna:Model {like: \"gpt-6-luna\", contextWindow: 2000000}]]
The page \"Models\" of the book has the properties of a row. What the catalogue does not say is not known, and shown as `-`.

Prices are in dollars for a million tokens, of those sent and of those written.

`agent models compare OLD NEW FILE…` prints what differs between two models, and then checks the agents of the files
as if each had the model NEW: it shows the errors, and the warnings that are not there with OLD. The exit code is 1
if there is an error.";

/// The maximum number of characters of a name or a value in a catalogue, which a stranger may have written.
const MAX_NAME: usize = 200;

const AFTER_HELP: &str = "\
Examples:
  agent models
  agent models claude
  agent models show OpenAI/gpt-6-luna
  agent models compare OpenAI/gpt-4o-mini OpenAI/gpt-6-luna agents/*.gram
  agent models check
  agent models --models models.gram --format json";

/// List, show and compare models
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT, after_help = AFTER_HELP, args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    /// List only models whose names have this text, in any case
    #[arg(value_name = "TEXT")]
    pattern: Option<String>,
    #[command(flatten)]
    models: ModelFiles,
    /// The format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Show all that is known of a model
    Show {
        /// The model, such as OpenAI/gpt-6-luna
        #[arg(value_parser = model)]
        model: Model,
        #[command(flatten)]
        models: ModelFiles,
        /// The format
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Show what changes from one model to another, also for the agents of documents
    Compare {
        /// The model of today
        #[arg(value_parser = model)]
        old: Model,
        /// The other model
        #[arg(value_parser = model)]
        new: Model,
        /// Documents whose agents are checked with the other model
        #[arg(value_name = "FILE")]
        files: Vec<PathBuf>,
        #[command(flatten)]
        tools: ToolFiles,
        #[command(flatten)]
        models: ModelFiles,
        /// The format
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    Check(check::Args),
}

/// Lists, shows, compares or checks models.
pub(crate) fn models(
    args: Args,
    environment: &Environment,
    style: &Style,
) -> Result<Outcome, CommandError> {
    match args.action {
        None => {
            let known = args.models.read_here(environment, &[])?;
            list(
                &known.catalog,
                args.pattern.as_deref().unwrap_or_default(),
                args.format,
            )
        }
        Some(Action::Show {
            model,
            models,
            format,
        }) => {
            let known = models.read_here(environment, &[])?;
            show(&known.catalog, &model, format)
        }
        Some(Action::Compare {
            old,
            new,
            files,
            tools,
            models,
            format,
        }) => {
            refuse_stdin_twice(files.iter().chain(tools.paths()).chain(models.paths()))?;
            let known = models.read_here(environment, tools.providers())?;
            let rows = [&old, &new].map(|model| found(&known.catalog, model));
            let [old_row, new_row] = rows;
            let differences = differences(&old_row?, &new_row?);
            let reports = changed_findings(&files, &tools, &known, [old, new.clone()])?;
            print_comparison(&differences, &reports, &new, format, style)
        }
        Some(Action::Check(args)) => check::check(&args, environment),
    }
}

/// Returns the catalogue's facts about a model.
fn found<'c>(catalog: &'c Catalog, model: &Model) -> Result<Found<'c>, CommandError> {
    let (provider, id) = (model.provider(), model.id());
    catalog.model(provider, id).ok_or_else(|| {
        let names: Vec<String> = catalog
            .models()
            .map(|entry| full_name(entry.provider, entry.id))
            .collect();
        let given = full_name(provider, id);
        let instead = match nearest(&given, names.iter().map(String::as_str)) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "`agent models` lists those that it has, and --models adds others".to_owned(),
        };
        CommandError::new(format!(
            "the catalogue of models has no `{given}`; {instead}"
        ))
    })
}

fn full_name(provider: &str, id: &str) -> String {
    format!("{provider}/{id}")
}

/// A property of a model, with its value as JSON.
type Fact = (&'static str, Option<Value>);

/// Returns the properties of a row, in the order in which people ask for them.
fn facts(row: &ModelRow) -> Vec<Fact> {
    let price = row.price.clone().unwrap_or_default();
    let long = price.long_context.clone().unwrap_or_default();
    let dollars = |price: Option<f64>| price.map(Value::from);
    vec![
        ("released", word(row.released.as_ref())),
        ("retires", word(row.retires.as_ref())),
        ("successor", word(row.successor.as_ref())),
        ("contextWindow", row.context_window.map(Value::from)),
        ("maxOutputTokens", row.max_output_tokens.map(Value::from)),
        ("price.input", dollars(price.input)),
        ("price.cachedInput", dollars(price.cached_input)),
        ("price.cacheWrite", dollars(price.cache_write)),
        ("price.longCacheWrite", dollars(price.long_cache_write)),
        ("price.output", dollars(price.output)),
        ("price.longContext.above", long.above.map(Value::from)),
        ("price.longContext.input", dollars(long.input)),
        ("price.longContext.cachedInput", dollars(long.cached_input)),
        ("price.longContext.cacheWrite", dollars(long.cache_write)),
        ("price.longContext.output", dollars(long.output)),
        ("media", words(row.media.as_deref())),
        ("efforts", words(row.efforts.as_deref())),
        ("chatEfforts", words(row.chat_efforts.as_deref())),
        ("defaultEffort", word(row.default_effort.as_ref())),
        ("temperature", word(row.temperature.as_ref())),
        ("stop", row.stop.map(Value::from)),
        ("thinking", word(row.thinking.as_ref())),
        ("thinkingTypes", words(row.thinking_types.as_deref())),
        ("boundThoughts", row.bound_thoughts.map(Value::from)),
        ("hidesText", row.hides_text.map(Value::from)),
        ("forcedCalls", word(row.forced_calls.as_ref())),
        ("chatTools", word(row.chat_tools.as_ref())),
        ("structuredOutput", word(row.structured_output.as_ref())),
        ("toolSearch", row.tool_search.map(Value::from)),
        ("api", word(row.api.as_ref())),
        ("family", word(row.family.as_ref())),
    ]
}

fn word(value: Option<&impl ToString>) -> Option<Value> {
    value.map(|value| value.to_string().into())
}

fn words(values: Option<&[impl ToString]>) -> Option<Value> {
    values.map(|values| values.iter().map(ToString::to_string).collect())
}

/// Writes the value of a property for people.
fn readable(property: &str, value: &Value) -> String {
    let is_price = property.starts_with("price.") && property != "price.longContext.above";
    match value {
        Value::Bool(is) => if *is { "yes" } else { "no" }.to_owned(),
        Value::Array(words) if words.is_empty() => "none of them".to_owned(),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            words.join(", ")
        }
        Value::String(word) => word.clone(),
        number if is_price => number.as_f64().map(dollars).unwrap_or_default(),
        number => number.as_u64().map(grouped).unwrap_or_default(),
    }
}

fn text(value: Option<&impl ToString>) -> Option<String> {
    value.map(ToString::to_string)
}

fn dollars(price: f64) -> String {
    format!("${price}")
}

/// Writes a number with a comma after each three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A model of the catalogue, for programs. Unknown values are null.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed<'c> {
    model: String,
    context_window: Option<u64>,
    max_output_tokens: Option<u64>,
    input_price: Option<f64>,
    output_price: Option<f64>,
    efforts: Option<Vec<&'static str>>,
    retires: Option<String>,
    successor: Option<&'c str>,
}

fn list(catalog: &Catalog, pattern: &str, format: Format) -> Result<Outcome, CommandError> {
    let pattern = pattern.to_lowercase();
    let chosen = catalog.models().filter(|entry| {
        full_name(entry.provider, entry.id)
            .to_lowercase()
            .contains(&pattern)
    });
    let listed: Vec<Listed<'_>> = chosen
        .map(|entry| {
            let row = entry.row;
            let price = row.price.as_ref();
            let efforts = row.efforts.as_ref();
            Listed {
                model: full_name(entry.provider, entry.id),
                context_window: row.context_window,
                max_output_tokens: row.max_output_tokens,
                input_price: price.and_then(|price| price.input),
                output_price: price.and_then(|price| price.output),
                efforts: efforts
                    .map(|efforts| efforts.iter().map(|effort| effort.as_str()).collect()),
                retires: text(row.retires.as_ref()),
                successor: row.successor.as_deref(),
            }
        })
        .collect();
    if format == Format::Json {
        json_to_stdout(&listed)?;
        return Ok(Outcome::Fine);
    }
    let others = providers_without_models(catalog, &pattern);
    if listed.is_empty() && others.is_empty() {
        return Err(CommandError::new(format!(
            "no name of a model or a provider has the text {pattern:?}; `agent models` lists all of them"
        )));
    }
    let mut text = String::new();
    if !listed.is_empty() {
        text += &table(&listed);
    }
    if !others.is_empty() {
        let others = terminal::line(&others.join(", "), usize::MAX);
        text += &format!("any model of these providers, of which nothing is known: {others}\n");
    }
    text_to_stdout(&text)?;
    Ok(Outcome::Fine)
}

/// The providers whose names have a text in lower case, and of which the catalogue lists no models.
fn providers_without_models<'c>(catalog: &'c Catalog, pattern: &str) -> Vec<&'c str> {
    let listed: HashSet<&str> = catalog.models().map(|entry| entry.provider).collect();
    let mut others: Vec<&str> = catalog
        .providers()
        .filter(|name| !listed.contains(vendor(name)))
        .filter(|name| name.to_lowercase().contains(pattern))
        .collect();
    others.sort_unstable();
    others
}

/// Writes the list in columns.
fn table(listed: &[Listed<'_>]) -> String {
    let shown = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    let head = ["MODEL", "CONTEXT", "IN", "OUT", "EFFORTS", "RETIRES"].map(str::to_owned);
    let mut rows = vec![head];
    rows.extend(listed.iter().map(|model| {
        [
            terminal::line(&model.model, MAX_NAME),
            shown(model.context_window.map(grouped)),
            shown(model.input_price.map(dollars)),
            shown(model.output_price.map(dollars)),
            match model.efforts.as_deref() {
                Some([]) => "no".to_owned(),
                Some([one]) => (*one).to_owned(),
                Some([first, .., last]) => format!("{first} to {last}"),
                None => "-".to_owned(),
            },
            shown(model.retires.clone()),
        ]
    }));
    let mut widths = [0; 6];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for row in &rows {
        let cells = row
            .iter()
            .zip(widths)
            .enumerate()
            .map(|(at, (cell, width))| match at {
                // Numbers are aligned to the right.
                1..=3 => format!("{cell:>width$}"),
                _ => format!("{cell:<width$}"),
            });
        let line = cells.collect::<Vec<_>>().join("  ");
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// All known facts about a model, for programs.
#[derive(Serialize)]
struct Shown<'c> {
    model: String,
    row: String,
    #[serde(rename = "isAssumed")]
    is_assumed: bool,
    source: Option<&'c str>,
    made: Option<String>,
    properties: serde_json::Map<String, Value>,
}

fn show(catalog: &Catalog, model: &Model, format: Format) -> Result<Outcome, CommandError> {
    let found = found(catalog, model)?;
    let provider = catalog.provider(found.provider);
    let name = full_name(model.provider(), model.id());
    let row = full_name(found.provider, found.id);
    let source = provider.and_then(|provider| provider.source.as_deref());
    let made = text(catalog.made(found.provider).as_ref());
    if format == Format::Json {
        let known = facts(&found.row).into_iter();
        let properties = known.filter_map(|(key, value)| Some((key.to_owned(), value?)));
        json_to_stdout(&Shown {
            model: name,
            row,
            is_assumed: found.is_assumed,
            source,
            made,
            properties: properties.collect(),
        })?;
        return Ok(Outcome::Fine);
    }
    let name = terminal::line(&name, MAX_NAME);
    let mut shown = format!("{name}\n");
    let row = terminal::line(&row, MAX_NAME);
    if found.is_assumed {
        shown.push_str(&format!(
            "  the catalogue does not have it; these are the rules of `{row}`, of the same family\n"
        ));
    } else if row != name {
        shown.push_str(&format!("  as `{row}`\n"));
    }
    for (key, value) in facts(&found.row) {
        if let Some(value) = value {
            let value = terminal::line(&readable(key, &value), MAX_NAME);
            shown.push_str(&format!("  {key:<29} {value}\n"));
        }
    }
    for (key, value) in [("made", made.as_deref()), ("source", source)] {
        if let Some(value) = value {
            shown.push_str(&format!("  {key:<29} {value}\n"));
        }
    }
    text_to_stdout(&shown)?;
    Ok(Outcome::Fine)
}

/// A property in which two models differ, for programs.
#[derive(Serialize)]
struct Difference {
    property: &'static str,
    old: Option<Value>,
    new: Option<Value>,
}

fn differences(old: &Found<'_>, new: &Found<'_>) -> Vec<Difference> {
    let both = facts(&old.row).into_iter().zip(facts(&new.row));
    let differing = both.filter(|((_, old), (_, new))| old != new);
    differing
        .map(|((property, old), (_, new))| Difference { property, old, new })
        .collect()
}

/// Checks documents with each of two models. Returns the findings with the second model, without the warnings
/// that the first model also has.
fn changed_findings(
    files: &[PathBuf],
    tools: &ToolFiles,
    models: &KnownModels,
    [old, new]: [Model; 2],
) -> Result<Vec<Report>, CommandError> {
    let sources = source::read_all(files)?;
    let (known, found) = tools.read()?;
    let mut reports: Vec<Report> = found.into_iter().filter(Report::has_errors).collect();
    let with = |model: Model| {
        let models = KnownModels {
            instead: Some(model),
            ..models.clone()
        };
        Projects::new(known.clone().with_models(models))
    };
    let (mut with_old, mut with_new) = (with(old), with(new));
    for (path, source) in files.iter().zip(sources) {
        let (Some(old), Some(new)) = (with_old.known_for(path)?, with_new.known_for(path)?) else {
            continue;
        };
        let before = old.check(&source.text).diagnostics;
        let after = new.check(&source.text);
        let is_new = |found: &Diagnostic| {
            !before.iter().any(|other| {
                (other.code(), other.span(), other.message())
                    == (found.code(), found.span(), found.message())
            })
        };
        // An error counts even if both models have it.
        let after = after.diagnostics.into_iter();
        let kept = after.filter(|found| is_new(found) || found.severity() == Severity::Error);
        reports.push(Report::new(source, kept.collect()));
    }
    reports.extend(with_new.into_reports());
    Ok(reports)
}

/// A comparison, for programs.
#[derive(Serialize)]
struct Comparison<'a> {
    differences: &'a [Difference],
    #[serde(flatten)]
    findings: DiagnosticsDocument<'a>,
}

fn print_comparison(
    differences: &[Difference],
    reports: &[Report],
    new: &Model,
    format: Format,
    style: &Style,
) -> Result<Outcome, CommandError> {
    let outcome = Outcome::of_errors(reports.iter().any(Report::has_errors));
    if format == Format::Json {
        json_to_stdout(&Comparison {
            differences,
            findings: DiagnosticsDocument::new(reports),
        })?;
        return Ok(outcome);
    }
    let shown = |property: &str, value: &Option<Value>| match value {
        Some(value) => readable(property, value),
        None => "-".to_owned(),
    };
    let old = differences
        .iter()
        .map(|difference| shown(difference.property, &difference.old));
    let width = old.map(|old| old.chars().count()).max();
    let width = width.unwrap_or_default();
    let mut text = String::new();
    for difference in differences {
        let property = difference.property;
        let [old, new] = [&difference.old, &difference.new].map(|value| shown(property, value));
        text.push_str(&format!("{property:<29} {old:<width$} -> {new}\n"));
    }
    if differences.is_empty() {
        text.push_str("nothing differs between the two\n");
    }
    text_to_stdout(&text)?;
    let mut printer = Printer::new(style);
    for report in reports {
        if report.diagnostics.is_empty() {
            let name = report.source.display_name();
            line_to_stdout(&format!(
                "{name}: nothing changes with {}",
                full_name(new.provider(), new.id())
            ))?;
        } else {
            printer.print(report);
            line_to_stdout(&format!(
                "{}: {}",
                report.source.display_name(),
                report.counts()
            ))?;
        }
    }
    printer.finish();
    Ok(outcome)
}
