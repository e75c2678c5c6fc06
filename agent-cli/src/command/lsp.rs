//! `agent lsp`: runs the language server.

use crate::document::{ToolFiles, builtin_specs};
use crate::models::{ModelFiles, has_errors};
use crate::outcome::{CommandError, Outcome};
use crate::output::error_to_stderr;
use crate::style::docs_page;
use agent_lsp::{Exit, ServerConfig, serve};
use agent_project::source::is_stdin;
use agent_runtime::Environment;

const LONG_ABOUT: &str = "\
Run the language server, which checks documents in an editor

The server speaks the Language Server Protocol, version 3.17, on standard input and output. Editors start
it; on a terminal it prints nothing.

It reports the same findings as `agent check` with the same --tools, --provider, --models and --deny-warnings, and
formats like `agent fmt`; a document with syntax errors is not formatted. It reads the project file of each
document (agent.gram; see `agent check --help`), again when it or a file below its folder is saved. It reports at most 1000 findings
of a document, and does not check documents of more than 32 MiB.

It shows the meaning of tools, agents, keys and types, completes them, and goes from the name of a tool to
its definition and references in all `.gram` files of the editor's folders, without those that git ignores.
A name means the tool of its own document, or else of --tools, or else a built-in tool. Renaming a tool
changes every document with an equal definition of it. If one of these is a file of --tools, the documents
that only name the tool are changed too. The text of instructions and the tool's Rust function keep the old
name.

The server reads the files of --models when it starts, and those of --tools when it starts, when they are saved, and when the editor reports a
change. While such a file is open, its unsaved text is used as soon as it has no errors. If a saved file has
errors or cannot be read, only the notation of other documents is checked, and a note in the first line of
each gives the reason.

The exit code is 0 after the editor has asked the server to shut down. It is 1 if the connection or the
editor's process ends without that, or if the editor sends a text that is no message of the protocol.";

const AFTER_HELP: &str = "\
How editors start it, for files that end in `.gram`:
  Neovim   vim.lsp.config('gram', {cmd = {'agent', 'lsp'}, filetypes = {'gram'}})
           vim.lsp.enable('gram')
  Helix    [language-server.agent]
           command = \"agent\"
           args = [\"lsp\"]
  Emacs    (add-to-list 'eglot-server-programs '(gram-mode . (\"agent\" \"lsp\")))

Environment:
  AGENT_DOCS_URL  address of the published page about diagnostics, to which the codes of findings link";

/// Run the language server, which checks documents in an editor
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT, after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// Treat warnings as errors
    #[arg(long)]
    deny_warnings: bool,
    #[command(flatten)]
    tools: ToolFiles,
    #[command(flatten)]
    models: ModelFiles,
    /// Use standard input and output. This is always so, but many editors pass the option
    #[arg(long, hide = true)]
    stdio: bool,
}

/// Serves one editor until it disconnects.
pub(crate) fn lsp(args: Args, environment: &Environment) -> Result<Outcome, CommandError> {
    if args
        .tools
        .paths()
        .chain(args.models.paths())
        .any(|path| is_stdin(path))
    {
        return Err(CommandError::new(
            "`--tools`, `--mcp` and `--models` cannot be `-`, because the editor uses standard input",
        ));
    }
    let models = args.models.read(environment, args.tools.providers())?;
    let config = ServerConfig {
        models: Some(models.map_err(has_errors)?),
        builtin_tools: builtin_specs(),
        tool_files: args.tools.paths().cloned().collect(),
        providers: args.tools.provider_names()?,
        deny_warnings: args.deny_warnings,
        docs_page: docs_page(environment),
    };
    let exit = serve(config)?;
    if let Exit::Failed(reason) = &exit {
        error_to_stderr(reason);
    }
    Ok(Outcome::of_errors(exit != Exit::AfterShutdown))
}
