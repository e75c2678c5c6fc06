//! Where the aspects of a tool stand that are checked against its function.

use super::file::text_message;
use agent_gram::Span;
use agent_spec::Diagnostic;
use agent_spec::binding::Aspect;
use agent_spec::check::ToolPlaces;
use agent_spec::diagnostic::snippet;

/// All aspects of a tool with their places, the name apart.
pub(super) fn aspects(places: &ToolPlaces, exact: bool) -> Vec<(Aspect, Span)> {
    let signature = &places.signature;
    let mut aspects = vec![(Aspect::Description, places.description)];
    for (at, param) in signature.params.iter().enumerate() {
        aspects.extend([
            (Aspect::ParamName(at), param.name),
            (Aspect::ParamType(at), param.label),
            (Aspect::ParamDetails(at), param.details),
            (Aspect::ParamOptional(at), param.optional),
            (Aspect::ParamDefault(at), param.default),
        ]);
        if exact {
            aspects.push((Aspect::ParamDescription(at), param.description));
        }
    }
    aspects.push((Aspect::MissingParam, signature.last_arrow));
    aspects.push((Aspect::Returns, signature.returns.label));
    aspects
}

/// A text whose tokens the compiler does not know: places are shown as lines.
pub(super) struct Lines<'a> {
    pub(super) path: Option<&'a str>,
    pub(super) source: &'a str,
}

impl Lines<'_> {
    pub(super) fn message(&self, found: &Diagnostic) -> String {
        text_message(self.path, self.source, found)
    }

    pub(super) fn show(&self, span: Span) -> String {
        snippet(self.source, self.path, span, "")
            .trim_end()
            .to_owned()
    }
}
