//! Where the aspects of a tool stand that are checked against its function.

use super::file::text_message;
use agent_gram::{LineIndex, Span};
use agent_spec::Diagnostic;
use agent_spec::binding::{Aspect, Trail};
use agent_spec::check::ToolPlaces;
use agent_spec::diagnostic::snippet_with;

/// All aspects of a tool with their places, the name apart. Those that are about one thing, such as a
/// type and its parts, are together.
pub(super) fn aspects(places: &ToolPlaces, exact: bool) -> Vec<Vec<(Aspect, Span)>> {
    let signature = &places.signature;
    let mut aspects = vec![vec![(Aspect::Description, places.description)]];
    for (at, param) in signature.params.iter().enumerate() {
        let mut parts = vec![(Aspect::ParamPart(at, Trail::EMPTY), param.details)];
        let of_part = |&(trail, span): &(Trail, Span)| (Aspect::ParamPart(at, trail), span);
        parts.extend(param.parts.iter().map(of_part));
        aspects.extend([
            vec![(Aspect::ParamName(at), param.name)],
            vec![(Aspect::ParamType(at), param.label)],
            parts,
            vec![(Aspect::ParamOptional(at), param.optional)],
            vec![(Aspect::ParamDefault(at), param.default)],
        ]);
        if exact {
            aspects.push(vec![(Aspect::ParamDescription(at), param.description)]);
        }
    }
    aspects.push(vec![(Aspect::MissingParam, signature.last_arrow)]);
    let returns = &signature.returns;
    let mut parts = vec![(Aspect::ReturnPart(Trail::EMPTY), returns.label)];
    let of_part = |&(trail, span): &(Trail, Span)| (Aspect::ReturnPart(trail), span);
    parts.extend(returns.parts.iter().map(of_part));
    aspects.push(parts);
    aspects
}

/// A text whose tokens the compiler does not know: places are shown as lines.
pub(super) struct Lines<'a> {
    path: Option<&'a str>,
    source: &'a str,
    index: LineIndex<'a>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(path: Option<&'a str>, source: &'a str) -> Self {
        Self {
            path,
            source,
            index: LineIndex::new(source),
        }
    }

    pub(super) fn message(&self, found: &Diagnostic) -> String {
        text_message(self.path, self.source, found)
    }

    pub(super) fn show(&self, span: Span) -> String {
        snippet_with(&self.index, self.path, span, "")
            .trim_end()
            .to_owned()
    }
}
