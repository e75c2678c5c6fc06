//! The CPU time of a nested run beside the same run alone.

use agent_runtime::conversation::ToolCall;
use agent_runtime::model::{ChatFuture, ChatModel, ModelReply, ModelRequest};
use agent_runtime::{Agent, Runtime, ToolLibrary, agent, tool, tools};
use bench_shared::time::cpu_nanos;
use bench_shared::{Failure, Options, Table, interleaved, median};

/// Answers
#[tool(inline)]
fn plain(question: &str) -> String {
    question.to_owned()
}

static ALONE: Agent = agent! {
    [billing:Agent {description: "Knows invoices", instruction: "Answer.", model: "Scripted/any"} |
        (question::Text)==>(::String)]
};

static WITH_TOOL: Agent = agent! {
    tools: [plain],
    [caller:Agent {instruction: "Call.", model: "Scripted/any"} | plain]
};

static WITH_AGENT: Agent = agent! {
    [caller:Agent {instruction: "Call.", model: "Scripted/any"} |
        [billing:Agent {description: "Knows invoices", instruction: "Answer.", model: "Scripted/any"} |
            (question::Text)==>(::String)]]
};

/// A model that calls the only tool, and then answers.
struct Caller;

impl ChatModel for Caller {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        Box::pin(async move {
            Ok(match request.tools.first() {
                Some(tool) if request.messages.len() == 1 => ModelReply::calls([ToolCall::new(
                    "1",
                    tool.name(),
                    r#"{"question": "What do I owe?"}"#,
                )]),
                _ => ModelReply::text("12 euros"),
            })
        })
    }
}

#[derive(Clone, Copy)]
enum Subject {
    Alone,
    Tool,
    Nested,
}

fn main() -> Result<(), Failure> {
    let mut options = Options::of_process();
    let (rounds, runs) = match options.flag("--quick") {
        true => (1, 100),
        false => (21, 5_000),
    };
    let rounds = options.rounds(rounds)?;
    options.finish()?;
    let tokio = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?;
    let runtime = Runtime::with_model(Caller);
    let subjects = [Subject::Alone, Subject::Tool, Subject::Nested];
    let results = interleaved(subjects, rounds, |subject| {
        tokio.block_on(measure(&runtime, *subject, runs))
    })?;
    let medians: Vec<f64> = results.into_iter().map(median).collect();
    let mut table = Table::new(["a run", "CPU µs"]);
    table.row(["alone".to_owned(), format!("{:.2}", medians[0])]);
    table.row(["with a plain tool".to_owned(), format!("{:.2}", medians[1])]);
    table.row([
        "with the agent as a tool".to_owned(),
        format!("{:.2}", medians[2]),
    ]);
    let overhead = medians[2] - medians[1] - medians[0];
    table.row([
        "overhead of the nested call".to_owned(),
        format!("{overhead:.2}"),
    ]);
    println!("{table}");
    Ok(())
}

/// Executes a subject so many times, and returns the microseconds of each.
async fn measure(runtime: &Runtime, subject: Subject, runs: u32) -> Result<f64, Failure> {
    let (agent, library): (&Agent, ToolLibrary) = match subject {
        Subject::Alone => (&ALONE, ToolLibrary::new()),
        Subject::Tool => (&WITH_TOOL, tools![plain]),
        Subject::Nested => (&WITH_AGENT, ToolLibrary::new()),
    };
    let begin = cpu_nanos();
    for _ in 0..runs {
        let response = runtime.run(agent, "What do I owe?").tools(&library).await?;
        assert_eq!(response.content, "12 euros");
    }
    Ok((cpu_nanos() - begin) as f64 / f64::from(runs) / 1_000.0)
}
