//! The configuration of the server.

use agent_project::known_tools::KnownModels;
use agent_spec::ToolSpec;
use std::path::PathBuf;

/// The configuration of the server.
#[derive(Clone, Debug, Default)]
pub struct ServerConfig {
    /// The specs of the built-in tools, which every document may name.
    pub builtin_tools: Vec<ToolSpec>,
    /// The files whose tools every document may name. They are read again when they change.
    pub tool_files: Vec<PathBuf>,
    /// The providers that models may name besides [`agent_spec::model::PROVIDERS`].
    pub providers: Vec<String>,
    /// The settings for checking models; `None` if models are not checked.
    pub models: Option<KnownModels>,
    /// Whether warnings are sent as errors.
    pub deny_warnings: bool,
    /// The address of the published page of `book/src/reference/diagnostics.md`. If there is one, codes link to it.
    pub docs_page: Option<String>,
}
