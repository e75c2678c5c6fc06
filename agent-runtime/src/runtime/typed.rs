//! Executions whose answer is a value of a Rust type.

use super::{ExecuteOptions, Progress, Runtime};
use crate::conversation::Conversation;
use crate::drive::HistoryGuard;
use crate::error::Error;
use crate::error_path::{ErrorAtPath, read_as};
use crate::executable::Executable;
use crate::library::ToolLibrary;
use crate::response::AgentResponse;
use crate::run::Run;
use agent_spec::GramType;
use serde_core::de::DeserializeOwned;

/// What an execution returns whose answer is a value.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TypedResponse<T> {
    /// The answer.
    pub value: T,
    /// How it came about; its content is the answer as JSON.
    pub response: AgentResponse,
}

impl Runtime {
    /// Executes an agent as [`execute`](Self::execute) does, until it gives a value of this type.
    ///
    /// The model gives it by calling a tool that is added to the agent's, named `finalAnswer`, whose
    /// parameters are the fields of the type (or one, `answer`, when it is no record). Arguments that
    /// do not fit are answered with what would fit, as those of any tool are; after three such
    /// failures the run ends with an llm error. A model that writes the value as text is understood
    /// when that is JSON of the type. The agent's tools may be called before, not beside it. The
    /// calls that give the answer, those that were not right included, are in the conversation, but
    /// not among the [`tools_used`](AgentResponse::tools_used).
    ///
    /// The conversation gets the answer as JSON text.
    ///
    /// ```
    /// use agent_runtime::{
    ///     agent, Conversation, Error, GramType, ModelReply, Runtime, Scripted, ToolCall, ToolLibrary,
    /// };
    /// use serde::Deserialize;
    ///
    /// #[derive(Debug, Deserialize, GramType, PartialEq)]
    /// struct Town {
    ///     name: String,
    ///     inhabitants: u32,
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Error> {
    /// let agent = agent! { [geographer:Agent {instruction: "Answer.", model: "Scripted/any"}] };
    /// let given = r#"{"name": "Ulm", "inhabitants": 128000}"#;
    /// let model = Scripted::new([ModelReply::calls([ToolCall::new("1", "finalAnswer", given)])]);
    /// let (runtime, library) = (Runtime::with_model(model), ToolLibrary::new());
    /// let mut conversation = Conversation::new();
    /// let answer = runtime
    ///     .execute_as::<Town, _>(&agent, "Where is the highest steeple?", &mut conversation, &library)
    ///     .await?;
    /// assert_eq!(answer.value, Town { name: "Ulm".into(), inhabitants: 128_000 });
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`execute`](Self::execute); llm when the model does not give a value of the type.
    pub async fn execute_as<T, A>(
        &self,
        agent: &A,
        input: &str,
        conversation: &mut Conversation,
        library: &ToolLibrary,
    ) -> Result<TypedResponse<T>, Error>
    where
        T: GramType + DeserializeOwned,
        A: Executable + ?Sized,
    {
        let options = ExecuteOptions::new();
        self.execute_as_with(agent, input, conversation, library, options)
            .await
    }

    /// Executes an agent as [`execute_as`](Self::execute_as) does, watched, cancellable, or with
    /// variables of its own.
    ///
    /// # Errors
    /// As [`execute_as`](Self::execute_as), and cancelled.
    pub async fn execute_as_with<T, A>(
        &self,
        agent: &A,
        input: &str,
        conversation: &mut Conversation,
        library: &ToolLibrary,
        options: ExecuteOptions<'_>,
    ) -> Result<TypedResponse<T>, Error>
    where
        T: GramType + DeserializeOwned,
        A: Executable + ?Sized,
    {
        let (run, tools) = self.prepare(agent, input, conversation, library, &options)?;
        let run = run.with_output(T::TYPE, read_as::<T>)?;
        let mut guard = HistoryGuard::new(conversation, run);
        let progress = self.drive_bound(&mut guard.run, &tools, options, false);
        match progress.await? {
            Progress::Done(response) => {
                let value = serde_json::from_str(&response.content).map_err(|error| {
                    let error = ErrorAtPath::new("$", &response.content, &error, read_as::<T>);
                    Error::llm("the answer is not of the type that is wanted").with_source(error)
                })?;
                Ok(TypedResponse { value, response })
            }
            // Without an approver, calls are denied rather than waited for.
            Progress::AwaitApproval(_) => Err(Error::cancelled("the run waits for a decision")),
        }
    }

    /// A run that has not begun, whose answer is a value of this type, for a host that drives it
    /// itself, saves it, or lets a person decide on its calls: see [`drive`](Self::drive). The content
    /// of its response is the value as JSON.
    ///
    /// A run that is [resumed](Self::resume) knows the type in gram, and no more what only this
    /// program's reader refuses.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn start_as<T, A>(
        &self,
        agent: &A,
        input: &str,
        conversation: &Conversation,
        library: &ToolLibrary,
        options: &ExecuteOptions<'_>,
    ) -> Result<Run, Error>
    where
        T: GramType + DeserializeOwned,
        A: Executable + ?Sized,
    {
        let run = self.start_with(agent, input, conversation, library, options)?;
        run.with_output(T::TYPE, read_as::<T>)
    }
}
