//! The catalogue of changes.

/// Declares the rules, each with the name that scripts depend on.
macro_rules! rules {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal)+) => {
        /// The kind of a change. `book/src/reference/contract-diff.md` lists for each kind whom it breaks, and why.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Rule {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Rule {
            /// All rules, in the order of `book/src/reference/contract-diff.md`.
            #[cfg(test)]
            pub(crate) const ALL: &[Rule] = &[$(Rule::$variant),+];

            /// The stable name of the rule, such as `tool-added`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Rule::$variant => $name,)+
                }
            }
        }
    };
}

rules! {
    /// A tool was added.
    ToolAdded "tool-added"
    /// A tool was removed.
    ToolRemoved "tool-removed"
    /// A tool has another name, with the same description and signature.
    ToolRenamed "tool-renamed"
    /// The description of a tool changed.
    ToolDescriptionChanged "tool-description-changed"
    /// The timeout of a tool changed.
    ToolTimeoutChanged "tool-timeout-changed"
    /// A tool requires approval now, or no longer.
    ToolApprovalChanged "tool-approval-changed"
    /// A document says something else of the effects of a tool.
    ToolEffectsChanged "tool-effects-changed"
    /// A required parameter was added.
    RequiredParameterAdded "required-parameter-added"
    /// An optional parameter without a default was added.
    OptionalParameterAdded "optional-parameter-added"
    /// A parameter with a default was added.
    DefaultParameterAdded "default-parameter-added"
    /// A required parameter was removed.
    RequiredParameterRemoved "required-parameter-removed"
    /// An optional parameter was removed.
    OptionalParameterRemoved "optional-parameter-removed"
    /// A parameter has another name, with the same type and default.
    ParameterRenamed "parameter-renamed"
    /// A parameter accepts all values as before, and more.
    ParameterTypeWidened "parameter-type-widened"
    /// A parameter accepts some of the values as before, and no others.
    ParameterTypeNarrowed "parameter-type-narrowed"
    /// A parameter accepts other values.
    ParameterTypeChanged "parameter-type-changed"
    /// The type of a parameter is written otherwise and allows the same values.
    ParameterTypeRestated "parameter-type-restated"
    /// A required parameter became optional.
    ParameterMadeOptional "parameter-made-optional"
    /// An optional parameter became required.
    ParameterMadeRequired "parameter-made-required"
    /// The default of a parameter changed.
    ParameterDefaultChanged "parameter-default-changed"
    /// An optional parameter got a default.
    ParameterDefaultAdded "parameter-default-added"
    /// A parameter lost its default and stays optional.
    ParameterDefaultRemoved "parameter-default-removed"
    /// The description of a parameter, or of a field in its type, changed.
    ParameterDescriptionChanged "parameter-description-changed"
    /// The name of a parameter at its MCP server, or of a field in its type, changed.
    ParameterRemoteChanged "parameter-remote-changed"
    /// The order of the parameters changed.
    ParameterOrderChanged "parameter-order-changed"
    /// A result may have all values as before, and more.
    ResultTypeWidened "result-type-widened"
    /// A result may have some of the values as before, and no others.
    ResultTypeNarrowed "result-type-narrowed"
    /// A result may have other values.
    ResultTypeChanged "result-type-changed"
    /// The type of a result is written otherwise and allows the same values.
    ResultTypeRestated "result-type-restated"
    /// The description of a result, or of a field in its type, changed.
    ResultDescriptionChanged "result-description-changed"
    /// A tool as a whole breaks a side that none of its single changes breaks.
    ToolContractChanged "tool-contract-changed"
    /// An agent was added.
    AgentAdded "agent-added"
    /// An agent was removed.
    AgentRemoved "agent-removed"
    /// An agent offers a tool that both documents have and that it did not offer before.
    AgentToolAdded "agent-tool-added"
    /// An agent no longer offers a tool that both documents have.
    AgentToolRemoved "agent-tool-removed"
    /// The description of an agent changed.
    AgentDescriptionChanged "agent-description-changed"
    /// The timeout of calls of an agent changed.
    AgentTimeoutChanged "agent-timeout-changed"
    /// Calls of an agent require approval now, or no longer.
    AgentApprovalChanged "agent-approval-changed"
    /// The template of the user message of an agent changed.
    AgentPromptChanged "agent-prompt-changed"
    /// The templates of an agent have another variable that the program fills.
    AgentVariableAdded "agent-variable-added"
    /// The templates of an agent have a variable of the program no longer.
    AgentVariableRemoved "agent-variable-removed"
    /// Private data, words of strangers and a tool that sends come together in an agent now.
    AgentLeakOpened "agent-leak-opened"
    /// A message to an agent has no bound any more.
    AgentMessageUnbounded "agent-message-unbounded"
    /// An agent may call a destructive tool without approval now.
    AgentDestructiveToolOpened "agent-destructive-tool-opened"
}
