//! Whether a call is one that its tool can be given.

use super::rules::Rules;
use super::state::{Outcome, Weight};
use super::texts;
use crate::tool::ToolError;
use agent_spec::names::nearest;

impl Rules {
    /// The arguments to give the tool, or why the call is not made.
    pub(crate) fn check(&self, name: &str, arguments: &str) -> Result<String, Outcome> {
        let mistake = |error| Outcome::refused(error, Weight::Mistake);
        let Some(rule) = self.tool(name) else {
            return Err(mistake(self.unknown(name)));
        };
        let checked = rule
            .spec
            .signature()
            .check_arguments(arguments, rule.implementation.as_ref());
        match checked {
            Ok(checked) => {
                for dropped in checked.dropped() {
                    tracing::debug!(
                        tool = name,
                        argument = dropped.as_str(),
                        "an argument that the tool does not have was dropped"
                    );
                }
                Ok(checked.text().to_owned())
            }
            Err(violations) => Err(mistake(ToolError::Validation(texts::violations(
                &violations,
            )))),
        }
    }

    fn unknown(&self, name: &str) -> ToolError {
        if self.is_undeclared(name) {
            return ToolError::Authorization(texts::undeclared(name));
        }
        let meant = nearest(name, self.names());
        ToolError::Execution(texts::unknown_tool(name, meant, self.names()))
    }
}
