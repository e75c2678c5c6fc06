//! A tool of an MCP server in a list of tools.

use crate::tokens::Tokens;
use agent_spec::ToolSpec;
use proc_macro2::{Span, TokenStream};
use quote::quote;

/// A tool of a server, which is compared as a function is.
#[derive(Clone)]
pub(crate) struct LockedTool {
    pub(crate) spec: ToolSpec,
    /// The literal with the path of its document.
    pub(crate) span: Span,
    /// Whether the agent has the tool. The list of tools omits the signatures of other tools, because a
    /// server may have hundreds of tools.
    pub(crate) is_used: bool,
}

impl LockedTool {
    /// Returns the tool as a constant descriptor.
    pub(crate) fn descriptor(&self, rt: &TokenStream) -> TokenStream {
        let (name, description) = (self.spec.name(), self.spec.description());
        let signature = match self.is_used {
            true => Tokens { rt }.signature(self.spec.signature()),
            false => {
                quote!(#rt::Signature::from_static(&[], #rt::Returns::from_static(#rt::Type::ANY, #rt::None)))
            }
        };
        quote!(const { &#rt::ToolDescriptor::from_static(#name, #description, #signature, #rt::ToolSettings::DEFAULT) })
    }
}
