//! Values whose methods are tools.

use crate::context::ToolContext;
use crate::static_tool::StaticTools;
use crate::tool::{Tool, ToolFuture};
use agent_spec::ToolDescriptor;
use agent_spec::binding::ToolSet;
use std::fmt;
use std::sync::Arc;

/// A value whose methods are tools: what `#[toolbox]` makes of a type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a toolbox",
    note = "write `#[toolbox]` on its `impl` block, and `#[tool]` on the methods that are tools"
)]
pub trait Toolbox: Send + Sync + Sized + 'static {
    /// What each method says of itself.
    const METHODS: ToolSet;

    /// Calls the method at a place of [`METHODS`](Self::METHODS), as [`Tool::call`] does.
    fn call_method<'a>(
        toolbox: &'a Arc<Self>,
        method: usize,
        arguments: &'a str,
        context: &'a ToolContext,
    ) -> ToolFuture<'a>;
}

// What is wrong is said of the trait that was asked for.
#[diagnostic::do_not_recommend]
impl<B: Toolbox> StaticTools for B {
    const TOOLS: ToolSet = B::METHODS;
}

/// One method of a shared toolbox, as a tool.
pub struct MethodTool<B> {
    toolbox: Arc<B>,
    method: usize,
    descriptor: &'static ToolDescriptor,
}

impl<B: Toolbox> MethodTool<B> {
    /// A tool for each method.
    pub(crate) fn all(toolbox: &Arc<B>) -> Vec<Arc<dyn Tool>> {
        let tool = |(method, descriptor)| -> Arc<dyn Tool> {
            Arc::new(Self {
                toolbox: Arc::clone(toolbox),
                method,
                descriptor,
            })
        };
        B::METHODS.iter().enumerate().map(tool).collect()
    }
}

impl<B: Toolbox> Tool for MethodTool<B> {
    fn descriptor(&self) -> &ToolDescriptor {
        self.descriptor
    }

    fn call<'a>(&'a self, arguments: &'a str, context: &'a ToolContext) -> ToolFuture<'a> {
        B::call_method(&self.toolbox, self.method, arguments, context)
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
