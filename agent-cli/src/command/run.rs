//! `agent run`: messages to an agent, and what came of them.

mod document;
mod execution;
mod transcript;

use crate::outcome::{Outcome, Trouble};
use crate::session::{SessionArgs, Spent, driver, trace, trouble_of};
use crate::style::Style;
use agent_runtime::Environment;
use document::Format;
use execution::Talk;
use std::path::PathBuf;

const LONG_ABOUT: &str = "\
Run an agent

The messages are sent one after another in one conversation. The agent may use the built-in tools
that its document names. With several agents in the document, --agent chooses.

What happens is shown as it happens, a message by 💬, a call of a tool by 🛠️, an answer by 🤖. With
--format json there is one document on standard output, at the end:
  {\"responses\":[{\"content\",\"toolsUsed\":[{\"tool\",\"args\",\"result\"|\"error\",\"attempt\"}],\"usage\"}],
   \"conversation\":[message]}
With --format gram it is a gram document with a pattern for each answer, labelled AgentResponse; its
elements are the calls of tools, labelled ToolInvocation. When a limit, an error or Ctrl-C has ended the run,
the document has what came by then: the answers, and of the message without one the calls, in JSON in the
conversation, in gram in a pattern labelled UnfinishedResponse. When nothing came before an error or Ctrl-C,
there is no document. The exit code says how the run ended.

With --history the conversation begins with what a file says: a JSON array of messages, such as worked
examples, what an earlier run printed with --format json, or what `agent conversations show` prints with
--format gram. Its messages are part of the conversation
that is printed, and not of the responses.

With --conversation what is said is stored under a name, message by message, and the next run of that
name goes on with it, also after a run that failed. Ctrl-C stops the run, with exit code 130; what was done
by then is stored, and so is, with --stream, what was shown of an answer that Ctrl-C or an error ended, marked
`[interrupted]`. Ctrl-C once more ends the program at once. The keys in use are stored and shown as [key],
whoever says them. Several may go on with one at the same time; each
message finds what was said before it. `agent conversations` lists, shows and deletes them, and says
where they are kept. It cannot begin with a --history. One that grows too long for the model is sent in
part with --keep-turns or --keep-tokens, and stays whole.

The limits, --max-requests and those after it, hold for each message with all that the agent does about it.
When one is reached, no further request is made, and the run ends with exit code 1; an answer in words
that has come is kept, so tokens and cost may go beyond a limit by one answer.

With --price the last line on standard error says what the run has cost. With --format json and gram it is
there when the run failed; otherwise the document says it of each answer.

The key of the provider is read from its usual environment variable, such as OPENAI_API_KEY (see
below); --offline needs neither key nor network. A document that has errors is not run; warnings are shown
by `agent check`.";

const AFTER_HELP: &str = "\
Examples:
  agent run agents/hello.gram \"Hello, I'm Ada\" --offline
  agent run agents/hello.gram \"Hello, I'm Ada\" \"And goodbye\" --model OpenAI/gpt-4o
  agent run agents/hello.gram \"Hello\" --base-url http://localhost:8080/v1 --format json
  agent run agents/hello.gram \"Hello\" --offline --format gram > runs.gram
  agent run agents/guide.gram \"Where am I?\" --var city=Vienna
  agent run agents/hello.gram \"Hello, I'm Ada\" --stream
  agent run agents/hello.gram \"Hello, I'm Ada\" --history examples.json
  agent run agents/hello.gram \"Hello, I'm Ada\" --conversation ada
  agent run agents/hello.gram \"Who am I?\" --conversation ada --store team.db
  agent run agents/hello.gram \"Who am I?\" --conversation ada --keep-turns 20
  agent run agents/hello.gram \"Hello\" --max-requests 5 --price OpenAI/gpt-4o-mini=0.15,0.60 --max-cost 0.01
  agent run agents/acme.gram \"Hello\" --provider Acme=https://models.acme.example/v1

A message that begins with `-` goes after `--`.

A file for --history:
  [{\"role\": \"user\", \"content\": \"Hello, I'm Bob\"},
   {\"role\": \"assistant\", \"content\": \"Hello, Bob!\"}]

Environment:
  OPENAI_API_KEY         key of OpenAI; OPENAI_ORG_ID and OPENAI_PROJECT_ID go along with it
  ANTHROPIC_API_KEY      key of Anthropic, else ANTHROPIC_AUTH_TOKEN
  GOOGLE_API_KEY         key of Google, else GEMINI_API_KEY
  OLLAMA_API_KEY         key of Ollama's own host; on this machine there is none
  <NAME>_API_KEY         key of a provider given with --provider NAME=URL
  OPENAI_BASE_URL, ANTHROPIC_BASE_URL, GOOGLE_GEMINI_BASE_URL, OLLAMA_HOST
                         where a provider is reached; --base-url goes before it
  https_proxy, http_proxy, all_proxy, no_proxy
                         proxies, and hosts without; in capitals, too, but for HTTP_PROXY
  SSL_CERT_FILE          file of certificates to believe besides the system's

docs/providers.md says more about keys, addresses and histories.";

/// Run an agent
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT, after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The document; `-` is standard input
    file: PathBuf,
    /// What is said to the agent, one message after another
    #[arg(required = true, value_name = "MESSAGE", allow_negative_numbers = true)]
    messages: Vec<String>,
    #[command(flatten)]
    session: SessionArgs,
    /// Ask for answers in parts, and show them as they come
    #[arg(long)]
    stream: bool,
    /// Show on standard error what is sent to the model and what it answers, as JSON in which the keys of providers are masked,
    /// and trace the run
    #[arg(long)]
    debug: bool,
    /// How the run is shown
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Runs an agent.
pub(crate) fn run(
    args: Args,
    environment: &Environment,
    style: &Style,
) -> Result<Outcome, Trouble> {
    let Some(session) = args.session.prepare(&args.file, environment, style)? else {
        return Ok(Outcome::Failed);
    };
    // Said before anything is sent: a mistake in the last message should not cost a request.
    if args
        .messages
        .iter()
        .any(|message| message.trim().is_empty())
    {
        return Err(Trouble::new(
            "a message is empty; every MESSAGE must say something",
        ));
    }
    let _exports = trace(args.debug, environment, style)?;
    let runtime = session.runtime.build().map_err(trouble_of)?;
    let tokio = driver()?;
    let ended = tokio.block_on(async {
        let talk = Talk {
            kept: args
                .session
                .kept
                .open(environment, runtime.redactor())
                .await?,
            runtime,
            messages: &args.messages,
            keep: args.session.keep,
            format: args.format,
            streams: args.stream,
            spent: Spent::new(session.prices),
            library: agent_builtin::library_with(environment),
        };
        talk.talk(&session.agent, session.conversation).await
    });
    // A tool that timed out may still have its thread; nobody waits for what it does.
    tokio.shutdown_background();
    ended
}
