//! The list of tools as the server gave it.

use crate::rmcp_workarounds::tool_page::{MAX_TOOLS, OrderedPage, UnreadableTool};
use agent_runtime::serde_json::{Map, Value};
use agent_spec::json::Ordered;
use rmcp::model::{Tool, ToolAnnotations};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The maximum number of bytes of the schemas of all tools of a server. A hostile server could fill the memory.
pub(crate) const MAX_BYTES: usize = 32 << 20;

/// A list of tools.
#[derive(Debug, Default)]
pub(crate) struct ToolList {
    pub(crate) tools: Vec<Arc<ListedTool>>,
    /// The positions of the tools by the server's own names.
    positions: HashMap<String, usize>,
    /// The names that several tools have.
    repeated: HashSet<String>,
    bytes: usize,
    /// The names of tools that were not read because there are too many, as far as they are known.
    pub(crate) beyond: Vec<String>,
    /// The names of tools that rmcp removed from the list, because an `x-mcp-header` in their schemas is not valid.
    pub(crate) removed: Vec<String>,
    /// The tools that cannot be read.
    pub(crate) unreadable: Vec<UnreadableTool>,
    /// The reason why further pages were not read, if the list of the server has no end.
    pub(crate) endless: Option<&'static str>,
}

/// A tool as the server describes it.
#[derive(Debug)]
pub(crate) struct ListedTool {
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    /// The JSON text of the schema of the arguments. Its properties have the server's order.
    pub(crate) input: String,
    pub(crate) output: Option<String>,
    pub(crate) annotations: Option<ToolAnnotations>,
}

impl ToolList {
    pub(crate) fn get(&self, name: &str) -> Option<&Arc<ListedTool>> {
        self.positions.get(name).map(|at| &self.tools[*at])
    }

    /// Whether several tools have this name.
    pub(crate) fn repeats(&self, name: &str) -> bool {
        self.repeated.contains(name)
    }

    /// Returns the reason why a tool cannot be read, if there is one.
    pub(crate) fn unreadable(&self, name: &str) -> Option<&str> {
        let mut unreadable = self.unreadable.iter();
        let found = unreadable.find(|tool| tool.name == name);
        found.map(|tool| tool.reason.as_str())
    }

    /// Returns the warning about a list that was not read to its end.
    pub(crate) fn warning(&self, server: &str) -> Option<String> {
        let problem = self.endless?;
        let read = self.tools.len();
        Some(format!(
            "the list of tools of the server `{server}` {problem}, so that no further pages were read; it has the {read} \
             tools of the pages before"
        ))
    }

    /// Whether a page has tools, and all of them are in the list already.
    pub(crate) fn has_all(&self, tools: &[Tool], ordered: &OrderedPage) -> bool {
        let is_known = |tool: &Tool| {
            self.get(&tool.name).is_some_and(|known| {
                let (input, _) = ordered.schemas_of(&tool.name);
                known.description.as_deref() == tool.description.as_deref()
                    && known.input == text_of(&tool.input_schema, input)
            })
        };
        !tools.is_empty() && tools.iter().all(is_known)
    }

    /// Adds the tools of a page. Returns whether there is room for more.
    pub(crate) fn add(&mut self, tools: Vec<Tool>, mut ordered: OrderedPage) -> bool {
        for tool in std::mem::take(&mut ordered.unreadable) {
            self.bytes += tool.name.len() + tool.reason.len();
            if self.unreadable.len() < MAX_TOOLS {
                self.unreadable.push(tool);
            }
        }
        let mut removed = ordered.names();
        for tool in &tools {
            removed.remove(&*tool.name);
        }
        for name in removed {
            self.bytes += name.len();
            if self.removed.len() < MAX_TOOLS {
                self.removed.push(name.to_owned());
            }
        }
        for tool in tools {
            if self.tools.len() == MAX_TOOLS || self.bytes > MAX_BYTES {
                self.beyond.push(tool.name.into_owned());
                continue;
            }
            let name = tool.name.into_owned();
            let (input, output) = ordered.schemas_of(&name);
            let listed = ListedTool {
                input: text_of(&tool.input_schema, input),
                output: tool.output_schema.map(|schema| text_of(&schema, output)),
                title: tool.title,
                description: tool.description.map(|text| text.into_owned()),
                annotations: tool.annotations,
                name,
            };
            self.bytes += listed.input.len() + listed.output.as_ref().map_or(0, String::len);
            match self.positions.contains_key(&listed.name) {
                true => _ = self.repeated.insert(listed.name.clone()),
                false => _ = self.positions.insert(listed.name.clone(), self.tools.len()),
            }
            self.tools.push(Arc::new(listed));
        }
        self.tools.len() < MAX_TOOLS && self.bytes <= MAX_BYTES
    }
}

/// Returns the text of a schema in the server's order, if `ordered` is the same schema.
fn text_of(schema: &Map<String, Value>, ordered: Option<&Ordered>) -> String {
    let schema = Value::Object(schema.clone());
    match ordered {
        Some(ordered) if ordered.to_value() == schema => ordered.to_string(),
        _ => schema.to_string(),
    }
}
