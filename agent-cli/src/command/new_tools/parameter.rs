//! A parameter of a function, laid out as rustfmt does it.

use super::attribute::Settings;
use super::field::described;
use super::identifier::Scope;
use super::literal::Literal;
use super::type_name::Place;
use super::types::Types;
use super::width::{LINE, width_of};
use agent_spec::Param;
use agent_spec::case::camel_case;

/// The indentation of parameters.
const INDENT: usize = 4;

/// A parameter as text.
pub(super) struct Parameter {
    pub(super) ident: String,
    docs: Vec<String>,
    settings: Settings,
    ty: String,
    place: Place,
}

impl Parameter {
    /// A parameter of a tool.
    pub(super) fn new(types: &mut Types, scope: &mut Scope, tool: &str, param: &Param) -> Self {
        let ident = scope.snake(param.name(), "param");
        let place = Place::arguments(tool).field(param.name());
        let mut settings = Settings::default();
        if !gives_back(&ident, param.name()) {
            settings.add("name", Literal::text(param.name()));
        }
        let (ty, more) = types.of_field(param, &place, false);
        settings.extend(more);
        Self {
            docs: described(param, &mut settings),
            ident,
            settings,
            ty,
            place,
        }
    }

    /// The parameter as it stands among others on one line, if it can.
    pub(super) fn short(&self) -> Option<String> {
        let Self { ident, ty, .. } = self;
        match (self.docs.as_slice(), self.attribute().as_slice()) {
            ([], []) => Some(format!("{ident}: {ty}")),
            ([], [attribute]) => Some(format!("{attribute} {ident}: {ty}")),
            _ => None,
        }
    }

    fn attribute(&self) -> Vec<String> {
        self.settings.lines("tool", INDENT)
    }

    /// The parameter on lines of its own.
    ///
    /// rustfmt puts an attribute of one line beside the name wherever both fit, and breaks the type
    /// then. So that the type stays in one piece, the attribute gets a second line, or the type a
    /// name.
    pub(super) fn lines(&mut self, types: &mut Types) -> Vec<String> {
        let mut attribute = self.attribute();
        if self.docs.is_empty() && self.short_line().is_none() {
            match self.settings.several_lines("tool", INDENT) {
                Some(lines) => attribute = lines,
                None if self.ty.contains('<') => self.ty = types.alias(&self.ty, &self.place),
                None => {}
            }
        }
        if let Some(line) = self.short_line() {
            return vec![line];
        }
        let before = self.docs.iter().chain(&attribute);
        let mut lines: Vec<String> = before.map(|line| format!("    {line}")).collect();
        lines.push(format!("    {}: {},", self.ident, self.ty));
        lines
    }

    fn short_line(&self) -> Option<String> {
        let line = format!("    {},", self.short()?);
        (width_of(&line) <= LINE).then_some(line)
    }
}

/// Whether the macros give an identifier this name by themselves. rustc may spell letters that are
/// not ASCII in another way.
pub(super) fn gives_back(ident: &str, name: &str) -> bool {
    name.is_ascii() && camel_case(ident) == name
}
