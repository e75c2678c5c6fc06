//! The rules by which types are compared.

/// The rule by which the values of an `inner` type must fit an `outer` type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The types are equal, defaults and descriptions included.
    Equal,
    /// Every argument of the inner type means the same to the outer one: the labels are equal at every
    /// depth, except that the inner type may be narrowed further and may require what the outer type does
    /// not. Each number that the inner type names must fit the Rust type behind the outer one.
    Argument,
    /// Every result of the inner type is a value of the outer one, at every depth. A record has the fields
    /// that its type names, so it fits a record of fewer fields, and a map when each field fits the map's
    /// values.
    Result,
    /// Every argument that a function passes to an agent, the inner type, is an argument that the agent
    /// accepts: the labels are equal at every depth, allowed values are among those of the outer type, and a
    /// record has each field that the outer one requires and no other field. Other constraints of the outer
    /// type are checked at the call.
    Passed,
    /// Every answer of an agent, the inner type, can be read by the function that calls it: the labels are equal at
    /// every depth, allowed values are among those of the outer type, and a record has each field that the outer one
    /// requires. If both types have a limit, the limit of the inner type is not beyond the limit of the outer
    /// type.
    Answered,
}

impl Rule {
    pub(super) const fn is_result(self) -> bool {
        matches!(self, Self::Result)
    }

    pub(super) const fn is_equal(self) -> bool {
        matches!(self, Self::Equal)
    }

    /// Whether a function calls an agent. The defaults of the agent fill in arguments that the function
    /// leaves out.
    pub(super) const fn is_call(self) -> bool {
        matches!(self, Self::Passed | Self::Answered)
    }
}
