//! This project's runtime, as its users use it.

use super::{Failure, INPUT, greeting};
use agent_runtime::runtime::RuntimeBuilder;
use agent_runtime::{Agent, Conversation, Environment, Runtime, ToolLibrary, agent, tool, tools};
use agent_store::SqliteJournal;
use std::path::PathBuf;

/// Returns a friendly greeting message for the given name
#[tool(inline)]
fn say_hello(person_name: &str) -> String {
    greeting(person_name)
}

pub(crate) struct Prepared {
    runtime: Runtime,
    agent: Agent,
    library: ToolLibrary,
    /// The folder of the journal.
    folder: Option<PathBuf>,
}

impl Prepared {
    pub(super) fn new(base_url: &str) -> Result<Self, Failure> {
        Self::with(Runtime::builder(), base_url)
    }

    /// With a journal in the folder for temporary files.
    pub(super) async fn journaled(base_url: &str) -> Result<Self, Failure> {
        let folder = std::env::temp_dir().join(format!("bench-loop-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let journal = SqliteJournal::open(folder.join("runs.db")).await?;
        let mut prepared = Self::with(Runtime::builder().journal(journal), base_url)?;
        prepared.folder = Some(folder);
        Ok(prepared)
    }

    fn with(builder: RuntimeBuilder, base_url: &str) -> Result<Self, Failure> {
        let agent = agent! {
            tools: [say_hello],
            [greeter:Agent {
                instruction: "You are a friendly assistant. Greet the user with the sayHello tool.",
                model: "OpenAI/gpt-6-luna"
            } | sayHello]
        };
        let runtime = builder.environment(Environment::empty()).base_url(base_url);
        Ok(Self {
            runtime: runtime.build()?,
            agent,
            library: tools![say_hello],
            folder: None,
        })
    }

    pub(super) async fn run(&self) -> Result<String, Failure> {
        let mut conversation = Conversation::new();
        let response = self
            .runtime
            .execute(&self.agent, INPUT, &mut conversation, &self.library)
            .await?;
        Ok(response.content)
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}
