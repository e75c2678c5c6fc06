//! Where the aspects of a tool stand that are checked against its function.

use super::file::text_message;
use agent_gram::{LineIndex, Span};
use agent_spec::Diagnostic;
use agent_spec::binding::{Aspect, Trail};
use agent_spec::check::ToolPlaces;
use agent_spec::diagnostic::snippet_with;

/// All aspects of a tool with their places, the name apart. Those of which one at most can disagree,
/// such as all that is said of a parameter, are together.
pub(super) fn aspects(places: &ToolPlaces, exact: bool) -> Vec<Vec<(Aspect, Span)>> {
    let signature = &places.signature;
    let mut aspects = vec![vec![(Aspect::Description, places.description)]];
    for (at, param) in signature.params.iter().enumerate() {
        let mut of_param = vec![
            (Aspect::ParamName(at), param.name),
            (Aspect::ParamType(at), param.label),
            (Aspect::ParamPart(at, Trail::EMPTY), param.details),
        ];
        let of_part = |&(trail, span): &(Trail, Span)| (Aspect::ParamPart(at, trail), span);
        of_param.extend(param.parts.iter().map(of_part));
        of_param.push((Aspect::ParamOptional(at), param.optional));
        of_param.push((Aspect::ParamDefault(at), param.default));
        if exact {
            of_param.push((Aspect::ParamDescription(at), param.description));
        }
        aspects.push(of_param);
    }
    aspects.push(vec![(Aspect::MissingParam, signature.last_arrow)]);
    let returns = &signature.returns;
    let mut of_returns = vec![(Aspect::ReturnPart(Trail::EMPTY), returns.label)];
    let of_part = |&(trail, span): &(Trail, Span)| (Aspect::ReturnPart(trail), span);
    of_returns.extend(returns.parts.iter().map(of_part));
    aspects.push(of_returns);
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
