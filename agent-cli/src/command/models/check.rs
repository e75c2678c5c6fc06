//! `agent models check`: compares the catalogue of models with the vendors' own lists.

use super::vendor::{Vendor, VendorModel, client};
use crate::async_runtime::async_runtime;
use crate::display;
use crate::models::{ModelFiles, address_variable, has_errors};
use crate::outcome::{CommandError, Outcome};
use crate::output::{json_to_stdout, text_to_stdout};
use crate::output_format::Format;
use agent_catalog::{Catalog, Date, ProviderRow, WireFormat};
use agent_project::report::counted;
use agent_runtime::__private::base_url_in_variable;
use agent_runtime::Environment;
use serde::Serialize;
use std::collections::BTreeSet;

const LONG_ABOUT: &str = "\
Compare the catalogue of models with the vendors' own lists

Each vendor whose models are in the catalogue, and whose key is set, is asked for the models that it has for this key. Shown
are the models that the catalogue lacks, those that the vendor no longer has, and those that it switches off on another day.
Models for images, speech, embeddings and the like are left out.

A request goes to the address in the vendor's variable, such as OPENAI_BASE_URL, or else to the vendor. An address in a
file of --models gets no key, so that vendor is not asked.

Exit codes:
  0  nothing differs
  1  something differs
  2  a vendor did not answer with its models, or no vendor was asked";

const AFTER_HELP: &str = "\
Examples:
  agent models check
  agent models check --models models.gram --format json";

/// Compare the catalogue of models with the vendors' own lists
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT, after_help = AFTER_HELP)]
pub(super) struct Args {
    #[command(flatten)]
    models: ModelFiles,
    /// The format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// The comparison with one vendor, for programs. A property that is not known is null.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Comparison<'c> {
    vendor: &'c str,
    /// The address of the vendor's list, if it was asked.
    address: Option<String>,
    /// The reason why the vendor was not asked.
    not_asked: Option<String>,
    /// The reason why the vendor's list is not known, although the vendor was to be asked.
    error: Option<String>,
    /// The number of models in the vendor's list.
    models: Option<usize>,
    missing: Vec<Missing>,
    gone: Vec<&'c str>,
    dates: Vec<OtherDate>,
}

/// A model that the catalogue lacks.
#[derive(Serialize)]
struct Missing {
    model: String,
    released: Option<String>,
}

/// A model that its vendor switches off on another day than the catalogue has.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OtherDate {
    model: String,
    vendor_date: String,
    catalog_date: Option<String>,
}

/// The comparisons, for programs.
#[derive(Serialize)]
struct Document<'a> {
    vendors: &'a [Comparison<'a>],
}

/// Compares the catalogue of models with the vendors' own lists.
pub(super) fn check(args: &Args, environment: &Environment) -> Result<Outcome, CommandError> {
    let known = args.models.read(environment, &[])?.map_err(has_errors)?;
    let client = client(environment)?;
    let runtime = async_runtime()?;
    let mut comparisons = Vec::new();
    for name in known.catalog.providers() {
        let Some(row) = asked_row(&known.catalog, name) else {
            continue;
        };
        let mut comparison = Comparison {
            vendor: name,
            ..Comparison::default()
        };
        match vendor(name, row, environment) {
            Err(error) => comparison.error = Some(error.to_string()),
            Ok(Err(reason)) => comparison.not_asked = Some(reason),
            Ok(Ok(vendor)) => {
                let address = vendor.address();
                match runtime.block_on(vendor.models(&client)) {
                    Err(error) => comparison.error = Some(format!("{address} {error}")),
                    Ok(models) => comparison.compare(&known.catalog, known.today, models),
                }
                comparison.address = Some(address);
            }
        }
        comparisons.push(comparison);
    }
    match args.format {
        Format::Json => json_to_stdout(&Document {
            vendors: &comparisons,
        })?,
        Format::Human => text_to_stdout(&comparisons.iter().map(shown).collect::<String>())?,
    }
    let errors = comparisons.iter().filter_map(|comparison| {
        let error = comparison.error.as_deref()?;
        Some(format!("{}: {error}", comparison.vendor))
    });
    let errors: Vec<String> = errors.collect();
    if !errors.is_empty() {
        return Err(CommandError::from_messages(errors));
    }
    if comparisons
        .iter()
        .all(|comparison| comparison.not_asked.is_some())
    {
        return Err(CommandError::new("no vendor was asked for its models"));
    }
    let differs = comparisons.iter().any(Comparison::differs);
    Ok(Outcome::of_errors(differs))
}

/// Returns the row of a provider that can be asked for its models, if the catalogue has models of it. A
/// provider that serves the models of another provider, such as Azure, is not asked, because it lists the
/// models that could be deployed there.
fn asked_row<'c>(catalog: &'c Catalog, name: &str) -> Option<&'c ProviderRow> {
    catalog.provider(name).filter(|row| {
        catalog.lists_models_of(name)
            && row.models.is_none()
            && row.keys.is_some()
            && row.format != Some(WireFormat::Ollama)
    })
}

/// Returns a vendor to ask, or the reason why it is not asked.
///
/// The vendor's address, its format and the names of its keys are those of this program, because a file of
/// `--models` could otherwise send any variable of the environment anywhere.
///
/// # Errors
/// Returns an error if a variable of the vendor cannot be used.
fn vendor(
    name: &str,
    row: &ProviderRow,
    environment: &Environment,
) -> Result<Result<Vendor, String>, CommandError> {
    let own = Catalog::builtin().provider(name);
    let own_url = own.and_then(|own| own.base_url.as_deref());
    let variable = address_variable(name);
    let given = match variable {
        Some(variable) => environment.read(variable)?,
        None => None,
    };
    let format = own.and_then(|own| own.format).unwrap_or(WireFormat::OpenAi);
    let base_url = match (&given, own_url) {
        (Some(given), own) => {
            let (variable, own) = (variable.unwrap_or_default(), own.unwrap_or_default());
            base_url_in_variable(given, variable, format, own).ok()
        }
        (None, Some(own)) if row.base_url.as_deref() == Some(own) => Some(own.to_owned()),
        _ => {
            return Ok(Err(
                "an address in a file of --models gets no key".to_owned()
            ));
        }
    };
    let names = own.and_then(|own| own.keys.as_deref()).unwrap_or_default();
    for key in names {
        if let Some(value) = environment.read_key(key)? {
            let vendor = base_url.and_then(|url| Vendor::new(format, &url, key, &value));
            return vendor.map(Ok).ok_or_else(|| {
                CommandError::new(format!(
                    "the variable {} has no address that can be used; write one such as {}",
                    variable.unwrap_or_default(),
                    own_url.unwrap_or_default()
                ))
            });
        }
    }
    Ok(Err(format!("no key is set ({})", names.join(", "))))
}

impl Comparison<'_> {
    fn differs(&self) -> bool {
        !(self.missing.is_empty() && self.gone.is_empty() && self.dates.is_empty())
    }
}

impl<'c> Comparison<'c> {
    /// Compares the catalogue with the models of the vendor.
    fn compare(&mut self, catalog: &'c Catalog, today: Date, models: Vec<VendorModel>) {
        let mut listed = BTreeSet::new();
        self.models = Some(models.len());
        for model in models {
            let found = catalog.model(self.vendor, &model.id);
            match found.filter(|found| !found.is_assumed) {
                Some(found) => {
                    listed.insert(found.id);
                    let catalog_date = found.row.retires.map(|day| day.to_string());
                    let other = model
                        .shutdown
                        .filter(|day| catalog_date.as_ref() != Some(day));
                    if let Some(vendor_date) = other {
                        self.dates.push(OtherDate {
                            model: model.id,
                            vendor_date,
                            catalog_date,
                        });
                    }
                }
                None if model.generates && !is_special(&model.id) => self.missing.push(Missing {
                    model: model.id,
                    released: model.released,
                }),
                None => {}
            }
        }
        // The newest models come first.
        self.missing
            .sort_by(|a, b| (&b.released, &a.model).cmp(&(&a.released, &b.model)));
        self.dates.sort_by(|a, b| a.model.cmp(&b.model));
        let gone = catalog.models().filter(|entry| {
            let is_retired = entry.row.retires.is_some_and(|day| day <= today);
            entry.provider == self.vendor && !is_retired && !listed.contains(entry.id)
        });
        self.gone = gone.map(|entry| entry.id).collect();
    }
}

/// The words in the names of models that are not for chats.
const SPECIAL: [&str; 13] = [
    "audio",
    "babbage",
    "dall",
    "davinci",
    "embedding",
    "image",
    "live",
    "moderation",
    "realtime",
    "sora",
    "transcribe",
    "tts",
    "whisper",
];

/// Whether the name of a model contains a word for models that are not for chats.
fn is_special(id: &str) -> bool {
    id.split('-').any(|word| SPECIAL.contains(&word))
}

/// Returns the lines about a vendor. An error is written elsewhere.
fn shown(comparison: &Comparison<'_>) -> String {
    let line = display::name;
    let vendor = line(comparison.vendor);
    if let Some(reason) = &comparison.not_asked {
        return format!("{vendor}: not asked, because {reason}\n");
    }
    let (Some(address), Some(models)) = (&comparison.address, comparison.models) else {
        return String::new();
    };
    let mut rows = Vec::new();
    for missing in &comparison.missing {
        let released = missing.released.as_deref().map(line);
        let released = released.map(|day| format!(", released on {day}"));
        let released = released.unwrap_or_default();
        rows.push(format!(
            "not in the catalogue  {}{released}",
            line(&missing.model)
        ));
    }
    for id in &comparison.gone {
        rows.push(format!("not at the vendor     {}", line(id)));
    }
    for date in &comparison.dates {
        rows.push(format!(
            "another last day      {}, {} at the vendor, {} in the catalogue",
            line(&date.model),
            line(&date.vendor_date),
            date.catalog_date.as_deref().unwrap_or("none")
        ));
    }
    let nothing = if rows.is_empty() {
        ", nothing differs"
    } else {
        ""
    };
    let mut text = format!(
        "{vendor}: {} at {address}{nothing}\n",
        counted(models, "model")
    );
    for row in rows {
        text.push_str(&format!("  {row}\n"));
    }
    text
}
