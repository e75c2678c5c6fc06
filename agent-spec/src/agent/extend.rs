//! Composing agents.

use super::{Agent, conflict};
use crate::diagnostic::Diagnostics;

impl Agent {
    /// This agent with the tools of another one as well: its own first, in order, then those of the
    /// other that it does not have. All else is this agent's: name, description, instruction,
    /// model, settings, and the properties that mean nothing here.
    ///
    /// A tool that both have is one, if its specs are equal.
    ///
    /// # Errors
    /// When both have a tool of a name with different specs. The findings name all such tools.
    ///
    /// ```
    /// use agent_spec::{Agent, ToolSpec};
    ///
    /// let tool = |name: &'static str| ToolSpec::new(name, "Says something.", "(name::Text)==>(::String)");
    /// let greeter = Agent::new("greeter", "OpenAI/gpt-4o-mini", "Greet people.")?;
    /// let greeter = greeter.with_tool(tool("sayHello")?)?;
    /// let leaver = Agent::new("leaver", "Offline/any", "Say goodbye.")?;
    /// let leaver = leaver.with_tool(tool("sayGoodbye")?)?.with_tool(tool("sayHello")?)?;
    ///
    /// let host = greeter.extend(&leaver)?;
    /// assert_eq!(host.instruction(), "Greet people.");
    /// let names: Vec<_> = host.tools().iter().map(ToolSpec::name).collect();
    /// assert_eq!(names, ["sayHello", "sayGoodbye"]);
    /// # Ok::<(), agent_spec::Diagnostics>(())
    /// ```
    pub fn extend(&self, other: &Agent) -> Result<Agent, Diagnostics> {
        let mut tools = self.tools().to_vec();
        let mut conflicts = Vec::new();
        for theirs in other.tools() {
            match self.tool(theirs.name()) {
                None => tools.push(theirs.clone()),
                Some(ours) if ours == theirs => {}
                Some(ours) => {
                    let names = (self.name(), other.name());
                    conflicts.push(conflict::between(names, ours, theirs));
                }
            }
        }
        if !conflicts.is_empty() {
            return Err(Diagnostics::new(String::new(), conflicts));
        }
        let mut extended = self.clone();
        extended.set_tools(tools);
        Ok(extended)
    }
}
