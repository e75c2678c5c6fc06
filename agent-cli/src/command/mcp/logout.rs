//! `agent mcp logout`: removes the tokens of a server.

use super::login::ServerArgs;
use crate::async_runtime::async_runtime;
use crate::outcome::{CommandError, Outcome};
use crate::output::line_to_stdout;
use crate::style::Style;
use agent_mcp::SignIn;
use agent_runtime::Environment;

const LONG_ABOUT: &str = "\
Remove the tokens of a server

Removes the tokens of `agent mcp login` from this machine. The authorization server does not notice: to end the tokens
themselves, remove the client in your account there.";

/// Remove the tokens of a server
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT)]
pub(crate) struct Args {
    #[command(flatten)]
    server: ServerArgs,
}

/// Signs out of a server.
pub(crate) fn logout(
    args: &Args,
    environment: &Environment,
    style: &Style,
) -> Result<Outcome, CommandError> {
    let Some((server, folder)) = args.server.server(environment, style)? else {
        return Ok(Outcome::Failed);
    };
    let removing = server.sign_in(SignIn::stored(folder)).sign_out();
    let removed = async_runtime()?.block_on(removing);
    let removed = removed.map_err(|error| CommandError::new(error.to_string()))?;
    line_to_stdout(if removed {
        "signed out"
    } else {
        "there were no tokens"
    })?;
    Ok(Outcome::Fine)
}
