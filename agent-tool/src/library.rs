//! Libraries of tools, and binding them to specs.

pub(crate) mod bind;
mod by_schema;
#[cfg(feature = "schemars")]
mod stated_types;

pub use bind::{
    BindError, BindFailure, BindPolicy, BoundTool, BoundTools, bind_agent_tools,
    bind_agent_tools_with,
};

use crate::config_checks::no_time;
use crate::error::Error;
use crate::tool::{AgentTool, Tool, Toolbox};
use crate::trace::TARGET;
use agent_spec::names::is_tool_name;
use agent_spec::{Agent, ToolDescriptor, ToolSpec};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// Tool implementations by name, in the order in which they were registered.
///
/// Cloning is cheap, and registering a tool in a clone does not change the original. So an A/B test can use
/// two libraries with different implementations of a tool.
#[derive(Clone, Default)]
pub struct ToolLibrary {
    tools: Arc<Vec<Arc<dyn Tool>>>,
    by_name: Arc<HashMap<String, usize>>,
    /// The names of the tools that were left out, with the reasons.
    left_out: Arc<Vec<(String, String)>>,
}

impl ToolLibrary {
    /// Creates a library without tools.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers a tool under its name. Replaces and returns an earlier tool of this name; the new tool takes
    /// its place in the order.
    ///
    /// # Errors
    /// When `name` is not the tool's own name, when a provider does not accept the name, or when the tool's
    /// timeout is 0.
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
    /// When a provider does not accept the name, or the tool's timeout is 0.
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
                let by_name = Arc::make_mut(&mut self.by_name);
                by_name.insert(tool.descriptor().name().to_owned(), tools.len());
                tools.push(tool);
                None
            }
        })
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// Returns the tool of a name.
    #[must_use]
    pub fn lookup(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.get(self.position(name)?)
    }

    /// Returns the tool that implements a spec: the tool of its name, if it is
    /// [compatible](BindPolicy::Compatible).
    ///
    /// # Errors
    /// When there is no such tool or it does not match. The failure has the reasons.
    pub fn bind(&self, spec: &ToolSpec) -> Result<Arc<dyn Tool>, BindFailure> {
        self.bind_with(spec, BindPolicy::default())
    }

    /// Returns the tool that implements a spec, compared by a policy.
    ///
    /// # Errors
    /// When there is no such tool or it does not match. The failure has the reasons.
    pub fn bind_with(
        &self,
        spec: &ToolSpec,
        policy: BindPolicy,
    ) -> Result<Arc<dyn Tool>, BindFailure> {
        bind::bind_tool(spec, self, policy).map(|bound| Arc::clone(bound.tool()))
    }

    /// Keeps the reason for which a tool is not in the library, such as a schema that cannot be read. Binding an agent
    /// that uses the tool fails with this reason. A tool that is registered under the name later is bound as usual.
    ///
    /// ```
    /// use agent_runtime::{Signature, ToolLibrary, ToolSpec};
    ///
    /// let mut library = ToolLibrary::new();
    /// library.leave_out("find", "its schema refers to another document");
    /// let signature = agent_spec::parse_signature("()==>(::Any)").unwrap();
    /// let spec = ToolSpec::with_signature("find", "Finds", signature).unwrap();
    /// let failure = library.bind(&spec).err().unwrap();
    /// assert!(failure.to_string().contains("refers to another document"));
    /// ```
    pub fn leave_out(&mut self, name: impl Into<String>, reason: impl Into<String>) {
        Arc::make_mut(&mut self.left_out).push((name.into(), reason.into()));
    }

    /// The reason for which a tool was left out, if it was.
    #[must_use]
    pub fn reason_of(&self, name: &str) -> Option<&str> {
        let mut left_out = self.left_out.iter().rev();
        let found = left_out.find(|(left_out, _)| left_out == name);
        found.map(|(_, reason)| reason.as_str())
    }

    /// Adds all tools of another library, and its reasons for tools that were [left out](Self::leave_out).
    ///
    /// # Errors
    /// When both have a tool of the same name. Nothing is added then.
    pub fn merge(&mut self, other: &ToolLibrary) -> Result<(), LibraryError> {
        self.register_all(other)?;
        if !other.left_out.is_empty() {
            Arc::make_mut(&mut self.left_out).extend(other.left_out.iter().cloned());
        }
        Ok(())
    }

    /// Registers several tools under their own names: the methods of a toolbox, or the tools of a library, a
    /// vector or an array. Unlike [`register`](Self::register), it replaces no tool.
    ///
    /// # Errors
    /// When a name is taken or used twice, when a provider does not accept a name, or when a timeout is 0. No
    /// tool is registered then.
    pub fn register_all(&mut self, tools: impl IntoTools) -> Result<(), LibraryError> {
        let mut merged = self.clone();
        merged.register_each(tools)?;
        *self = merged;
        Ok(())
    }

    /// Registers tools as [`register_all`](Self::register_all) does, but without a copy of the library: after an error, the
    /// tools before the wrong one are registered.
    pub(crate) fn register_each(&mut self, tools: impl IntoTools) -> Result<(), LibraryError> {
        for tool in tools.into_tools() {
            if let Some(replaced) = self.insert(Arc::clone(&tool))? {
                return Err(LibraryError::duplicate(&*replaced, &*tool));
            }
        }
        Ok(())
    }

    /// The tools, in the order in which their names were registered.
    pub fn iter(&self) -> std::slice::Iter<'_, Arc<dyn Tool>> {
        self.tools.iter()
    }

    /// The names of the tools, in the order in which they were registered.
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

    /// Returns an agent as a tool, which can call the tools of this library.
    pub(crate) fn agent_tool(&self, agent: Agent) -> Result<AgentTool, Error> {
        AgentTool::of_library(agent, Arc::clone(&self.tools))
    }

    /// Returns the tools that an agent can call.
    #[doc(hidden)]
    pub fn of_agent(agent: &AgentTool) -> Self {
        let tools = Arc::clone(agent.shared_tools());
        let mut by_name = HashMap::new();
        for (place, tool) in tools.iter().enumerate() {
            let name = tool.descriptor().name().to_owned();
            by_name.entry(name).or_insert(place);
        }
        Self {
            tools,
            by_name: Arc::new(by_name),
            left_out: Arc::default(),
        }
    }

    /// Returns the tools as a gram document. A tool with JSON Schemas is printed with the signature to which
    /// they are converted. A part that no type expresses is the `schema` of an `Any`, and conditions for the
    /// arguments as a whole are in the description. A tool that gram cannot express, such as a tool with a
    /// parameter `$top`, is replaced by a comment with its name and the reasons.
    #[must_use]
    pub fn to_gram(&self) -> String {
        let mut text = String::new();
        for tool in self.iter().map(|tool| tool.descriptor()) {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&tool.to_gram().unwrap_or_else(|| left_out(tool)));
            text.push('\n');
        }
        text
    }
}

/// The comment in the place of a tool that gram cannot express.
fn left_out(tool: &ToolDescriptor) -> String {
    let reasons = tool
        .to_signature()
        .map_or_else(|error| error.to_string(), |_| String::new());
    let mut text = format!(
        "// The tool `{}` is left out, because gram cannot express it",
        tool.name()
    );
    for (at, reason) in reasons.lines().enumerate() {
        text.push_str(if at == 0 { ":\n// " } else { "\n// " });
        text.push_str(reason);
    }
    text
}

/// Collects tools. Later tools replace earlier ones of the same name, as with
/// [`register`](ToolLibrary::register). A tool with an invalid name or a timeout of 0 is left out, with a
/// trace event.
impl FromIterator<Arc<dyn Tool>> for ToolLibrary {
    fn from_iter<I: IntoIterator<Item = Arc<dyn Tool>>>(tools: I) -> Self {
        let mut library = Self::new();
        for tool in tools {
            if let Err(error) = library.insert(tool) {
                tracing::error!(target: TARGET, %error, "a tool was left out of a library");
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

/// Prints the names.
impl fmt::Debug for ToolLibrary {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("ToolLibrary")?;
        out.debug_set().entries(self.names()).finish()
    }
}

/// A value that can be registered as one tool: a tool, or a shared tool.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "not a tool",
    note = "a tool is a function with `#[tool]`, what `create_tool` makes, or an `Arc<dyn Tool>`; \
            several, such as a toolbox or a vector, are spread: `..value`"
)]
pub trait IntoTool: private::Sealed {
    /// Converts the value to a shared tool.
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

/// A value that can be registered as several tools: a toolbox, itself or in an [`Arc`]; a library; a vector or
/// an array of tools; a set of functions from `tool_set!`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not several tools",
    label = "neither a toolbox nor a list of tools",
    note = "this takes a toolbox (a type with `#[toolbox]` on its `impl` block), an `Arc` of one, a \
            `ToolLibrary`, or a vector or array of tools"
)]
pub trait IntoTools {
    /// Converts the value to shared tools, in their order.
    fn into_tools(self) -> Vec<Arc<dyn Tool>>;
}

// Not recommended, so that a missing implementation is reported for `IntoTools`, which the program needs.
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

/// The error of registering a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LibraryError {
    /// The name given is not the tool's own.
    OtherName {
        /// The name given.
        given: String,
        /// The tool's own.
        own: String,
    },
    /// A provider does not accept the name.
    BadName(String),
    /// The timeout of the tool of this name is 0.
    NoTime(String),
    /// Two tools have one name.
    Duplicate {
        /// The name.
        name: String,
        /// The description of the registered tool.
        first: String,
        /// The description of the tool that was to be added.
        second: String,
        /// The types of their toolboxes, if the tools are methods.
        owners: [Option<String>; 2],
    },
}

impl LibraryError {
    fn duplicate(first: &dyn Tool, second: &dyn Tool) -> Self {
        Self::Duplicate {
            name: first.descriptor().name().to_owned(),
            first: first.descriptor().description().to_owned(),
            second: second.descriptor().description().to_owned(),
            owners: [first, second].map(|tool| tool.owner().map(str::to_owned)),
        }
    }
}

impl fmt::Display for LibraryError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherName { given, own } => write!(
                out,
                "the tool is named `{own}` and cannot be registered as `{given}`"
            ),
            Self::BadName(name) => write!(
                out,
                "`{name}` cannot name a tool; a name is a letter or `_`, then letters, digits, `_` \
                 or `-`, 63 at most"
            ),
            Self::NoTime(name) => {
                out.write_str(&no_time(&format!("the timeout of the tool `{name}`")))
            }
            Self::Duplicate {
                name,
                first,
                second,
                owners: [first_owner, second_owner],
            } => {
                write!(out, "two tools are named `{name}`: ")?;
                write_tool(out, first, first_owner.as_deref())?;
                out.write_str(" and ")?;
                write_tool(out, second, second_owner.as_deref())
            }
        }
    }
}

fn write_tool(out: &mut fmt::Formatter<'_>, description: &str, owner: Option<&str>) -> fmt::Result {
    write!(out, "\"{description}\"")?;
    match owner {
        Some(owner) => write!(out, " of the toolbox `{owner}`"),
        None => Ok(()),
    }
}

impl std::error::Error for LibraryError {}
