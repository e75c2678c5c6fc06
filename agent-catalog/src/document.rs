//! Reading the documents: `[OpenAI:Catalog {made: "…"} | [gpt-6-luna:Model {…}], …]`.

use crate::name::vendor;
use crate::property::Record;
use crate::row::{ModelRow, ProviderRow};
use agent_gram::Span;
use agent_gram::syntax::{Bracket, Element, Name, Subject};
use std::collections::HashMap;

/// The label of a provider with its models.
const CATALOG: &str = "Catalog";

const CATALOG_EXAMPLE: &str = "write `[OpenAI:Catalog | [gpt-6-luna:Model {…}]]`";

/// The label of a model.
const MODEL: &str = "Model";

/// The rows of a document, and its mistakes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    pub(crate) providers: Vec<ReadProvider>,
    pub(crate) models: Vec<ReadModel>,
    mistakes: Vec<Mistake>,
}

/// The row of a provider as it was read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ReadProvider {
    pub(crate) name: String,
    /// The span of the name.
    pub(crate) span: Span,
    pub(crate) row: ProviderRow,
    /// The span of the value of `models`.
    pub(crate) models: Option<Span>,
    /// The span of the value of `baseUrl`, or else of `key`.
    pub(crate) server: Option<Span>,
}

/// A row as it was read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ReadModel {
    pub(crate) provider: String,
    pub(crate) id: String,
    pub(crate) row: ModelRow,
    /// The span of the value of `like`.
    pub(crate) like: Option<Span>,
    /// The span of the value of `successor`.
    pub(crate) successor: Option<Span>,
}

/// A mistake in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mistake {
    /// The kind of the mistake.
    pub kind: MistakeKind,
    /// The place that must change.
    pub span: Span,
    /// The mistake.
    pub message: String,
    /// Advice.
    pub help: Option<String>,
    /// Another place that belongs to the mistake, and its meaning.
    pub label: Option<(Span, String)>,
    /// The names of the known properties, for [`UnknownProperty`](MistakeKind::UnknownProperty); otherwise
    /// empty.
    pub known: &'static [&'static str],
}

/// The kind of a mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MistakeKind {
    /// The text cannot be parsed as gram.
    Syntax,
    /// A pattern is neither a provider nor a model.
    NotARow,
    /// A provider or a model has no name.
    MissingName,
    /// A row has a second label, which is most likely a part of its name.
    SeveralLabels,
    /// There is no such property.
    UnknownProperty,
    /// A record gives a property twice.
    DuplicateKey,
    /// A property has a value of the wrong kind.
    BadValue,
    /// A document has two rows of one name.
    DuplicateModel,
    /// `like` names no row or leads back to its own row, `successor` names no row, or `models` no provider.
    BadReference,
    /// A row gives a provider another address or another key, although the provider has its own.
    OwnServer,
}

impl Mistake {
    pub(crate) fn new(kind: MistakeKind, span: Span, message: impl Into<String>) -> Self {
        Self {
            kind,
            span,
            message: message.into(),
            help: None,
            label: None,
            known: &[],
        }
    }

    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    fn with_label(mut self, span: Span, meaning: &str) -> Self {
        self.label = Some((span, meaning.to_owned()));
        self
    }
}

impl Document {
    /// Returns the providers for which the document sets an address.
    pub fn addressed(&self) -> impl Iterator<Item = &str> {
        let providers = self.providers.iter();
        let addressed = providers.filter(|read| read.row.base_url.is_some());
        addressed.map(|read| read.name.as_str())
    }

    /// Returns the providers for which the document names the environment variables of keys.
    pub fn keyed(&self) -> impl Iterator<Item = &str> {
        let providers = self.providers.iter();
        let keyed = providers.filter(|read| read.row.keys.is_some());
        keyed.map(|read| read.name.as_str())
    }

    /// Reads a document. The rows without mistakes are kept.
    ///
    /// The rows and the provider that `like`, `successor` and `models` name are not looked up, because they
    /// can be in other documents; [`Catalog::with`](crate::Catalog::with) checks them.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let parse = agent_gram::parse(text);
        let mut reader = Reader::default();
        for error in &parse.errors {
            let mistake = Mistake::new(MistakeKind::Syntax, error.span(), error.message());
            reader.mistakes.push(match error.help() {
                Some(help) => mistake.with_help(help),
                None => mistake,
            });
        }
        // The tree of a text with syntax errors is not checked, so that one mistake causes one message.
        if reader.mistakes.is_empty() {
            if let Some(header) = parse.document.header() {
                reader.not_a_row(header.span(), CATALOG, CATALOG_EXAMPLE);
            }
            for item in parse.document.items() {
                reader.read_catalog(&item.body());
            }
        }
        Self {
            providers: reader.providers,
            models: reader.models,
            mistakes: reader.mistakes,
        }
    }

    /// The mistakes, in the order of the text.
    #[must_use]
    pub fn mistakes(&self) -> &[Mistake] {
        &self.mistakes
    }
}

#[derive(Default)]
struct Reader {
    providers: Vec<ReadProvider>,
    models: Vec<ReadModel>,
    /// The spans of the names of the models that were read, by provider and id.
    places: HashMap<(String, String), Span>,
    mistakes: Vec<Mistake>,
}

impl Reader {
    fn report(&mut self, mistake: Mistake) {
        self.mistakes.push(mistake);
    }

    fn read_catalog(&mut self, element: &Element<'_>) {
        let Some((bracket, subject)) = self.pattern(element, CATALOG, CATALOG_EXAMPLE) else {
            return;
        };
        let Some(name) = self.name(&subject, "a provider", "the provider of the models") else {
            return;
        };
        let provider = name.text().to_owned();
        let row: ProviderRow = self.read_properties(&subject);
        self.check_provider(&name, &row, &subject);
        self.providers.push(ReadProvider {
            name: provider.clone(),
            span: name.span(),
            row,
            models: value_span(&subject, "models"),
            server: value_span(&subject, "baseUrl").or_else(|| value_span(&subject, "key")),
        });
        for element in bracket.elements() {
            self.read_model(&provider, &element);
        }
    }

    fn read_model(&mut self, provider: &str, element: &Element<'_>) {
        let example = "the elements of a provider are its models: `[gpt-6-luna:Model {…}]`";
        let Some((bracket, subject)) = self.pattern(element, MODEL, example) else {
            return;
        };
        if let Some(element) = bracket.elements().next() {
            let message = "a model has no elements";
            self.report(Mistake::new(MistakeKind::NotARow, element.span(), message));
        }
        let Some(name) = self.name(&subject, "a model", "its name at the provider") else {
            return;
        };
        let row: ModelRow = self.read_properties(&subject);
        let key = (provider.to_owned(), name.text().to_owned());
        if let Some(first) = self.places.get(&key) {
            let message = format!("the model `{}` has two rows", name.text());
            let mistake = Mistake::new(MistakeKind::DuplicateModel, name.span(), message);
            let mistake = mistake.with_label(*first, "the other row");
            self.report(mistake.with_help("write one row with the properties of both"));
            return;
        }
        self.check_model(provider, &name, &row, &subject);
        let like = value_span(&subject, "like");
        let (provider, id) = key.clone();
        self.models.push(ReadModel {
            provider,
            id,
            row,
            like,
            successor: value_span(&subject, "successor"),
        });
        self.places.insert(key, name.span());
    }

    fn bad_value(&mut self, subject: &Subject<'_>, key: &str, message: String) {
        let span = value_span(subject, key).unwrap_or_default();
        self.report(Mistake::new(MistakeKind::BadValue, span, message));
    }

    /// Checks the conditions for the properties of a provider that their types do not express.
    fn check_provider(&mut self, name: &Name<'_>, row: &ProviderRow, subject: &Subject<'_>) {
        if vendor(name.text()) != name.text() {
            let message = format!(
                "`{}` is a name for one interface of `{1}`; write `{1}`",
                name.text(),
                vendor(name.text())
            );
            self.report(Mistake::new(MistakeKind::NotARow, name.span(), message));
        }
        // A key in the place of its variable is reported early, because documents are shared.
        let mut keys = row.keys.iter().flatten();
        if !keys.all(|key| is_variable(key)) {
            let message = "`key` must be the name of a variable of the environment that has the key, such as \
                           \"ACME_API_KEY\"";
            self.bad_value(subject, "key", message.to_owned());
        }
        if let Some(address) = &row.base_url
            && !is_address(address)
        {
            let message = "`baseUrl` must be an address without a user and a query, such as \
                           \"https://models.acme.example/v1\"";
            self.bad_value(subject, "baseUrl", message.to_owned());
        }
        if row.apis.as_ref().is_some_and(Vec::is_empty) {
            let message = "`apis` must have at least one of \"responses\" and \"chat\"";
            self.bad_value(subject, "apis", message.to_owned());
        }
    }

    /// Checks the conditions for the properties of a model that their types do not express.
    fn check_model(
        &mut self,
        provider: &str,
        name: &Name<'_>,
        row: &ModelRow,
        subject: &Subject<'_>,
    ) {
        let has_provider = |id: &str| {
            let rest = id.strip_prefix(provider);
            rest.is_some_and(|rest| rest.starts_with('/'))
        };
        if has_provider(name.text()) {
            let message = format!("a model has its name without `{provider}/` here");
            self.report(Mistake::new(MistakeKind::NotARow, name.span(), message));
        }
        if let Some(successor) = &row.successor
            && (has_provider(successor) || successor == name.text())
        {
            let message = format!("`successor` must be another model, without `{provider}/`");
            self.bad_value(subject, "successor", message);
        }
        if let (Some(released), Some(retires)) = (row.released, row.retires)
            && retires < released
        {
            let message = format!("`retires` must be a day after `released`, which is {released}");
            self.bad_value(subject, "retires", message);
        }
        if let (Some(most), Some(window)) = (row.max_output_tokens, row.context_window)
            && most > window
        {
            let message = format!("`maxOutputTokens` must be at most `contextWindow`, {window}");
            self.bad_value(subject, "maxOutputTokens", message);
        }
        if let (Some(default), Some(efforts)) = (row.default_effort, &row.efforts)
            && !efforts.contains(&default)
        {
            let message = "`defaultEffort` must be one of `efforts`".to_owned();
            self.bad_value(subject, "defaultEffort", message);
        }
    }

    /// Returns the bracket and the subject of an element that is a pattern with `label` as its only label.
    fn pattern<'t>(
        &mut self,
        element: &Element<'t>,
        label: &str,
        example: &str,
    ) -> Option<(Bracket<'t>, Subject<'t>)> {
        let bracket = match element {
            Element::Bracket(bracket) => Some(*bracket),
            _ => None,
        };
        let subject = bracket.and_then(|bracket| bracket.subject());
        let (Some(bracket), Some(subject)) = (bracket, subject) else {
            self.not_a_row(element.span(), label, example);
            return None;
        };
        let mut labels = subject.labels();
        match (labels.next(), labels.next()) {
            (Some(only), None) if only.name().text() == label => Some((bracket, subject)),
            (Some(_), Some(second)) => {
                self.several_labels(&subject, second.span());
                None
            }
            _ => {
                self.not_a_row(subject.span(), label, example);
                None
            }
        }
    }

    fn not_a_row(&mut self, span: Span, label: &str, example: &str) {
        let message = format!("this is no pattern with the label `{label}`");
        let mistake = Mistake::new(MistakeKind::NotARow, span, message);
        self.report(mistake.with_help(example));
    }

    /// Reports a second label. A colon in the name of a model, such as `qwen3:latest`, causes a second label.
    fn several_labels(&mut self, subject: &Subject<'_>, second: Span) {
        let labels: Vec<&str> = subject.labels().map(|label| label.name().text()).collect();
        let mut parts: Vec<&str> = subject
            .identity()
            .map(|name| name.text())
            .into_iter()
            .collect();
        let (label, rest) = labels.split_last().unwrap_or((&MODEL, &[]));
        parts.extend(rest);
        let mistake = Mistake::new(
            MistakeKind::SeveralLabels,
            second,
            format!(
                "a row has one label, `{label}`, and this one has {}",
                labels.len()
            ),
        );
        self.report(mistake.with_help(format!(
            "write a name with a colon in backticks: [`{}`:{label} {{…}}]",
            parts.join(":")
        )));
    }

    /// Returns the name of a row.
    fn name<'t>(&mut self, subject: &Subject<'t>, what: &str, is: &str) -> Option<Name<'t>> {
        let name = subject.identity().filter(|name| !name.text().is_empty());
        if name.is_none() {
            let message = format!("{what} needs a name before its label: {is}");
            self.report(Mistake::new(
                MistakeKind::MissingName,
                subject.span(),
                message,
            ));
        }
        name
    }

    fn read_properties<R: Record>(&mut self, subject: &Subject<'_>) -> R {
        let mut row = R::default();
        let mut seen: Vec<Name<'_>> = Vec::new();
        let record = subject.record();
        for property in record.iter().flat_map(|record| record.properties()) {
            let key = property.key();
            if let Some(first) = seen.iter().find(|name| name.text() == key.text()) {
                let message = format!("`{}` is given twice", key.text());
                let mistake = Mistake::new(MistakeKind::DuplicateKey, key.span(), message);
                self.report(mistake.with_label(first.span(), "the first one"));
                continue;
            }
            seen.push(key);
            match row.read_property(key.text(), property.value()) {
                Some(Ok(())) => {}
                Some(Err(wrong)) => {
                    let key = wrong.key.as_deref().unwrap_or(key.text());
                    let message = format!("`{key}` must be {}", wrong.expected);
                    self.report(Mistake::new(MistakeKind::BadValue, wrong.span, message));
                }
                None => {
                    let message = format!("`{}` is no property here", key.text());
                    let mistake = Mistake::new(MistakeKind::UnknownProperty, key.span(), message);
                    let help = format!("the properties are {}", R::KEYS.join(", "));
                    self.report(Mistake {
                        known: R::KEYS,
                        ..mistake.with_help(help)
                    });
                }
            }
        }
        row
    }
}

/// Whether a text can be the name of a variable of the environment.
fn is_variable(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(is_letter)
}

/// Whether a text can be the address of a server. Variables in built-in addresses are part of the host.
fn is_address(text: &str) -> bool {
    let rest = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| {
        let is_odd = |c: char| c.is_whitespace() || c.is_control() || "@?#\\\"".contains(c);
        !rest.starts_with('/') && !rest.is_empty() && !rest.contains(is_odd)
    })
}

/// Returns the place of the value of a property.
fn value_span(subject: &Subject<'_>, key: &str) -> Option<Span> {
    let mut properties = subject.record()?.properties();
    let property = properties.find(|property| property.key().text() == key)?;
    Some(property.value().span())
}
