//! Signatures: `(a::Text)==>(b::Int {default: 1})==>(::String)`.

use crate::check::places::{ParamPlaces, SignaturePlaces};
use crate::check::reader::Reader;
use crate::check::type_rules::{Properties, build_field};
use crate::check::types::{read_label, read_properties, refuse_duplicate_names};
use crate::check::written_types::{is_word, meant_type, misplaced, read_written_types, right_node};
use crate::check::{Checked, Options};
use crate::diagnostic::{Code, Diagnostic};
use crate::vocabulary::RecordKind;
use agent_gram::Span;
use agent_gram::syntax::{Arrow, Bracket, Direction, Element, Name, Node, Subject};
use agent_types::names::{FURTHER, PARAMETER_NAMES, is_parameter_name, not_a_parameter_name};
use agent_types::{Field, Kind, Returns, Signature, Type};

/// Reads a document that is one bare signature.
pub(super) fn check_bare_signature(source: &str) -> Result<(Signature, SignaturePlaces), Checked> {
    let mut parsed = agent_gram::parse(source);
    let mut reader = Reader::new(Options::default());
    reader.source = source;
    let read = read_written_types(source, &parsed.errors);
    if let Some(read) = &read {
        parsed = agent_gram::parse(&read.text);
        reader.report_written_types(&read.found);
    }
    reader.report_syntax_errors(&parsed.errors);
    reader.findings.add_unlisted_errors(parsed.more_errors);
    let document = &parsed.document;
    let mut items = document.items();
    let element = match (items.next(), items.next()) {
        (Some(item), None) if document.header().is_none() && item.annotations().is_none() => {
            Some(item.body())
        }
        _ => None,
    };
    let read = match element {
        Some(element) if parsed.errors.is_empty() => read_signature(&mut reader, element),
        _ => {
            if parsed.errors.is_empty() {
                reader.report(
                    Diagnostic::new(
                        Code::NotASignature,
                        Span::new(0, source.len()),
                        "one signature is expected here, and nothing else",
                    )
                    .with_help(EXAMPLE),
                );
            }
            None
        }
    };
    match read {
        Some(read) if reader.errors() == 0 => Ok(read),
        _ => Err(Checked::without_declarations(reader.findings)),
    }
}

const EXAMPLE: &str = "write the parameters, then the result: `(personName::Text)==>(::String)`";

/// The signature of an agent, with its positions.
pub(super) struct OwnSignature {
    pub(super) signature: Signature,
    pub(super) places: SignaturePlaces,
}

/// Reads an element as the signature of an agent, whose parameters may be media.
pub(super) fn read_agent_signature(
    reader: &mut Reader<'_>,
    element: Element<'_>,
) -> Option<(Signature, SignaturePlaces)> {
    reader.takes_media = true;
    let read = read_signature(reader, element);
    reader.takes_media = false;
    if let Some((signature, places)) = &read {
        refuse_answer(reader, signature.returns().ty(), places.returns.label);
        refuse_reversed(reader, element, places);
    }
    read
}

/// Reports arrows that point from a result without a name to a parameter: read as written, the parameter is the result
/// and the result a parameter without a name, which no template can name.
fn refuse_reversed(reader: &mut Reader<'_>, element: Element<'_>, places: &SignaturePlaces) {
    let Some((nodes, arrows)) = nodes_of(element) else {
        return;
    };
    let is_left = |arrow: &Arrow<'_>| arrow.direction() == Direction::Left;
    let Some(arrow) = arrows.iter().find(|arrow| is_left(arrow)) else {
        return;
    };
    let result = nodes.first().and_then(Node::subject);
    let Some(name) = result.and_then(|subject| subject.identity()) else {
        return;
    };
    if places.params.iter().all(|param| param.name != param.whole) {
        return;
    }
    let message = format!(
        "this arrow points at the result, which is `{}` here, and a parameter has no name",
        name.text()
    );
    let found = Diagnostic::new(Code::BadDirection, arrow.span(), message);
    reader.report(found.with_help("write `==>` between parameters and before the result"));
}

/// Reports a result that no model can answer with.
fn refuse_answer(reader: &mut Reader<'_>, ty: &Type, label: Span) {
    let (message, help) = match ty.kind() {
        Kind::Null => (
            "an agent answers with text or data, and `Null` is neither",
            "write `(::String)` for a text, or the type of the answer",
        ),
        Kind::Media(_) => (
            "a model answers with text or data and not with media",
            "write `(::String)` for a text, or the type of the answer; a tool may return media",
        ),
        _ => return,
    };
    reader.report(Diagnostic::new(Code::MisplacedType, label, message).with_help(help));
}

/// Reads an element as a signature. Reports the reason when it is not a signature.
pub(super) fn read_signature(
    reader: &mut Reader<'_>,
    element: Element<'_>,
) -> Option<(Signature, SignaturePlaces)> {
    let Some((mut nodes, arrows)) = nodes_of(element) else {
        let found = Diagnostic::new(
            Code::NotASignature,
            element.span(),
            "this is not a signature: nodes with arrows between them",
        );
        reader.report(found.with_help(EXAMPLE));
        return None;
    };
    let before = reader.errors();
    let backwards = read_direction(reader, &arrows);
    if backwards {
        nodes.reverse();
    }
    let last_arrow = if backwards {
        arrows.first()
    } else {
        arrows.last()
    };
    let mut places = SignaturePlaces {
        whole: element.span(),
        last_arrow: last_arrow.map_or(element.span(), |arrow| arrow.span()),
        ..SignaturePlaces::default()
    };
    let (result, params) = nodes.split_last()?;
    let mut fields: Vec<(Field, Span)> = Vec::new();
    let no_parameters = matches!(params, [only] if only.subject().is_none());
    if !no_parameters {
        for (at, node) in params.iter().copied().enumerate() {
            if let Some((field, place)) = read_param(reader, node, at) {
                if field.is_further() {
                    check_further(reader, &field, &place, at + 1 == params.len());
                }
                fields.push((field, place.name));
                places.params.push(place);
            }
        }
    }
    refuse_duplicate_names(reader, &fields, "parameter");
    let takes_media = std::mem::take(&mut reader.takes_media);
    let returns = read_returns(reader, *result);
    reader.takes_media = takes_media;
    if reader.errors() > before {
        return None;
    }
    let (returns, returns_places) = returns?;
    places.returns = returns_places;
    let params = fields.into_iter().map(|(field, _)| field).collect();
    Some((Signature::new(params, returns), places))
}

/// The nodes from left to right and the arrows between them: of a path, or of the patterns that a
/// path of several arrows is lowered to.
pub(super) fn nodes_of(element: Element<'_>) -> Option<(Vec<Node<'_>>, Vec<Arrow<'_>>)> {
    match element {
        Element::Path(path) => {
            let arrows: Vec<Arrow<'_>> = path.arrows().collect();
            (!arrows.is_empty()).then(|| (path.nodes().collect(), arrows))
        }
        Element::Bracket(bracket) => nodes_of_bracket(bracket),
        Element::Reference(_) => None,
    }
}

fn nodes_of_bracket(bracket: Bracket<'_>) -> Option<(Vec<Node<'_>>, Vec<Arrow<'_>>)> {
    nodes_of_walk(bracket).or_else(|| nodes_of_left_nested(bracket))
}

/// Returns the nodes and arrows of a walk: relationships, each starting where the previous one ends.
fn nodes_of_walk(bracket: Bracket<'_>) -> Option<(Vec<Node<'_>>, Vec<Arrow<'_>>)> {
    let (mut nodes, mut arrows) = (Vec::new(), Vec::new());
    for element in bracket.elements() {
        let Element::Path(path) = element else {
            return None;
        };
        let mut own = path.arrows();
        let (Some(arrow), None) = (own.next(), own.next()) else {
            return None;
        };
        arrows.push(arrow);
        let known = usize::from(!nodes.is_empty());
        nodes.extend(path.nodes().skip(known));
    }
    (arrows.len() > 1).then_some((nodes, arrows))
}

/// Returns the nodes and arrows of a left-nested path, as some tools lower a path: everything up to the last
/// arrow, then the arrow's target.
fn nodes_of_left_nested(bracket: Bracket<'_>) -> Option<(Vec<Node<'_>>, Vec<Arrow<'_>>)> {
    let mut elements = bracket.elements();
    let (Some(before), Some(last), None) = (elements.next(), elements.next(), elements.next())
    else {
        return None;
    };
    let last = lone_node(last)?;
    let (mut nodes, arrows) = match lone_node(before) {
        Some(first) => (vec![first], Vec::new()),
        None => nodes_of(before)?,
    };
    nodes.push(last);
    Some((nodes, arrows))
}

/// The node of a path without arrows.
fn lone_node(element: Element<'_>) -> Option<Node<'_>> {
    let Element::Path(path) = element else {
        return None;
    };
    let mut nodes = path.nodes();
    let first = nodes.next()?;
    nodes.next().is_none().then_some(first)
}

/// Whether the signature reads from right to left. Reports arrows of several directions, and reads such
/// a signature from left to right, so that its other mistakes are found.
fn read_direction(reader: &mut Reader<'_>, arrows: &[Arrow<'_>]) -> bool {
    let mut rightward = None;
    let mut leftward = None;
    for arrow in arrows {
        match arrow.direction() {
            Direction::Right => rightward = rightward.or(Some(arrow.span())),
            Direction::Left => leftward = leftward.or(Some(arrow.span())),
            Direction::Undirected => {}
            Direction::Both => {
                let message = "an arrow of a signature cannot point both ways";
                let found = Diagnostic::new(Code::BadDirection, arrow.span(), message);
                reader.report(found.with_help("write `==>`"));
                return false;
            }
        }
    }
    if let (Some(right), Some(left)) = (rightward, leftward) {
        let (first, second) = (right.min(left), right.max(left));
        reader.report(
            Diagnostic::new(
                Code::BadDirection,
                second,
                "the arrows of a signature must all point the same way",
            )
            .with_label(first, "this one points the other way")
            .with_help("write `==>` between parameters and before the result"),
        );
        return false;
    }
    leftward.is_some()
}

fn read_param(reader: &mut Reader<'_>, node: Node<'_>, at: usize) -> Option<(Field, ParamPlaces)> {
    let Some(subject) = node.subject() else {
        let found = Diagnostic::new(Code::MissingType, node.span(), "a parameter needs a type");
        reader.report(found.with_help("write `(name::Text)`; `()` alone means no parameters"));
        return None;
    };
    let mut read = read_node(reader, &subject, RecordKind::Parameter);
    let parts = std::mem::take(&mut reader.parts);
    let identity = subject.identity();
    let given = read.name.take();
    let place = match (identity, &given) {
        (Some(identity), _) => identity.span(),
        (None, Some((_, span))) => *span,
        (None, None) => subject.span(),
    };
    let name = match (identity, given) {
        (Some(identity), Some((given, span))) => {
            if identity.text() != given {
                reader.report(
                    Diagnostic::new(
                        Code::BadName,
                        span,
                        format!(
                            "`paramName` says `{given}`, but the node is named `{}`",
                            identity.text()
                        ),
                    )
                    .with_label(identity.span(), "the node's name")
                    .with_help("remove `paramName`"),
                );
            }
            identity.text().to_owned()
        }
        (Some(identity), None) => identity.text().to_owned(),
        (None, Some((given, _))) => given,
        // Positions count from 1, as people do.
        (None, None) => format!("arg{}", at + 1),
    };
    check_param_name(reader, &name, place);
    let (label, label_span) = read_type_label(reader, &subject, "a parameter")?;
    let mut places = std::mem::take(&mut read.places);
    let texts = (read.description.take(), read.remote.take());
    let mut finished = read.finish(reader, label, label_span, RecordKind::Parameter);
    places.bad_default = finished.bad_default.take().map(Box::new);
    places.parts = parts;
    complete(
        &mut places,
        node.span(),
        identity.map(|name| name.span()),
        label_span,
    );
    Some((build_field(name, finished, texts), places))
}

/// Reports a name that a provider would refuse, and with it the request of the whole agent.
fn check_param_name(reader: &mut Reader<'_>, name: &str, place: Span) {
    if is_parameter_name(name) || name == FURTHER || reader.is_broken(place) {
        return;
    }
    let found = Diagnostic::new(Code::BadParameterName, place, not_a_parameter_name(name));
    reader.report(found.with_help(format!("a parameter's name is {PARAMETER_NAMES}")));
}

/// Checks the parameter that stands for all further arguments.
fn check_further(reader: &mut Reader<'_>, field: &Field, place: &ParamPlaces, is_last: bool) {
    // Only the parameters of an agent may be media.
    let (message, help) = if reader.takes_media {
        (
            "`*` stands for further arguments of a tool, and an agent has none",
            "give the parameter a name that the instruction can refer to",
        )
    } else if !is_last {
        (
            "`*` stands for the arguments that no other parameter names, so it is the last parameter",
            "move it before the result",
        )
    } else if field.default().is_some() {
        (
            "`*` stands for any number of arguments, which have no default",
            "remove `default`",
        )
    } else {
        return;
    };
    let found = Diagnostic::new(Code::BadParameterName, place.name, message);
    reader.report(found.with_help(help));
}

fn read_returns(reader: &mut Reader<'_>, node: Node<'_>) -> Option<(Returns, ParamPlaces)> {
    let Some(subject) = node.subject() else {
        let found = Diagnostic::new(Code::MissingType, node.span(), "the result needs a type");
        reader
            .report(found.with_help("write `(::String)`, or `(::Null)` when nothing is returned"));
        return None;
    };
    let mut read = read_node(reader, &subject, RecordKind::Result);
    let parts = std::mem::take(&mut reader.parts);
    let (label, label_span) = read_type_label(reader, &subject, "the result")?;
    let mut places = std::mem::take(&mut read.places);
    let description = read.description.take();
    let ty = read
        .finish(reader, label, label_span, RecordKind::Result)
        .ty;
    places.parts = parts;
    complete(&mut places, node.span(), None, label_span);
    let mut returns = Returns::new(ty);
    if let Some(description) = description {
        returns = returns.with_description(description);
    }
    Some((returns, places))
}

fn read_node<'t>(
    reader: &mut Reader<'_>,
    subject: &Subject<'t>,
    kind: RecordKind,
) -> Properties<'t> {
    match subject.record() {
        Some(record) => {
            let label = subject.labels().next();
            read_properties(reader, record, kind, label.map(|label| label.name().text()))
        }
        None => Properties::default(),
    }
}

/// Returns the error about a type expression in backticks in place of a label.
fn expression_as_label(
    reader: &Reader<'_>,
    subject: &Subject<'_>,
    label: Name<'_>,
) -> Option<Diagnostic> {
    if is_word(label.text()) {
        return None;
    }
    let meant = meant_type(label.text())?;
    let record = subject.record().map(|record| record.span());
    let record = record.and_then(|span| reader.source.get(span.start + 1..span.end - 1));
    let name = subject.identity().map_or("", |name| name.text());
    let node = right_node(name, &meant.ty, record.unwrap_or_default().trim());
    let found = misplaced(label.span(), reader.source, &meant.mistakes, &node);
    Some(found)
}

fn read_type_label(
    reader: &mut Reader<'_>,
    subject: &Subject<'_>,
    what: &str,
) -> Option<(Type, Span)> {
    let mut labels = subject.labels();
    match (labels.next(), labels.next()) {
        (Some(label), None) => {
            let name = label.name();
            if let Some(found) = expression_as_label(reader, subject, name) {
                reader.report(found);
                return None;
            }
            read_label(reader, name.text(), name.span()).map(|ty| (ty, name.span()))
        }
        (Some(first), Some(second)) => {
            let found = Diagnostic::new(
                Code::SeveralTypes,
                second.span(),
                format!("{what} has more than one type"),
            );
            reader.report(
                found
                    .with_label(first.span(), "the first one")
                    .with_help("keep one"),
            );
            None
        }
        _ => {
            let found = Diagnostic::new(
                Code::MissingType,
                subject.span(),
                format!("{what} needs a type"),
            );
            let name = subject.identity().map_or("", |name| name.text());
            reader.report(found.with_help(format!("write `({name}::Text)`")));
            None
        }
    }
}

fn complete(places: &mut ParamPlaces, node: Span, name: Option<Span>, label: Span) {
    places.whole = node;
    places.name = name.unwrap_or(node);
    places.label = label;
    for place in [
        &mut places.optional,
        &mut places.default,
        &mut places.details,
        &mut places.description,
    ] {
        if *place == Span::default() {
            *place = label;
        }
    }
}
