//! Tool implementations by name, and binding them to specs.

mod bind;
mod bound;
mod error;
mod into_tools;
mod stated;

pub use agent_spec::binding::Policy as BindPolicy;
pub use bind::{bind_agent_tools, bind_agent_tools_with};
pub(crate) use bound::ToolRule;
pub use bound::{BoundTool, BoundTools};
pub use error::{BindError, BindFailure, LibraryError};
pub use into_tools::{IntoTool, IntoTools};

use crate::tool::Tool;
use agent_spec::ToolSpec;
use agent_spec::names::is_tool_name;
use std::fmt;
use std::sync::Arc;

/// Tool implementations by name, in the order in which they were registered.
///
/// Cloning is cheap, and registering in a clone never changes the original: two libraries with
/// different implementations of one name are all that an A/B test needs.
#[derive(Clone, Default)]
pub struct ToolLibrary {
    tools: Arc<Vec<Arc<dyn Tool>>>,
}

impl ToolLibrary {
    /// A library without tools.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers a tool under its name. A tool that had the name before is replaced, keeps its
    /// place in the order, and is returned.
    ///
    /// # Errors
    /// When `name` is not the tool's own, or not one that every provider takes, or the tool's timeout
    /// is 0.
    pub fn register(
        &mut self,
        name: &str,
        tool: impl IntoTool,
    ) -> Result<Option<Arc<dyn Tool>>, LibraryError> {
        let tool = tool.into_tool();
        let own = tool.descriptor().name();
        if own != name {
            return Err(LibraryError::OtherName {
                given: name.to_owned(),
                own: own.to_owned(),
            });
        }
        self.insert(tool)
    }

    /// Registers a tool under its own name, replacing like [`register`](Self::register).
    ///
    /// # Errors
    /// When the name is not one that every provider takes, or the tool's timeout is 0.
    pub fn add(&mut self, tool: impl IntoTool) -> Result<Option<Arc<dyn Tool>>, LibraryError> {
        self.insert(tool.into_tool())
    }

    fn insert(&mut self, tool: Arc<dyn Tool>) -> Result<Option<Arc<dyn Tool>>, LibraryError> {
        let name = tool.descriptor().name();
        if !is_tool_name(name) {
            return Err(LibraryError::BadName(name.to_owned()));
        }
        if tool
            .descriptor()
            .settings()
            .timeout
            .is_some_and(|limit| limit.is_zero())
        {
            return Err(LibraryError::NoTime(name.to_owned()));
        }
        let position = self.position(name);
        let tools = Arc::make_mut(&mut self.tools);
        Ok(match position {
            Some(at) => Some(std::mem::replace(&mut tools[at], tool)),
            None => {
                tools.push(tool);
                None
            }
        })
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.tools
            .iter()
            .position(|tool| tool.descriptor().name() == name)
    }

    /// The tool of a name.
    #[must_use]
    pub fn lookup(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.get(self.position(name)?)
    }

    /// The tool that implements a spec: that of its name, when it is
    /// [compatible](BindPolicy::Compatible).
    ///
    /// # Errors
    /// When there is no such tool, or it does not match; the failure says why.
    pub fn bind(&self, spec: &ToolSpec) -> Result<Arc<dyn Tool>, BindFailure> {
        self.bind_with(spec, BindPolicy::default())
    }

    /// The tool that implements a spec, matched as closely as the policy demands.
    ///
    /// # Errors
    /// When there is no such tool, or it does not match; the failure says why.
    pub fn bind_with(
        &self,
        spec: &ToolSpec,
        policy: BindPolicy,
    ) -> Result<Arc<dyn Tool>, BindFailure> {
        bind::bind_tool(spec, self, policy)
    }

    /// Adds all tools of another library.
    ///
    /// # Errors
    /// When both have a tool of one name; nothing is added then.
    pub fn merge(&mut self, other: &ToolLibrary) -> Result<(), LibraryError> {
        self.register_all(other)
    }

    /// Registers several tools under their own names: the methods of a toolbox, the tools of a
    /// library, of a vector or an array. Unlike [`register`](Self::register) it replaces none:
    /// the error names both tools.
    ///
    /// # Errors
    /// When a name is taken, or is given twice, or is not one that every provider takes, or a
    /// timeout is 0; nothing is registered then.
    pub fn register_all(&mut self, tools: impl IntoTools) -> Result<(), LibraryError> {
        let mut merged = self.clone();
        for tool in tools.into_tools() {
            if let Some(replaced) = merged.insert(Arc::clone(&tool))? {
                return Err(LibraryError::duplicate(&*replaced, &*tool));
            }
        }
        *self = merged;
        Ok(())
    }

    /// The tools, in the order in which their names were registered.
    pub fn iter(&self) -> std::slice::Iter<'_, Arc<dyn Tool>> {
        self.tools.iter()
    }

    /// The names, in the same order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.iter().map(|tool| tool.descriptor().name())
    }

    /// The number of tools.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether there are no tools.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// The tools as a gram document. A tool that has only JSON Schemas cannot be said in gram and
    /// is left out.
    #[must_use]
    pub fn to_gram(&self) -> String {
        let mut text = String::new();
        for gram in self.iter().filter_map(|tool| tool.descriptor().to_gram()) {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&gram);
            text.push('\n');
        }
        text
    }
}

/// A library of tools. Of several with one name the last stays, as with
/// [`register`](ToolLibrary::register); a tool whose name no provider takes, or whose
/// timeout is 0, is left out with a trace event.
impl FromIterator<Arc<dyn Tool>> for ToolLibrary {
    fn from_iter<I: IntoIterator<Item = Arc<dyn Tool>>>(tools: I) -> Self {
        let mut library = Self::new();
        for tool in tools {
            if let Err(error) = library.insert(tool) {
                tracing::error!(%error, "a tool was left out of a library");
            }
        }
        library
    }
}

impl<'a> IntoIterator for &'a ToolLibrary {
    type Item = &'a Arc<dyn Tool>;
    type IntoIter = std::slice::Iter<'a, Arc<dyn Tool>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Shows the names.
impl fmt::Debug for ToolLibrary {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("ToolLibrary")?;
        out.debug_set().entries(self.names()).finish()
    }
}
