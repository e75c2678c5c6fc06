//! The values in signatures that describe types, with the types: a change of style rewrites these
//! values.

use super::Options;
use super::places::SignaturePlaces;
use super::reader::Reader;
use super::shapes::{Member, walk};
use super::signature::read_signature;
use super::types::{read_fields, read_type_reference, read_types};
use crate::diagnostic::{Diagnostic, Severity};
use crate::vocabulary::{Keyword, TOOL_LABELS};
use agent_gram::Span;
use agent_gram::syntax::{Document, Element, Node, Value};
use agent_types::{Field, Kind, Signature, Type};
use std::collections::HashMap;

/// A value of `fields`, `elementType`, `valueType`, `items` or `anyOf` in a signature.
pub(crate) struct TypeValue<'t> {
    /// The owner of the type, in words: ``the parameter `a` ``.
    pub(crate) owner: String,
    pub(crate) key: &'t str,
    pub(crate) value: Value<'t>,
    pub(crate) meaning: Meaning,
}

/// The type, the types or the fields that a value describes.
pub(crate) enum Meaning {
    Fields(Vec<Field>),
    Type(Type),
    /// The types as they are written, also those that a union joins.
    Types(Vec<Type>),
}

/// The values in the signatures of all tools of a document.
///
/// # Errors
/// Returns the diagnostics of the signatures. Other mistakes of the tools do not matter here.
pub(crate) fn type_values<'t>(
    document: &'t Document<'_>,
) -> Result<Vec<TypeValue<'t>>, Vec<Diagnostic>> {
    let mut values = Values::default();
    walk(document, &mut |shape| {
        if shape.label(&TOOL_LABELS).is_some()
            && let [Member::Element(element)] = shape.elements.as_slice()
        {
            values.add_signature(*element);
        }
    });
    values.finish()
}

/// The values of a document that is a bare signature.
///
/// # Errors
/// Returns the diagnostics of the signature.
pub(crate) fn type_values_of_signature<'t>(
    document: &'t Document<'_>,
) -> Result<Vec<TypeValue<'t>>, Vec<Diagnostic>> {
    let mut values = Values::default();
    for item in document.items() {
        values.add_signature(item.body());
    }
    values.finish()
}

struct Values<'t> {
    reader: Reader<'static>,
    found: Vec<TypeValue<'t>>,
}

impl Default for Values<'_> {
    fn default() -> Self {
        Self {
            reader: Reader::new(Options::default()),
            found: Vec::new(),
        }
    }
}

impl<'t> Values<'t> {
    fn add_signature(&mut self, element: Element<'t>) {
        if let Some((signature, places)) = read_signature(&mut self.reader, element) {
            self.add_element(element, &owners(&signature, &places));
            self.reader.parts.clear();
        }
    }

    /// Adds every node, also a node that a walk has twice.
    fn add_element(&mut self, element: Element<'t>, owners: &Owners<'_>) {
        match element {
            Element::Path(path) => {
                for node in path.nodes() {
                    self.add_node(node, owners);
                }
            }
            Element::Bracket(bracket) => {
                for inner in bracket.elements() {
                    self.add_element(inner, owners);
                }
            }
            Element::Reference(_) => {}
        }
    }

    fn add_node(&mut self, node: Node<'t>, owners: &Owners<'_>) {
        let record = node.subject().and_then(|subject| subject.record());
        let properties = record.into_iter().flat_map(|record| record.properties());
        for property in properties {
            let (key, value) = (property.key().text(), property.value());
            let (owner, meaning) = match owners.get(&node.span()) {
                Some((owner, ty)) => {
                    let meaning = meaning_in(ty, key);
                    (
                        owner.as_str(),
                        meaning.or_else(|| self.read_meaning(key, value)),
                    )
                }
                None => ("a node", self.read_meaning(key, value)),
            };
            self.found.extend(meaning.map(|meaning| TypeValue {
                owner: owner.to_owned(),
                key,
                value,
                meaning,
            }));
        }
    }

    /// Reads a value that the signature does not have as it is written. A walk names a node twice, and
    /// only the first record is part of the signature. A list of types is joined in the signature.
    fn read_meaning(&mut self, key: &str, value: Value<'t>) -> Option<Meaning> {
        match Keyword::from_name(key)? {
            Keyword::Fields => read_fields(&mut self.reader, value).map(Meaning::Fields),
            Keyword::ElementType | Keyword::ValueType => {
                read_type_reference(&mut self.reader, value).map(Meaning::Type)
            }
            keyword @ (Keyword::Items | Keyword::AnyOf) => {
                read_types(&mut self.reader, keyword, value).map(Meaning::Types)
            }
            _ => None,
        }
    }

    fn finish(self) -> Result<Vec<TypeValue<'t>>, Vec<Diagnostic>> {
        let (found, _) = self.reader.findings.into_sorted();
        let is_error = |found: &Diagnostic| found.severity() == Severity::Error;
        if found.iter().any(is_error) {
            Err(found)
        } else {
            Ok(self.found)
        }
    }
}

/// The parameters and the result of a signature by the span of their node: the owner in words, and the
/// type.
type Owners<'s> = HashMap<Span, (String, &'s Type)>;

fn owners<'s>(signature: &'s Signature, places: &SignaturePlaces) -> Owners<'s> {
    let params = signature.params().iter().zip(&places.params);
    let params = params.map(|(param, place)| {
        let owner = format!("the parameter `{}`", param.name());
        (place.whole, (owner, param.ty()))
    });
    let result = ("the result".to_owned(), signature.returns().ty());
    params.chain([(places.returns.whole, result)]).collect()
}

/// Returns the part of a type that was read from the value of a key.
fn meaning_in(ty: &Type, key: &str) -> Option<Meaning> {
    Some(match (Keyword::from_name(key)?, ty.kind()) {
        (Keyword::Fields, Kind::Object(shape)) => Meaning::Fields(shape.fields().to_vec()),
        (Keyword::ElementType, Kind::Array(inner)) => Meaning::Type(inner.get().clone()),
        (Keyword::ValueType, Kind::Object(shape)) => Meaning::Type(shape.values()?.clone()),
        _ => return None,
    })
}
