//! One way to run the agent of an experiment.

use agent_runtime::{Model, Runtime, ToolLibrary};

/// One way to run the agent of an experiment: with a library, a model or a runtime of its own.
#[derive(Clone, Debug)]
#[must_use]
pub struct Arm {
    pub(super) name: String,
    pub(super) library: Option<ToolLibrary>,
    pub(super) model: Option<Model>,
    pub(super) runtime: Option<Runtime>,
}

impl Arm {
    /// An arm in which nothing differs yet. The name stands in the report: at most 32 characters on
    /// one line, and no other arm has it.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            library: None,
            model: None,
            runtime: None,
        }
    }

    /// With the tools of this library.
    pub fn library(mut self, library: ToolLibrary) -> Self {
        self.library = Some(library);
        self
    }

    /// With this model in place of the agent's own.
    pub fn model(mut self, model: Model) -> Self {
        self.model = Some(model);
        self
    }

    /// With this runtime: other keys and addresses, other limits, other variables.
    pub fn runtime(mut self, runtime: Runtime) -> Self {
        self.runtime = Some(runtime);
        self
    }
}
