//! The state of a check: collects diagnostics, and reads values of an expected kind.

use crate::check::Options;
use crate::diagnostic::{Code, Diagnostic, FindingList};
use crate::secret::redacted;
use agent_gram::print::writer::Trail;
use agent_gram::syntax::{Name, NumberKind, Property, Value, ValueKind};
use agent_gram::value::Text;
use agent_gram::{Span, SyntaxError};
use agent_types::__private::Patterns;
use agent_types::duration::duration_of;
use agent_types::names::{nearest, nearly_spells};
use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

/// Collects findings while a document is read.
pub(crate) struct Reader<'o> {
    pub(super) options: Options<'o>,
    /// The text of the document; empty if the reader has no text.
    pub(super) source: &'o str,
    pub(crate) findings: FindingList,
    /// The values that were reported as keys because of their names.
    pub(super) keys: Vec<Span>,
    /// Whether a parameter may be media: in the signature of an agent.
    pub(super) takes_media: bool,
    /// The parts of the parameter or result that is being read, each with the trail that leads to it.
    pub(super) parts: Vec<(Trail, Span)>,
    /// The trail to the part that is being read.
    trail: Trail,
    syntax_errors: Vec<Span>,
    /// The number of names that were compared in all searches.
    compared: usize,
    /// The bytes of gram that were copied for references.
    copied: usize,
    pub(super) patterns: Patterns,
}

/// The maximum number of bytes of gram that are copied for references. Each agent has its own copies of specs, so that
/// a short document of somebody else, checked in an editor or by CI, could fill the memory.
const MAX_REFERRED_BYTES: usize = 16 << 20;

/// The maximum number of names that are compared in all searches for a misspelt name. A comparison takes half a
/// microsecond, so that a document with thousands of tools and thousands of unknown names would take minutes, also when
/// only the file with the tools is missing.
const MOST_COMPARED: usize = 1_000_000;

impl<'o> Reader<'o> {
    pub(crate) fn new(options: Options<'o>) -> Self {
        Self {
            options,
            source: "",
            findings: FindingList::default(),
            keys: Vec::new(),
            takes_media: false,
            parts: Vec::new(),
            trail: Trail::EMPTY,
            syntax_errors: Vec::new(),
            compared: 0,
            copied: 0,
            patterns: Patterns::default(),
        }
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.findings.push(diagnostic);
    }

    pub(crate) fn report_syntax_errors(&mut self, errors: &[SyntaxError]) {
        for error in errors {
            self.report(Diagnostic::from(error));
            self.syntax_errors.push(error.span());
        }
        self.syntax_errors.sort_unstable();
    }

    /// Reports type expressions in place of labels. They count as syntax errors.
    pub(super) fn report_written_types(&mut self, found: &[Diagnostic]) {
        for found in found {
            self.report(found.clone());
            self.syntax_errors.push(found.span());
        }
    }

    /// Whether a syntax error is inside or next to a part. Such a part may have been read wrongly, so it
    /// is not checked further: one mistake gives one diagnostic.
    pub(super) fn is_broken(&self, part: Span) -> bool {
        // Errors come in source order, so the first that does not end before the part decides.
        let first = self
            .syntax_errors
            .partition_point(|error| error.end < part.start);
        self.syntax_errors
            .get(first)
            .is_some_and(|error| error.start <= part.end)
    }

    pub(super) fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::new(code, span, message));
    }

    /// Records a part, and makes it the current part. Returns the part around it, for [`Reader::leave`].
    pub(super) fn enter(&mut self, step: u16, span: Span) -> Trail {
        let outside = self.trail;
        self.trail = outside.then(step);
        self.parts.push((self.trail, span));
        outside
    }

    /// Makes the part around the part that was read the current part again.
    pub(super) fn leave(&mut self, outside: Trail) {
        self.trail = outside;
    }

    /// Whether a misspelt name may be compared with so many other names of the document.
    pub(super) fn may_search(&mut self, names: usize) -> bool {
        self.compared = self.compared.saturating_add(names);
        self.compared <= MOST_COMPARED
    }

    /// Whether a tool or agent whose text is this long may be copied for one more reference. Reports the first
    /// that may not.
    pub(super) fn may_copy(&mut self, bytes: usize, reference: Span) -> bool {
        let could = self.copied <= MAX_REFERRED_BYTES;
        self.copied = self.copied.saturating_add(bytes);
        let can = self.copied <= MAX_REFERRED_BYTES;
        if could && !can {
            let message = format!(
                "the tools and agents that are named up to here come to more than {} MiB, each counted as \
                 often as it is named",
                MAX_REFERRED_BYTES >> 20
            );
            let found = Diagnostic::new(Code::GramTooLong, reference, message);
            self.report(found.with_help("write the agents into several documents"));
        }
        can
    }

    /// Returns the number of errors so far; two equal numbers mean that the part between was free of
    /// errors.
    pub(super) fn errors(&self) -> usize {
        self.findings.error_count()
    }

    /// Reads text. Tagged text counts by its content.
    pub(crate) fn text<'a>(
        &mut self,
        value: Value<'a>,
        what: impl fmt::Display + Copy,
    ) -> Option<&'a str> {
        match value.kind() {
            ValueKind::String { text, .. } | ValueKind::Tagged { text, .. } => Some(text),
            ValueKind::Symbol(symbol) => {
                let found = Diagnostic::new(
                    Code::BadValue,
                    value.span(),
                    format!("{what} must be text; `{symbol}` is a bare symbol"),
                );
                self.report(found.with_help(format!("quote it: \"{symbol}\"")));
                None
            }
            _ => self.wrong(value, what, "text"),
        }
    }

    pub(super) fn owned_text(
        &mut self,
        value: Value<'_>,
        what: impl fmt::Display + Copy,
    ) -> Option<Text> {
        self.text(value, what).map(Text::new)
    }

    pub(super) fn boolean(
        &mut self,
        value: Value<'_>,
        what: impl fmt::Display + Copy,
    ) -> Option<bool> {
        match value.kind() {
            ValueKind::Boolean(value) => Some(value),
            _ => self.wrong(value, what, "`true` or `false`"),
        }
    }

    /// Reads a whole number of a type that may be narrower than gram's.
    pub(super) fn integer<T: TryFrom<i128>>(
        &mut self,
        value: Value<'_>,
        what: impl fmt::Display + Copy,
        range: &str,
    ) -> Option<T> {
        if let ValueKind::Number(number) = value.kind()
            && let NumberKind::Integer(integer) = number.kind()
            && let Ok(integer) = T::try_from(integer)
        {
            return Some(integer);
        }
        self.wrong(value, what, range)
    }

    pub(crate) fn wrong<T>(
        &mut self,
        value: Value<'_>,
        what: impl fmt::Display + Copy,
        expected: &str,
    ) -> Option<T> {
        self.refuse_value(value, &what, expected);
        None
    }

    fn refuse_value(&mut self, value: Value<'_>, what: &dyn fmt::Display, expected: &str) {
        // The parser reported the value.
        if !matches!(value.kind(), ValueKind::Invalid) {
            let found = describe(value);
            self.error(
                Code::BadValue,
                value.span(),
                format!("{what} must be {expected}; found {found}"),
            );
        }
    }

    /// Reports keys given twice.
    pub(crate) fn refuse_duplicate_keys<'t>(
        &mut self,
        properties: impl Iterator<Item = Property<'t>>,
    ) {
        let mut seen = HashMap::new();
        for key in properties.map(|property| property.key()) {
            let first = *seen.entry(key.text()).or_insert(key.span());
            if first != key.span() {
                self.duplicate_key(key, first);
            }
        }
    }

    #[cold]
    fn duplicate_key(&mut self, key: Name<'_>, first: Span) {
        let message = format!("the key `{}` is given twice", key.text());
        self.report(
            Diagnostic::new(Code::DuplicateKey, key.span(), message)
                .with_label(first, "first given here")
                .with_help("keep one of them"),
        );
    }

    /// Reports an unknown key; returns the known key that was probably meant.
    pub(crate) fn unknown_key(
        &mut self,
        key: Name<'_>,
        place: &str,
        known: &[&'static str],
    ) -> Option<&'static str> {
        let found = Diagnostic::new(
            Code::UnknownProperty,
            key.span(),
            format!("`{}` is not a property of {place}", key.text()),
        );
        let meant = nearest(key.text(), known.iter().copied());
        self.report(match meant {
            Some(meant) => found.with_help(format!("did you mean `{meant}`?")),
            None => found.with_help(format!("known here: {}", known.join(", "))),
        });
        meant
    }

    /// Reports that a property is missing, unless a key that nearly spells it was reported. A key of the
    /// author's `own` that is similar is kept and named in the message, because it may be a misspelling.
    pub(super) fn missing_key<'t>(
        &mut self,
        found: Diagnostic,
        key: &str,
        add: &str,
        own: impl Iterator<Item = Name<'t>> + Clone,
    ) {
        if own.clone().any(|name| nearly_spells(name.text(), key)) {
            return;
        }
        let meant = nearest(key, own.clone().map(|name| name.text()));
        let meant = meant.and_then(|meant| own.clone().find(|name| name.text() == meant));
        self.report(match meant {
            Some(name) => found
                .with_label(name.span(), "kept as a property of your own")
                .with_help(format!(
                    "did you mean `{key}` by `{}`? Otherwise add `{add}`",
                    name.text()
                )),
            None => found.with_help(format!("add `{add}`")),
        });
    }
}

/// Returns a value in words, for messages.
pub(super) fn describe(value: Value<'_>) -> String {
    match value.kind() {
        ValueKind::Number(number) => match number.kind() {
            NumberKind::Integer(value) => format!("the whole number {value}"),
            NumberKind::Decimal(value) => format!("the number {value}"),
            NumberKind::Measurement { .. } => "a measurement".to_owned(),
        },
        ValueKind::Boolean(value) => format!("`{value}`"),
        ValueKind::Symbol(symbol) => format!("the symbol `{symbol}`"),
        ValueKind::String { text, .. } => format!("the text {}", quoted_start(text)),
        ValueKind::Tagged { .. } => "a tagged text".to_owned(),
        ValueKind::Range { .. } => "a range".to_owned(),
        ValueKind::Array(_) => "a list".to_owned(),
        ValueKind::Map(_) => "a map".to_owned(),
        ValueKind::Invalid => "nothing readable".to_owned(),
    }
}

fn quoted_start(text: &str) -> String {
    const SHOWN: usize = 40;
    // Redacted before it is cut, because the rest of a cut key would not be recognised.
    let text = redacted(text);
    let mut start: String = text.chars().take(SHOWN).collect();
    if text.chars().nth(SHOWN).is_some() {
        start.push('…');
    }
    format!("{start:?}")
}

/// A word of the document as messages show it. It becomes text only when there is a message.
#[derive(Clone, Copy)]
pub(super) struct Quoted<'a>(pub(super) &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "`{}`", self.0)
    }
}

/// Reads a length of time; 0 and less are refused.
pub(super) fn read_duration(
    reader: &mut Reader<'_>,
    value: Value<'_>,
    what: impl fmt::Display + Copy,
) -> Option<Duration> {
    const EXPECTED: &str = "a length of time above 0, such as `500ms`, `10s`, `2min` or `1h`";
    const QUOTED: &str = "a length of time without quotes, such as `500ms`, `10s`, `2min` or `1h`";
    const TOO_LONG: &str = "a length of time of at most `5000000000000000h`";
    if let ValueKind::Number(number) = value.kind()
        && let NumberKind::Measurement {
            value: amount,
            unit,
        } = number.kind()
        && let Some(duration) = duration_of(amount, unit)
    {
        return Some(duration);
    }
    let expected = match value.kind() {
        ValueKind::String { .. } => QUOTED,
        _ if is_too_long(value) => TOO_LONG,
        _ => EXPECTED,
    };
    reader.wrong(value, what, expected)
}

/// Whether a value would be a valid length of time with a smaller amount.
fn is_too_long(value: Value<'_>) -> bool {
    let ValueKind::Number(number) = value.kind() else {
        return false;
    };
    match number.kind() {
        NumberKind::Measurement {
            value: amount,
            unit,
        } => amount > 1.0 && duration_of(1.0, unit).is_some(),
        _ => false,
    }
}

pub(super) fn read_url<'t>(
    reader: &mut Reader<'_>,
    value: Value<'t>,
    what: Quoted<'_>,
) -> Option<&'t str> {
    let url = reader.text(value, what)?;
    let rest = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"));
    let host = rest.and_then(|rest| rest.split(['/', '\\', '?', '#']).next());
    let message = match host.unwrap_or_default() {
        "" => "must be an `http://` or `https://` address with a host",
        host if host.contains('@') => {
            "must hold no user name or password; a server that wants a key gets it in a header"
        }
        _ => return Some(url),
    };
    reader.error(Code::BadValue, value.span(), format!("{what} {message}"));
    None
}

/// The items of a list; a value that is no list counts as a list of one.
pub(crate) fn items(value: Value<'_>) -> Vec<Value<'_>> {
    match value.kind() {
        ValueKind::Array(array) => array.items().collect(),
        _ => vec![value],
    }
}
