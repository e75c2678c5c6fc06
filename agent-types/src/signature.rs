//! The type of a tool: its parameters and its result.

use crate::types::{Param, Type};
use agent_gram::value::Text;
use std::borrow::Cow;

/// A tool's type, written in gram as a path: `(name::Text)==>(age::Int {default: 18})==>(::String)`.
///
/// A last parameter named [`FURTHER`](crate::names::FURTHER) gives the type of all arguments that no other parameter names.
#[derive(Clone, Debug)]
pub struct Signature {
    params: Cow<'static, [Param]>,
    returns: Returns,
    is_plain: bool,
}

/// The result of a tool.
#[derive(Clone, Debug)]
pub struct Returns {
    ty: agent_gram::value::Nest<Type>,
    description: Option<Text>,
}

impl Signature {
    /// Creates a signature of these parameters. The names of the parameters must differ. The parser of
    /// signatures, the macros and tool specs check this.
    #[must_use]
    pub fn new(params: Vec<Param>, returns: Returns) -> Self {
        Self {
            is_plain: are_plain(&params),
            params: Cow::Owned(params),
            returns,
        }
    }

    /// A signature for a `const`.
    #[doc(hidden)]
    #[must_use]
    pub const fn from_static(params: &'static [Param], returns: Returns) -> Self {
        Self {
            is_plain: are_plain(params),
            params: Cow::Borrowed(params),
            returns,
        }
    }

    /// The parameters, in order.
    #[must_use]
    pub const fn params(&self) -> &[Param] {
        match &self.params {
            Cow::Borrowed(params) => params,
            Cow::Owned(params) => params.as_slice(),
        }
    }

    /// Returns the result.
    #[must_use]
    pub const fn returns(&self) -> &Returns {
        &self.returns
    }

    /// The parameter of a name.
    #[must_use]
    pub fn param(&self, name: &str) -> Option<&Param> {
        self.params().iter().find(|param| param.name() == name)
    }

    /// Returns the parameters that name an argument, and the type of all other arguments, if a call may have others.
    #[must_use]
    pub const fn named_and_further(&self) -> (&[Param], Option<&Type>) {
        match self.params() {
            [named @ .., last] if last.is_further() => (named, Some(last.ty())),
            params => (params, None),
        }
    }

    /// Whether the implementation can read arguments that nothing has validated: it reads each of them only if it
    /// satisfies the signature, and in the same way.
    #[doc(hidden)]
    #[must_use]
    pub const fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Copies a `'static` signature and borrows all its parts.
    #[doc(hidden)]
    #[must_use]
    pub const fn borrowed(of: &'static Signature) -> Signature {
        Signature {
            is_plain: of.is_plain,
            params: Cow::Borrowed(of.params()),
            returns: Returns {
                ty: agent_gram::value::Nest::from_static(of.returns.ty()),
                description: match of.returns.description() {
                    Some(text) => Some(Text::from_static(text)),
                    None => None,
                },
            },
        }
    }
}

/// Whether the types of all parameters are plain.
const fn are_plain(params: &[Param]) -> bool {
    let mut at = 0;
    while at < params.len() {
        if !params[at].ty().is_plain() || params[at].remote().is_some() {
            return false;
        }
        at += 1;
    }
    true
}

impl Returns {
    /// A result of this type.
    #[must_use]
    pub fn new(ty: Type) -> Self {
        Self {
            ty: agent_gram::value::Nest::new(ty),
            description: None,
        }
    }

    /// A result for a `const`.
    #[doc(hidden)]
    #[must_use]
    pub const fn from_static(ty: &'static Type, description: Option<&'static str>) -> Self {
        Self {
            ty: agent_gram::value::Nest::from_static(ty),
            description: match description {
                Some(text) => Some(Text::from_static(text)),
                None => None,
            },
        }
    }

    /// Returns the same result with a description.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<Text>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// The type.
    #[must_use]
    pub const fn ty(&self) -> &Type {
        self.ty.get()
    }

    /// Returns the description of the result.
    #[must_use]
    pub const fn description(&self) -> Option<&str> {
        match &self.description {
            Some(text) => Some(text.as_str()),
            None => None,
        }
    }
}

impl PartialEq for Returns {
    fn eq(&self, other: &Self) -> bool {
        self.ty() == other.ty() && self.description() == other.description()
    }
}

impl PartialEq for Signature {
    fn eq(&self, other: &Self) -> bool {
        self.params() == other.params() && self.returns == other.returns
    }
}
