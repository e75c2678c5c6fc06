//! `agent run`: sends messages to an agent, and prints its answers.

mod batch;
mod document;
mod execution;

use crate::async_runtime::async_runtime;
use crate::attachment::AttachArgs;
use crate::input::refuse_stdin_twice;
use crate::outcome::{CommandError, Outcome};
use crate::run_journal::RunJournal;
use crate::saved_media::MediaFolder;
use crate::session::{SessionArgs, UsageReport, start_tracing};
use crate::style::Style;
use agent_runtime::Environment;
use batch::{BatchArgs, BatchMedia};
use document::Format;
use execution::{Execution, Turn};
use std::path::PathBuf;

const LONG_ABOUT: &str = "\
Run an agent

The messages are sent one after another in one conversation. The agent can use the built-in tools
that its document names. If the document has several agents, choose one with --agent.

The run is printed while it goes on: 💬 marks a message, 🛠️ a call of a tool, 🤖 an answer. The calls of an agent that
was called as a tool have its path, such as `support/billing/lookUp`, and stand before the call of that agent. With
--format json there is one document on standard output, at the end:
  {\"responses\":[{\"content\",\"finishReason\",\"toolsUsed\":[{\"tool\",\"args\",\"result\"|\"error\",\"attempt\"}],
                 \"usage\",\"nestedCalls\"?}],
   \"waiting\"?,\"unendedRun\"?,\"conversation\":[message]}
\"nestedCalls\" has the calls of agents that were called: each is like one of \"toolsUsed\", with its \"path\" and with
its \"callId\", such as `call_3/call_1`.
With --format gram it is a gram document with a pattern for each answer, labelled AgentResponse; its
elements are the calls of tools, labelled ToolInvocation. If a limit, an error or Ctrl-C ends the run, the
document has the results so far: the answers, and the calls of the message without an answer, in JSON in
the conversation, in gram in a pattern labelled UnfinishedResponse. If there are no results before an error
or Ctrl-C, there is no document. The exit code tells how the run ended.

--arg calls an agent with a signature: --arg NAME=VALUE for each parameter, and optional ones as needed. A text is
written as it is, an image, audio or a document as a file or a URL (--arg photo=photo.png), and any other value as
JSON (--arg count=3). A message is the value of the one required text without an --arg; without a message, the agent
is called once.

With --history the conversation begins with the messages of a file: a JSON array of messages, such as
worked examples, or the output of `agent run --format json` or of `agent conversations show --format gram`.
These messages are part of the printed conversation, and not of the responses.

With --conversation each message is stored under a name, and the next run with that name continues the
conversation, even after a run that failed. Ctrl-C stops the run, with exit code 130; its messages so far are
stored. With --stream, a partial answer is stored too, marked `[interrupted]`. A second Ctrl-C ends the
program at once. The keys in use are stored and shown as [key]. Several runs can continue one conversation
at the same time; each message follows those stored before it. `agent conversations` lists, shows and deletes
conversations, and tells where they are stored. The runs are kept in a journal in the same file, so that `agent runs
resume` continues one that was killed, and stores its messages. A stored conversation cannot begin with --history. If a
conversation is too long for the model, --compact-above lets the model summarise its beginning (📝), and
--keep-turns or --keep-tokens leaves the beginning out; all of it stays
stored.

With --journal each answer, call and result is kept in a file before anything depends on it. If the program is killed,
`agent runs resume` continues the run. A call that requires approval is not denied: the run waits, with exit code 1,
and `agent runs approve` continues it. The JSON document then has
  \"waiting\":{\"run\",\"calls\":[{\"callId\",\"tool\",\"path\",\"args\",\"inDoubt\",\"guarded\"?}]}
and the gram document a pattern labelled WaitingRun. Runs that ended more than 30 days ago are deleted, and the oldest
ones that ended if the runs of the journal take more than 1 GB.

If the journal cannot be written, with --conversation, too, nothing more is called, and the exit code is 2. The JSON
document then has \"unendedRun\", the id of the run, and the gram document a pattern labelled UnendedRun.

The limits, --max-requests and the options after it, apply to each message, including all requests and calls
that follow from it. When a limit is reached, no more requests are sent, and the run ends with exit code 1.
An answer that has arrived is kept, so tokens and cost may exceed a limit by one answer.

--attach adds files to the first message: images, audio, PDF files and texts. They are shown as 📎, and so are
the images of answers, which --save-media writes to a folder. The JSON document has their SHA-256; with
--media-data it has their bytes, and can be a history.

If the price of the model is known, from the catalogue of models or from --price, the last line on standard error is
the cost of the run. With --format json and gram, that line is there only if the run failed, because the document
has the usage of each answer.

`whenTainted` of the agent guards calls that send, write or destroy, once words of strangers are in the conversation:
they wait as calls that require approval do, and --yes denies them. --untrusted says that your messages have such words.

With --batch the agent runs on each line of a file, several at a time; each run begins without a conversation. A
line is an object, or only the input as a text:
  {\"id\": \"q1\", \"input\": \"Where do I eat?\", \"variables\": {\"city\": \"Ulm\"}}
  \"Where do I sleep?\"
`input` may also be a list of parts, as in a history, and \"attach\" a list of files, which are attached to the
line besides those of --attach. \"arguments\" is an object of arguments, besides those of --arg. `id` is the number of the line if it is missing; `variables` fill the instruction besides those of --var. A wrong
line is an error before anything is sent. Each result is added to the file of --output as soon as its run ends:
  {\"id\",\"content\",\"parts\"?,\"usage\",\"cost\"?,\"finishReason\"?,\"inputHash\"}   or   {\"id\",\"error\",\"inputHash\"}
\"parts\" is there if the answer has images or other media, with their SHA-256. --media-data writes their bytes in
base64 in place of it, and --save-media writes them to files with the beginning of their SHA-256 as names.
That file is the record: after Ctrl-C, a crash or a failure, start the same command again. Inputs with an answer
are skipped unless their line has changed; those with an error are sent again, and the last line of an id counts.
If a provider limits the rate, all runs wait. The exit code is 1 if an input failed.

A call that requires approval is denied without --yes and --journal, because nobody can be asked, and the exit code is 1.

The key of the provider is read from its usual environment variable, such as OPENAI_API_KEY (see
below); --offline needs neither key nor network. A document with errors is not run; `agent check` shows its
warnings.";

const AFTER_HELP: &str = "\
Examples:
  agent run agents/hello.gram \"Hello, I'm Ada\" --offline
  agent run agents/hello.gram \"Hello, I'm Ada\" \"And goodbye\" --model OpenAI/gpt-6-sol
  agent run agents/hello.gram \"Hello\" --base-url http://localhost:8080/v1 --format json
  agent run agents/hello.gram \"Hello\" --offline --format gram > runs.gram
  agent run agents/guide.gram \"Where am I?\" --var city=Vienna
  agent run agents/translate.gram --arg text=\"Guten Tag\" --arg language=fr
  agent run agents/hello.gram \"Hello, I'm Ada\" --stream
  agent run agents/hello.gram \"Hello, I'm Ada\" --history examples.json
  agent run agents/hello.gram \"Hello, I'm Ada\" --conversation ada
  agent run agents/hello.gram \"Who am I?\" --conversation ada --store team.db
  agent run agents/hello.gram \"Who am I?\" --conversation ada --keep-turns 20
  agent run agents/hello.gram \"Who am I?\" --conversation ada --compact-above 60000
  agent run agents/hello.gram \"Hello\" --max-requests 5 --max-cost 0.01
  agent run agents/hello.gram \"What is this?\" --attach photo.png --attach report.pdf
  agent run agents/clerk.gram \"Pay the invoice 17\" --journal runs.db
  agent run agents/guide.gram --batch questions.jsonl --output answers.jsonl
  agent run agents/guide.gram --batch questions.jsonl --output answers.jsonl --requests-per-minute 50
  agent run agents/acme.gram \"Hello\" --provider Acme=https://models.acme.example/v1

Write a message that begins with `-` after `--`.

A file for --history:
  [{\"role\": \"user\", \"content\": \"Hello, I'm Bob\"},
   {\"role\": \"assistant\", \"content\": \"Hello, Bob!\"}]

Environment:
  OPENAI_API_KEY         key of OpenAI; OPENAI_ORG_ID and OPENAI_PROJECT_ID are sent with it
  ANTHROPIC_API_KEY      key of Anthropic, else ANTHROPIC_AUTH_TOKEN
  GOOGLE_API_KEY         key of Google, else GEMINI_API_KEY
  OLLAMA_API_KEY         key of Ollama's cloud; a local server needs none
  <NAME>_API_KEY         key of OpenRouter, Groq, Mistral, DeepSeek, xAI, Together, Fireworks or vLLM,
                         or of a provider given with --provider NAME=URL
  AZURE_OPENAI_API_KEY, AZURE_RESOURCE_NAME, AWS_BEARER_TOKEN_BEDROCK, AWS_REGION
                         key and address of Azure and of Bedrock
  OPENAI_BASE_URL, ANTHROPIC_BASE_URL, GOOGLE_GEMINI_BASE_URL, OLLAMA_HOST
                         address of a provider, and <NAME>_BASE_URL that of any other; --base-url
                         takes precedence
  https_proxy, http_proxy, all_proxy, no_proxy
                         proxies, and hosts without a proxy; also in capitals, except HTTP_PROXY
  SSL_CERT_FILE          file of certificates to trust besides the system's

docs/providers.md describes keys, addresses and histories in full.";

/// Run an agent
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT, after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The document; `-` is standard input
    file: PathBuf,
    /// The messages to the agent, sent one after another
    #[arg(value_name = "MESSAGE", allow_negative_numbers = true)]
    messages: Vec<String>,
    #[command(flatten)]
    session: SessionArgs,
    #[command(flatten)]
    batch: BatchArgs,
    #[command(flatten)]
    attach: AttachArgs,
    /// Keep each run in this journal, so that `agent runs resume` continues it if the program is killed. A call that
    /// requires approval waits for `agent runs approve`. Runs that ended 30 days ago are deleted
    #[arg(long, value_name = "FILE", conflicts_with_all = ["batch", "conversation"])]
    journal: Option<PathBuf>,
    /// With --format json or --batch, write the bytes of images, documents and audio in base64, and not their
    /// SHA-256
    #[arg(long)]
    media_data: bool,
    /// Request answers in parts, and print each part as it arrives
    #[arg(long)]
    stream: bool,
    /// Print requests to the model, its answers and traces of the run on standard error; the keys of
    /// providers are masked
    #[arg(long)]
    debug: bool,
    /// The format of the output
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Runs an agent.
pub(crate) fn run(
    args: Args,
    environment: &Environment,
    style: &Style,
) -> Result<Outcome, CommandError> {
    let inputs = args.session.inputs(&args.file);
    refuse_stdin_twice(inputs.chain(&args.batch.file).chain(&args.attach.paths))?;
    if args.media_data && args.format != Format::Json && args.batch.file.is_none() {
        return Err(CommandError::new(
            "--media-data needs --format json or --batch",
        ));
    }
    let attached = args.attach.read()?;
    let Some(mut session) = args.session.prepare(&args.file, environment, style)? else {
        return Ok(Outcome::Failed);
    };
    // Checked before anything is sent, so that a mistake in the last message does not cost a request.
    if args
        .messages
        .iter()
        .any(|message| message.trim().is_empty())
    {
        return Err(CommandError::new(
            "a message is empty; write a text for every MESSAGE",
        ));
    }
    let mut turns = Vec::new();
    if args.batch.file.is_none() {
        let messages = args.messages.iter().map(|message| Some(message.as_str()));
        let alone = args.messages.is_empty().then_some(None);
        for message in messages.chain(alone) {
            let input = session.arguments.input(&session.agent, message, &[]);
            turns.push(Turn {
                input: input.map_err(CommandError::new)?,
                shown: session.arguments.shown(message),
            });
        }
    }
    let mut batch = None;
    if args.batch.file.is_some() {
        batch = args
            .batch
            .prepare(&session, &args.session.variable_names(), &attached)?;
        if batch.is_none() {
            return Ok(Outcome::Failed);
        }
        let is_known = |name: &str| args.session.has_provider(name);
        session.runtime = args.batch.limit(&session.agent, session.runtime, is_known);
    }
    let _exporter = start_tracing(args.debug, environment, style)?;
    let mut library = agent_builtin::library_with(environment);
    let tokio = async_runtime()?;
    let mut runtime = session.runtime;
    let stored = tokio.block_on(args.session.conversation.open(environment))?;
    let journal = match (&args.journal, &stored) {
        (Some(path), _) => Some(tokio.block_on(RunJournal::open(path, false))?),
        (None, Some(stored)) => Some(stored.journal().clone()),
        (None, None) => None,
    };
    if let Some(journal) = &journal {
        runtime = runtime.journal(journal.journal().clone());
    }
    let runtime = runtime.build()?;
    let redactor = runtime.redactor();
    let servers = tokio.block_on(args.session.connect_servers(
        &session.agent,
        environment,
        |server| server.redactor(&redactor),
        &mut library,
    ))?;
    let outcome = tokio.block_on(async {
        if let Some(batch) = batch {
            let agent = &session.agent;
            let prices = runtime.prices_of(agent);
            let media = BatchMedia {
                folder: args.session.save_media.clone(),
                in_lines: args.media_data,
            };
            return batch.run(&runtime, agent, &library, prices, media).await;
        }
        let usage = UsageReport::new(runtime.prices_of(&session.agent));
        let execution = Execution {
            stored,
            runtime,
            turns,
            attached,
            media_folder: MediaFolder::new(args.session.save_media.clone()),
            with_data: args.media_data,
            retention: args.session.retention,
            format: args.format,
            is_streaming: args.stream,
            usage,
            library,
            is_offline: session.is_offline,
            journal,
            may_wait: args.journal.is_some(),
        };
        execution.run(&session.agent, session.conversation).await
    });
    tokio.block_on(servers.close());
    // Does not wait for the threads of tools that timed out.
    tokio.shutdown_background();
    outcome
}
