//! What can be registered.

use super::ToolLibrary;
use crate::tool::Tool;
use crate::tool::Toolbox;
use std::sync::Arc;

/// What can be registered as one tool: a tool, or a shared tool.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "not a tool",
    note = "a tool is a function with `#[tool]`, what `create_tool` makes, or an `Arc<dyn Tool>`; \
            several, such as a toolbox or a vector, are spread: `..value`"
)]
pub trait IntoTool: private::Sealed {
    /// The tool, shared.
    fn into_tool(self) -> Arc<dyn Tool>;
}

#[diagnostic::do_not_recommend]
impl<T: Tool> IntoTool for T {
    fn into_tool(self) -> Arc<dyn Tool> {
        Arc::new(self)
    }
}

impl IntoTool for Arc<dyn Tool> {
    fn into_tool(self) -> Arc<dyn Tool> {
        self
    }
}

/// What can be registered as several tools: a toolbox, itself or in an [`Arc`]; a library; a vector
/// or an array of tools; a set of functions that `tool_set!` made.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not several tools",
    label = "neither a toolbox nor a list of tools",
    note = "this takes a toolbox (a type with `#[toolbox]` on its `impl` block), an `Arc` of one, a \
            `ToolLibrary`, or a vector or array of tools"
)]
pub trait IntoTools {
    /// The tools, shared, in their order.
    fn into_tools(self) -> Vec<Arc<dyn Tool>>;
}

// What is wrong is said of the trait that was asked for.
#[diagnostic::do_not_recommend]
impl<B: Toolbox> IntoTools for B {
    fn into_tools(self) -> Vec<Arc<dyn Tool>> {
        B::tools(&Arc::new(self))
    }
}

impl<B: Toolbox> IntoTools for Arc<B> {
    fn into_tools(self) -> Vec<Arc<dyn Tool>> {
        B::tools(&self)
    }
}

impl<T: IntoTool> IntoTools for Vec<T> {
    fn into_tools(self) -> Vec<Arc<dyn Tool>> {
        self.into_iter().map(IntoTool::into_tool).collect()
    }
}

impl<T: IntoTool, const N: usize> IntoTools for [T; N] {
    fn into_tools(self) -> Vec<Arc<dyn Tool>> {
        self.into_iter().map(IntoTool::into_tool).collect()
    }
}

impl IntoTools for ToolLibrary {
    fn into_tools(self) -> Vec<Arc<dyn Tool>> {
        (&self).into_tools()
    }
}

impl IntoTools for &ToolLibrary {
    fn into_tools(self) -> Vec<Arc<dyn Tool>> {
        self.iter().cloned().collect()
    }
}

mod private {
    use super::{Arc, Tool};

    pub trait Sealed {}
    impl<T: Tool> Sealed for T {}
    impl Sealed for Arc<dyn Tool> {}
}
