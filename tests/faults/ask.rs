//! One run, plain or streamed, and what can be seen of it.

use crate::faults::dialect::KEY;
use agent_runtime::runtime::RuntimeBuilder;
use agent_runtime::tool::ToolConfig;
use agent_runtime::{Agent, AgentResponse, Conversation, Error, ToolLibrary};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// When a test gives up that should have ended by itself.
const HUNG: Duration = Duration::from_secs(40);

pub(crate) struct Asked {
    pub(crate) answer: Result<AgentResponse, Error>,
    pub(crate) conversation: Conversation,
    pub(crate) elapsed: Duration,
}

/// Runs an agent. Whatever comes of it, the history is valid and no text of an error has the key.
pub(crate) async fn ask(runtime: RuntimeBuilder, agent: &Agent, streamed: bool) -> Asked {
    let runtime = runtime.build().expect("a runtime");
    let mut library = ToolLibrary::new();
    let signature = "(personName::Text)==>(::String)";
    let tool = ToolConfig::with_signature("sayHello", "Greets", signature)
        .build(|args| async move { Ok(format!("Hello, {}!", args["personName"]).into()) });
    library.add(tool.expect("a tool")).expect("a good name");
    let mut conversation = Conversation::new();
    let begun = Instant::now();
    let mut run = runtime
        .run(agent, "Hello, I'm Ada")
        .tools(&library)
        .conversation(&mut conversation);
    if streamed {
        run = run.streaming();
    }
    let answer = tokio::time::timeout(HUNG, run.into_future())
        .await
        .expect("an end");
    let elapsed = begun.elapsed();
    conversation.check().expect("a valid history");
    if let Err(error) = &answer {
        let texts = all_texts(error);
        assert!(!texts.contains(KEY), "{texts}");
    }
    Asked {
        answer,
        conversation,
        elapsed,
    }
}

/// Every text that an error and its causes can print.
pub(crate) fn all_texts(error: &Error) -> String {
    let mut texts = String::new();
    let mut next: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = next {
        writeln!(texts, "{error}\n{error:?}").expect("a string takes all text");
        next = error.source();
    }
    texts
}
