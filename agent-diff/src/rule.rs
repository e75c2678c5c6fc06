//! The catalogue of changes.

/// Declares the rules, each with the name that scripts depend on.
macro_rules! rules {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal)+) => {
        /// What changed. `docs/contract-diff.md` says of each whom it breaks, and why.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Rule {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Rule {
            /// All rules, in the order of the page.
            #[cfg(test)]
            pub(crate) const ALL: &[Rule] = &[$(Rule::$variant),+];

            /// The name, which stays as it is.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Rule::$variant => $name,)+
                }
            }
        }
    };
}

rules! {
    /// A tool that the older document does not have.
    ToolAdded "tool-added"
    /// A tool that the newer document does not have.
    ToolRemoved "tool-removed"
    /// A tool with the description and the signature that another name had.
    ToolRenamed "tool-renamed"
    /// The description of a tool.
    ToolDescriptionChanged "tool-description-changed"
    /// How long a call may take.
    ToolTimeoutChanged "tool-timeout-changed"
    /// Whether a person approves every call.
    ToolApprovalChanged "tool-approval-changed"
    /// A parameter that every call must give.
    RequiredParameterAdded "required-parameter-added"
    /// A parameter that may be left out.
    OptionalParameterAdded "optional-parameter-added"
    /// A parameter that has a value when it is left out.
    DefaultParameterAdded "default-parameter-added"
    /// A parameter that every call gave.
    RequiredParameterRemoved "required-parameter-removed"
    /// A parameter that could be left out.
    OptionalParameterRemoved "optional-parameter-removed"
    /// A parameter with all that another name had.
    ParameterRenamed "parameter-renamed"
    /// A parameter that takes all values as before, and more.
    ParameterTypeWidened "parameter-type-widened"
    /// A parameter that takes some of the values as before, and no others.
    ParameterTypeNarrowed "parameter-type-narrowed"
    /// A parameter that takes other values.
    ParameterTypeChanged "parameter-type-changed"
    /// A parameter whose type says something else of the same values.
    ParameterTypeRestated "parameter-type-restated"
    /// A parameter that may be left out now.
    ParameterMadeOptional "parameter-made-optional"
    /// A parameter that must be given now.
    ParameterMadeRequired "parameter-made-required"
    /// Another value for a parameter that is left out.
    ParameterDefaultChanged "parameter-default-changed"
    /// A value for a parameter that could be left out before.
    ParameterDefaultAdded "parameter-default-added"
    /// No value any more for a parameter that may be left out.
    ParameterDefaultRemoved "parameter-default-removed"
    /// The description of a parameter.
    ParameterDescriptionChanged "parameter-description-changed"
    /// The order of the parameters.
    ParameterOrderChanged "parameter-order-changed"
    /// A result that may have all values as before, and more.
    ResultTypeWidened "result-type-widened"
    /// A result that may have some of the values as before, and no others.
    ResultTypeNarrowed "result-type-narrowed"
    /// A result that may have other values.
    ResultTypeChanged "result-type-changed"
    /// A result whose type says something else of the same values.
    ResultTypeRestated "result-type-restated"
    /// The description of a result.
    ResultDescriptionChanged "result-description-changed"
    /// A tool as a whole does what none of its changes by itself does.
    ToolContractChanged "tool-contract-changed"
    /// An agent that the older document does not have.
    AgentAdded "agent-added"
    /// An agent that the newer document does not have.
    AgentRemoved "agent-removed"
    /// A tool that both documents have, and that an agent offers now.
    AgentToolAdded "agent-tool-added"
    /// A tool that both documents have, and that an agent does not offer any more.
    AgentToolRemoved "agent-tool-removed"
}
