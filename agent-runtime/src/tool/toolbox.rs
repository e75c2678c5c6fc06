//! Values whose methods are tools.

use super::method::MethodCall;
use super::static_tool::StaticTools;
use super::toolbox_parts::{Shareable, ToolboxParts};
use super::{Tool, ToolFuture};
use crate::context::ToolContext;
use agent_spec::ToolDescriptor;
use agent_spec::tool_set::ToolSet;
use std::any::type_name;
use std::fmt;
use std::sync::Arc;

/// A value whose methods are tools: what [`#[toolbox]`](macro@crate::toolbox) makes of a type.
///
/// Its tools share the value: a library that has them holds it in an [`Arc`], and it lives as long
/// as the last library. [`StaticTools`] has what the tools say of themselves.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a toolbox",
    label = "its methods are not known as tools",
    note = "write `#[toolbox]` on its `impl` block, and `#[tool]` on the methods that are tools"
)]
pub trait Toolbox: Shareable + Sized {
    /// What each tool of the first block says of itself.
    #[doc(hidden)]
    const METHODS: ToolSet;
    /// How each of them is called, in the same order.
    #[doc(hidden)]
    const CALLS: &'static [MethodCall<Self>];
    /// The methods, in the same order.
    #[doc(hidden)]
    const NAMES: &'static [&'static str];
    /// The other blocks.
    #[doc(hidden)]
    type Parts: ToolboxParts<Self>;

    /// A tool for each method of all blocks.
    #[doc(hidden)]
    fn tools(toolbox: &Arc<Self>) -> Vec<Arc<dyn Tool>>;
}

// What is wrong is said of the trait that was asked for.
#[diagnostic::do_not_recommend]
impl<B: Toolbox> StaticTools for B {
    const TOOLS: ToolSet = ToolSet::Sets(&[B::METHODS, <B::Parts as ToolboxParts<B>>::METHODS]);
}

/// One method of a shared toolbox, as a tool.
pub struct MethodTool<B> {
    toolbox: Arc<B>,
    descriptor: &'static ToolDescriptor,
    call: MethodCall<B>,
}

impl<B: Toolbox + Send + Sync> MethodTool<B> {
    /// A tool for each method of all blocks.
    pub(crate) fn all(toolbox: &Arc<B>) -> Vec<Arc<dyn Tool>> {
        let mut tools = Vec::new();
        add_methods(toolbox, &B::METHODS, B::CALLS, &mut tools);
        B::Parts::add_tools(toolbox, &mut tools);
        tools
    }
}

/// Adds a tool for each method of one block.
pub(crate) fn add_methods<B: Toolbox + Send + Sync>(
    toolbox: &Arc<B>,
    methods: &ToolSet,
    calls: &'static [MethodCall<B>],
    tools: &mut Vec<Arc<dyn Tool>>,
) {
    let tool = |(descriptor, call): (_, &MethodCall<B>)| -> Arc<dyn Tool> {
        Arc::new(MethodTool {
            toolbox: Arc::clone(toolbox),
            descriptor,
            call: *call,
        })
    };
    tools.extend(methods.iter().zip(calls).map(tool));
}

impl<B: Toolbox + Send + Sync> Tool for MethodTool<B> {
    fn descriptor(&self) -> &ToolDescriptor {
        self.descriptor
    }

    fn call<'a>(&'a self, arguments: &'a str, context: &'a ToolContext) -> ToolFuture<'a> {
        (self.call)(&self.toolbox, arguments, context)
    }

    fn owner(&self) -> Option<&str> {
        Some(type_name::<B>())
    }
}

/// Shows the name.
impl<B> fmt::Debug for MethodTool<B> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("MethodTool")
            .field(&self.descriptor.name())
            .finish()
    }
}
