//! `agent eval`: compares models, or versions of an agent, on the same inputs.

use crate::batch_input::{self, BatchInput, Given};
use crate::document::ToolFiles;
use crate::input::refuse_stdin_twice;
use crate::models::ModelFiles;
use crate::outcome::{CommandError, Outcome};
use crate::output::{error_to_stderr, text_to_stdout, warning_to_stderr};
use crate::provider;
use crate::session::{
    Arguments, ConnectionArgs, LimitArgs, ModelPrice, Servers, Variable, all_prices, approve_all,
    positive, redactor, refuse_duplicates, select_agent, warn_about_unused,
};
use crate::style::Style;
use agent_catalog::Catalog;
use agent_eval::{Arm, Experiment, ExperimentReport, Trial};
use agent_mcp::McpServer;
use agent_project::source::{self, is_stdin};
use agent_runtime::conversation::Part;
use agent_runtime::{Agent, Environment, Model};
use agent_spec::mcp::McpLock;
use agent_spec::terminal;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

const LONG_ABOUT: &str = "\
Compare models, or versions of an agent, on the same inputs

Each line of the batch is a text, or an object:
  \"Where is order 1042?\"
  {\"input\": \"Where is order 1042?\", \"expected\": \"Monday\"}
  {\"arguments\": {\"text\": \"Guten Tag\", \"language\": \"fr\"}, \"expected\": [\"Bonjour\"]}
The lines are those of `agent run --batch`. An answer succeeds if it has each expected text, whatever the case of
letters. An answer to an input without `expected` succeeds if there is one. The exit code is 0 once each run ended with an answer, right or wrong.

With several documents, or several models, each document is run with each model. Every run begins a new
conversation. The table has success, errors, tokens, dollars and seconds, with intervals of 95 %; --html writes a
page that has the answers side by side, too.";

/// Compare models, or versions of an agent, on the same inputs
#[derive(Debug, clap::Args)]
#[command(
    long_about = LONG_ABOUT,
    after_help = "Examples:\n  \
        agent eval agents/support.gram --model OpenAI/gpt-6-luna --model Anthropic/claude-haiku-5-5 \\\n    \
            --batch questions.jsonl --html report.html\n  \
        agent eval old.gram new.gram --batch questions.jsonl --trials 5"
)]
pub(crate) struct Args {
    /// The documents; several are versions of one agent
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The inputs, one on each line
    #[arg(long, value_name = "FILE")]
    batch: PathBuf,
    /// A model to compare; may be given several times
    #[arg(long = "model", value_name = "PROVIDER/ID", value_parser = Model::parse)]
    compared: Vec<Model>,
    /// Write the report as a page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the report as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// The agent, when a document has several
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Run each input N times
    #[arg(long, value_name = "N", value_parser = positive, default_value_t = 1)]
    trials: u64,
    /// Run N inputs at the same time
    #[arg(long, value_name = "N", value_parser = positive, default_value_t = 4)]
    concurrency: u64,
    /// Fill `{{NAME}}` in the instruction; may be given several times
    #[arg(long = "var", value_name = "NAME=VALUE")]
    variables: Vec<Variable>,
    /// The price of a model, as for `agent run`; may be given several times
    #[arg(
        long = "price",
        value_name = "PROVIDER/ID=SENT,WRITTEN[,CACHED[,STORED]]"
    )]
    prices: Vec<ModelPrice>,
    /// Make calls that require approval without asking, but for those that `whenTainted` guards
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    models: ModelFiles,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    connection: ConnectionArgs,
    #[command(flatten)]
    tools: ToolFiles,
}

/// The number of inputs whose answers are printed. The page has more, and the JSON all.
const PRINTED: usize = 10;

/// The number of characters of an answer that are printed.
const PRINTED_CHARACTERS: usize = 200;

/// Compares the arms.
pub(crate) fn eval(
    args: &Args,
    environment: &Environment,
    style: &Style,
) -> Result<Outcome, CommandError> {
    let files = args.files.iter().chain([&args.batch]);
    refuse_stdin_twice(files.chain(args.tools.paths()).chain(args.models.paths()))?;
    refuse_duplicates(&args.variables)?;
    let catalog = args.models.catalog(&args.files[0])?;
    let tools = catalog
        .as_ref()
        .map(|catalog| args.tools.with_catalog(catalog));
    let tools = tools.as_ref().unwrap_or(&args.tools);
    let mut versions = Vec::new();
    for file in &args.files {
        let Some((source, checked)) = tools.read_document(file, style)? else {
            return Ok(Outcome::Failed);
        };
        let Some(agent) = select_agent(&source, &checked, args.agent.as_deref())? else {
            return Ok(Outcome::Failed);
        };
        warn_about_unused(&agent, &args.variables);
        versions.push((file.display().to_string(), agent));
    }
    let mut arms = arms(&versions, &args.compared);
    if let [_] = arms.as_slice() {
        return Err(CommandError::new(
            "there is nothing to compare; give --model twice, or two documents",
        ));
    }
    let mut names = HashSet::new();
    for (name, _) in &mut arms {
        if !names.insert(name.clone()) {
            return Err(CommandError::new(format!("`{name}` is given twice")));
        }
        if args.connection.is_offline() {
            name.push_str(" (offline)");
        }
    }
    check_outputs(args)?;
    let Some(inputs) = read_inputs(&args.batch, &versions, &args.variables)? else {
        return Ok(Outcome::Failed);
    };
    let agents: Vec<Agent> = arms.iter().map(|(_, agent)| agent.clone()).collect();
    if !args.connection.is_offline() {
        for agent in &agents {
            let base_url = args.connection.base_url.as_deref();
            let catalog = catalog.as_ref().unwrap_or(Catalog::builtin());
            provider::check_reachable(tools.providers(), agent, base_url, catalog)?;
        }
    }
    let provider = agents[0].model().provider();
    let mut runtime = args
        .connection
        .runtime(environment, tools.providers(), Some(provider))
        .prices(all_prices(&args.prices)?)
        .usage_limits(args.limits.limits(args.connection.is_offline()));
    if let Some(catalog) = catalog {
        runtime = runtime.catalog(catalog);
    }
    if args.yes {
        runtime = runtime.approver(approve_all);
    }
    for variable in &args.variables {
        runtime = runtime.variable(&variable.name, &variable.value);
    }
    let runtime = runtime.build()?;
    let mut library = agent_builtin::library_with(environment);
    let tokio = crate::async_runtime::async_runtime()?;
    let (report, expected) = tokio.block_on(async {
        let redactor = redactor(environment);
        let check = |locks: &[McpLock]| args.connection.sent_variables.check(locks, true);
        let set_up = |server: McpServer| server.redactor(&redactor);
        let servers = Servers::connect(
            args.tools.servers(),
            Some(&agents),
            environment,
            check,
            set_up,
            &mut library,
        )
        .await?;
        let mut experiment = Experiment::new(&agents[0], runtime)?
            .library(library)
            .trials(usize::try_from(args.trials).unwrap_or(usize::MAX))
            .concurrency(usize::try_from(args.concurrency).unwrap_or(usize::MAX))
            .cancellation(super::run::cancelled_by_ctrl_c().await);
        for (name, agent) in arms {
            experiment = experiment.arm(Arm::new(name).agent(agent));
        }
        let mut expected = ExpectedTexts::new();
        for input in inputs {
            let text = text_of(&input);
            experiment = experiment.input(&text, input.input);
            expected.insert(text, input.expected);
        }
        let scored = expected.clone();
        let report = experiment
            .run(move |input, response| missing(&scored, input, &response.content).is_empty())
            .await;
        servers.close().await;
        Ok::<_, CommandError>((report?, expected))
    })?;
    if args.connection.is_offline() {
        warning_to_stderr("the offline model answered in place of each model");
    }
    text_to_stdout(&format!("{report}\n{}", answers(&report, &expected)))?;
    if let Some(path) = &args.html {
        write(path, &report.to_html())?;
    }
    if let Some(path) = &args.json {
        write(path, &report.to_json_text())?;
    }
    let is_complete =
        report.is_complete() && report.trials.iter().all(|trial| trial.answer.is_ok());
    Ok(Outcome::of_errors(!is_complete))
}

fn write(path: &Path, text: &str) -> Result<(), CommandError> {
    fs::write(path, text)
        .map_err(|error| CommandError::new(format!("cannot write `{}`: {error}", path.display())))
}

/// Each document with each model, under a name that says what differs.
fn arms(versions: &[(String, Agent)], models: &[Model]) -> Vec<(String, Agent)> {
    let mut arms = Vec::new();
    for (file, agent) in versions {
        if models.is_empty() {
            arms.push((file.clone(), agent.clone()));
        }
        for model in models {
            let name = match versions.len() {
                1 => model.to_string(),
                _ => format!("{file} {model}"),
            };
            arms.push((name, agent.clone().with_model_everywhere(model)));
        }
    }
    arms
}

/// Reads the inputs for each version of the agent. If a line is wrong, prints an error about it and returns `None`.
fn read_inputs(
    path: &Path,
    versions: &[(String, Agent)],
    variables: &[Variable],
) -> Result<Option<Vec<BatchInput>>, CommandError> {
    let variables: Vec<&str> = variables
        .iter()
        .map(|variable| variable.name.as_str())
        .collect();
    let source = source::read(path)?;
    let mut inputs = Vec::new();
    for (_, agent) in versions {
        let given = Given {
            agent,
            arguments: &Arguments::default(),
            variables: &variables,
            attached: &[],
        };
        let Some(read) = batch_input::read(&source, &given) else {
            return Ok(None);
        };
        inputs = read;
    }
    // The first input of each text.
    let mut known: HashMap<String, &BatchInput> = HashMap::new();
    for input in &inputs {
        let first = *known.entry(text_of(input)).or_insert(input);
        let problem = if !input.variables.is_empty() {
            "`agent eval` has the same variables for all lines; give them with `--var NAME=VALUE`"
                .to_owned()
        } else if first.expected != input.expected {
            format!(
                "line {} has the same input with other `expected`",
                first.line
            )
        } else {
            continue;
        };
        let name = source.display_name();
        error_to_stderr(&format!("{name}:{}: {problem}", input.line));
        return Ok(None);
    }
    Ok(Some(inputs))
}

/// An input as the report has it.
fn text_of(input: &BatchInput) -> String {
    if let Some(arguments) = input.input.arguments() {
        return arguments.to_string();
    }
    let parts = input.input.parts();
    let text: String = parts.iter().filter_map(Part::as_text).collect();
    match parts.iter().all(|part| part.as_text().is_some()) {
        true => text,
        // Two lines may ask the same about different files.
        false => format!("{text} ({})", input.id),
    }
}

/// Refuses outputs that are no files, that cannot be written, or that would replace an input or each other.
fn check_outputs(args: &Args) -> Result<(), CommandError> {
    let inputs = args.files.iter().chain([&args.batch]);
    let mut known: Vec<PathBuf> = inputs.filter_map(|path| path.canonicalize().ok()).collect();
    for path in [&args.html, &args.json].into_iter().flatten() {
        let (shown, name) = (path.display(), path.file_name());
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        let folder = folder.unwrap_or(Path::new(".")).canonicalize();
        let (Ok(folder), Some(name), false) = (folder, name, path.is_dir() || is_stdin(path))
        else {
            return Err(CommandError::new(format!(
                "`{shown}` is no file that can be written; name one in a folder that exists"
            )));
        };
        let file = path.canonicalize().unwrap_or_else(|_| folder.join(name));
        if known.contains(&file) {
            return Err(CommandError::new(format!(
                "the report would replace `{shown}`; name another file"
            )));
        }
        known.push(file);
    }
    Ok(())
}

/// The texts that the answers to each input must have.
type ExpectedTexts = HashMap<String, Vec<String>>;

/// The expected texts that an answer does not have, in quotes.
fn missing(expected: &ExpectedTexts, input: &str, answer: &str) -> Vec<String> {
    let answer = answer.to_lowercase();
    let texts = expected.get(input).into_iter().flatten();
    let missing = texts.filter(|text| !answer.contains(&text.to_lowercase()));
    missing.map(|text| format!("{text:?}")).collect()
}

/// The answers to the first inputs, side by side.
fn answers(report: &ExperimentReport, expected: &ExpectedTexts) -> String {
    let width = report.arms.iter().map(|arm| arm.name.chars().count()).max();
    let width = width.unwrap_or_default();
    let mut text = String::new();
    for (at, input) in report.inputs.iter().enumerate().take(PRINTED) {
        text += &format!("{}\n", terminal::line(input, PRINTED_CHARACTERS));
        let trials = report.trials.iter();
        for trial in trials.filter(|trial| trial.input == at && trial.number == 1) {
            text += &format!(
                "  {:width$}  {}\n",
                report.arms[trial.arm].name,
                shown(report, trial, expected)
            );
        }
    }
    let more = report.inputs.len().saturating_sub(PRINTED);
    if more > 0 {
        text += &format!("… and {more} more inputs, which --html and --json write\n");
    }
    text
}

/// An answer with its mark, its seconds and its dollars, and the expected texts that it does not have.
fn shown(report: &ExperimentReport, trial: &Trial, expected: &ExpectedTexts) -> String {
    let mark = match (&trial.answer, &trial.score) {
        (Ok(_), Some(Ok(score))) if score.value() >= 1.0 => '✓',
        _ => '✗',
    };
    let mut text = terminal::line(&report.answer_text(trial), PRINTED_CHARACTERS);
    if let Ok(answer) = &trial.answer {
        let missing = missing(expected, &report.inputs[trial.input], answer);
        if !missing.is_empty() {
            let missing = terminal::line(&missing.join(", "), PRINTED_CHARACTERS);
            text.insert_str(0, &format!("(without {missing}) "));
        }
    }
    let cost = trial
        .cost
        .map_or_else(|| "-".to_owned(), |cost| format!("${cost:.4}"));
    format!(
        "{mark} {:>5.1} s  {cost:>8}  {text}",
        trial.latency.as_secs_f64(),
    )
}
