//! MCP servers as documents.

use crate::check::{Options, check};
use crate::diagnostic::{Code, Diagnostics};
use crate::mcp::{McpLock, McpTransport};
use crate::vocabulary::MCP_LABEL;
use agent_gram::value::{Array, Record, Text};
use agent_gram::{Pattern, Subject, Value, print};

impl McpLock {
    /// Reads the one server of a document.
    ///
    /// # Errors
    /// All diagnostics of the document; also when it declares no server, or several.
    pub fn parse(source: &str) -> Result<Self, Diagnostics> {
        let mut checked = check(source, Options::default());
        if checked.has_errors() {
            return Err(Diagnostics::new(source, checked.diagnostics));
        }
        let message = match checked.servers.len() {
            1 => return Ok(checked.servers.remove(0)),
            0 => {
                "the document declares no MCP server; one is written `[name:Mcp {command: […]} | …]`"
            }
            _ => "the document declares several MCP servers; write each into a document of its own",
        };
        Err(Diagnostics::without_text(Code::NothingDeclared, message))
    }

    /// Returns the lock as gram in the canonical layout, with a final line end. [`McpLock::parse`] reads an equal lock.
    #[must_use]
    pub fn to_gram(&self) -> String {
        let mut text = print::print_pattern(&self.to_pattern());
        text.push('\n');
        text
    }

    fn to_pattern(&self) -> Pattern {
        let mut record = Record::new();
        // A record of a server nests two levels deep, which is always within bounds.
        let mut put = |key: &'static str, value: Value| _ = record.insert(key, value);
        match &self.transport {
            McpTransport::Command { command, env } => {
                put("command", texts(command));
                if !env.is_empty() {
                    put("env", texts(env));
                }
            }
            McpTransport::Http { url, headers } => {
                put("url", Value::String(url.clone()));
                if !headers.is_empty() {
                    let headers = headers.iter().cloned();
                    let headers = headers.map(|(name, value)| (name, Value::String(value)));
                    let headers = Record::from_entries(headers.collect::<Vec<_>>());
                    put("headers", Value::Map(headers.unwrap_or_default()));
                }
            }
        }
        for (key, text) in [("version", &self.version), ("protocol", &self.protocol)] {
            if let Some(text) = text {
                put(key, Value::String(text.clone()));
            }
        }
        let mut subject = Subject::new(self.name.clone()).with_label(MCP_LABEL);
        subject.properties = record;
        let tools = self.tools.iter();
        let tools = tools.map(|tool| Pattern::from(tool.spec.to_pattern()));
        Pattern::new(subject, tools.collect()).unwrap_or_default()
    }
}

fn texts(texts: &[Text]) -> Value {
    let texts = texts.iter().cloned().map(Value::String);
    Value::Array(Array::new(texts.collect()).unwrap_or_default())
}
