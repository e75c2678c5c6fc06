//! Catalogues of models as documents: their mistakes as diagnostics.

use crate::check::keys::warn_of_known_keys;
use crate::check::reader::Reader;
use crate::check::{Options, check_gram};
use crate::diagnostic::{Code, Diagnostic, Severity};
use agent_catalog::{Catalog, Document, Mistake, MistakeKind};
use agent_gram::syntax::{Element, Item};
use agent_types::names::nearest;

/// Whether a text is a catalogue of models, with or without mistakes: each of its patterns has the label `Catalog`.
#[must_use]
pub fn is_catalog(source: &str) -> bool {
    // Documents of agents are not read twice.
    if !source.contains("Catalog") {
        return false;
    }
    let parsed = agent_gram::parse(source);
    let mut items = parsed.document.items().peekable();
    items.peek().is_some() && items.all(|item| is_catalog_item(&item))
}

/// Whether a pattern of a document has the label `Catalog`.
pub(super) fn is_catalog_item(item: &Item<'_>) -> bool {
    let Element::Bracket(bracket) = item.body() else {
        return false;
    };
    let subject = bracket.subject();
    subject.is_some_and(|subject| {
        let mut labels = subject.labels();
        labels.any(|label| label.name().text() == "Catalog")
    })
}

/// Reads a catalogue that is layered on top of `base`. The diagnostics are its mistakes, in the order of the
/// text.
///
/// # Errors
/// The mistakes.
pub fn check_catalog(source: &str, base: &Catalog) -> Result<Catalog, Vec<Diagnostic>> {
    let mut found = check_gram(source).diagnostics;
    if found
        .iter()
        .any(|found| found.severity() == Severity::Error)
    {
        return Err(found);
    }
    let document = Document::read(source);
    let layered = base.with(&document);
    let of_like = layered.as_ref().err().into_iter().flatten();
    let mistakes = document.mistakes().iter().chain(of_like);
    found = mistakes.map(diagnostic).collect();
    let mut reader = Reader::new(Options::default());
    warn_of_known_keys(&mut reader, source);
    // A key in a catalogue is an error, because nothing may be read of a catalogue that is shared with a key
    // in it.
    let keys = reader.findings.into_sorted().0.into_iter();
    found.extend(keys.map(|key| key.with_severity(Severity::Error)));
    found.sort_by_key(|found| found.span().start);
    // One mistake gives one finding, but some mistakes are found twice: a key in the place of a name, and a
    // successor with its provider.
    let mut end = 0;
    found.retain(|found| {
        let is_first = found.span().start >= end || found.span().is_empty();
        end = end.max(found.span().end);
        is_first
    });
    match layered {
        Ok(catalog) if found.is_empty() => Ok(catalog),
        _ => Err(found),
    }
}

fn diagnostic(mistake: &Mistake) -> Diagnostic {
    let code = match mistake.kind {
        MistakeKind::UnknownProperty => Code::UnknownProperty,
        MistakeKind::DuplicateKey => Code::DuplicateKey,
        MistakeKind::BadValue => Code::BadValue,
        _ => Code::BadCatalog,
    };
    let mut found = Diagnostic::new(code, mistake.span, mistake.message.clone());
    // The mistake lists the known properties, and this crate finds the property that was meant.
    let written = mistake.message.split('`').nth(1).unwrap_or_default();
    let meant = nearest(written, mistake.known.iter().copied());
    if let Some(meant) = meant {
        found = found.with_help(format!("did you mean `{meant}`?"));
    } else if let Some(help) = &mistake.help {
        found = found.with_help(help.clone());
    }
    if let Some((span, label)) = &mistake.label {
        found = found.with_label(*span, label.clone());
    }
    found
}
