//! `agent lsp`: runs the language server.

use crate::docs::Docs;
use crate::document::{ToolFiles, builtin_specs};
use crate::outcome::{CommandError, Outcome};
use crate::output::error_to_stderr;
use agent_lsp::source::is_stdin;
use agent_lsp::{Exit, ServerConfig, serve};
use agent_runtime::Environment;

const LONG_ABOUT: &str = "\
Tell an editor what is wrong with documents while they are written

A language server: it speaks the Language Server Protocol, version 3.17, on standard input and output.
Editors start it; there is nothing to see on a terminal.

What it finds is what `agent check` finds in the same text with the same --tools, --provider and
--deny-warnings, and what it formats becomes what `agent fmt` would write; a document with syntax
errors stays as it is. Of a document's findings at most 1000 are shown. A document of more than 32 MiB
is not checked.

It says what tools, agents, keys and types mean, proposes what may be written next, and leads from the
name of a tool to its definition and back, through all `.gram` files of the folders that the editor works
in; git's rules say which files do not count. A name means the tool of its own document, else one of
--tools, else a built-in one. A tool is renamed where it is defined, in every document whose definition
of it is equal, and, when one of these was given with --tools, in the documents that only refer to it.
What instructions say of it, and its function, keep the old name.

Files of --tools are read when the server starts, when they are saved, and when the editor says that
they have changed. While one is open, its text counts before it is saved, as soon as that has no errors.
When a saved one has errors or cannot be read, only the notation of other documents is checked, and a
note in the first line of each says why.

The exit code is 0 when the editor has asked the server to shut down, and 1 when the connection ended
without that, the editor's process is gone, or the editor sent a malformed message.";

const AFTER_HELP: &str = "\
How editors start it, for files that end in `.gram`:
  Neovim   vim.lsp.config('gram', {cmd = {'agent', 'lsp'}, filetypes = {'gram'}})
           vim.lsp.enable('gram')
  Helix    [language-server.agent]
           command = \"agent\"
           args = [\"lsp\"]
  Emacs    (add-to-list 'eglot-server-programs '(gram-mode . (\"agent\" \"lsp\")))

Environment:
  AGENT_DOCS_URL  address of the published page docs/diagnostics.md; the codes of findings are links to
                  it";

/// Tell an editor what is wrong with documents while they are written
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT, after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// Make warnings errors
    #[arg(long)]
    deny_warnings: bool,
    #[command(flatten)]
    tools: ToolFiles,
    /// Speak on standard input and output. That is the only way; many editors say so all the same
    #[arg(long, hide = true)]
    stdio: bool,
}

/// Serves one editor until it disconnects.
pub(crate) fn lsp(args: Args, environment: &Environment) -> Result<Outcome, CommandError> {
    if args.tools.paths().iter().any(|path| is_stdin(path)) {
        return Err(CommandError::new(
            "`-`, standard input, cannot be given with `--tools`: the editor speaks there",
        ));
    }
    let config = ServerConfig {
        builtin_tools: builtin_specs(),
        tool_files: args.tools.paths().to_vec(),
        providers: args.tools.provider_names()?,
        deny_warnings: args.deny_warnings,
        docs_page: Docs::of(environment).page().map(str::to_owned),
    };
    let exit = serve(config)?;
    if let Exit::Failed(reason) = &exit {
        error_to_stderr(reason);
    }
    Ok(Outcome::of_errors(exit != Exit::AfterShutdown))
}
