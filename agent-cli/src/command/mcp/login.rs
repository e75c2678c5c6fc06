//! `agent mcp login`: signs in at a server.

use super::live::LockFile;
use super::redirect::Redirects;
use crate::async_runtime::async_runtime;
use crate::browser;
use crate::mcp_server::{has_authorization, usual_path};
use crate::outcome::{CommandError, Outcome};
use crate::output::line_to_stdout;
use crate::session::redactor;
use crate::style::Style;
use crate::user_data::tokens_folder;
use agent_mcp::{McpServer, MissingAuthorization, SignIn, TokenFolder};
use agent_runtime::Environment;
use agent_spec::mcp::McpTransport;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const LONG_ABOUT: &str = "\
Sign in at a server that is reached by HTTP

Opens a browser, in which you sign in at the authorization server that the MCP server names, and waits up to five minutes.
The tokens are kept in your data folder, in a file that you alone can read. `run`, `chat` and the other commands send them to
the address of the server and to no other one, and refresh them.

Where an authorization server does not let clients register themselves, register this program there by hand, with the
address http://127.0.0.1:PORT/callback, and give --client-id, --port, and --client-secret-env if it gave out a secret.";

const AFTER_HELP: &str = "\
Examples:
  agent mcp login notes
  agent mcp login docs --url https://docs.example/mcp
  agent mcp login docs --client-id 8f2c --client-secret-env DOCS_SECRET --issuer https://auth.example --port 8765";

/// Sign in at a server that is reached by HTTP
#[derive(Debug, clap::Args)]
#[command(long_about = LONG_ABOUT, after_help = AFTER_HELP)]
pub(crate) struct Args {
    #[command(flatten)]
    server: ServerArgs,
    /// The id that the authorization server gave this client
    #[arg(long, value_name = "ID")]
    client_id: Option<String>,
    /// The variable with the secret that the authorization server gave this client
    #[arg(long, value_name = "NAME", requires = "client_id")]
    client_secret_env: Option<String>,
    /// Sign in at this authorization server only, such as https://auth.example. Without it, the server chooses, and its
    /// choice gets the secret
    #[arg(long, value_name = "URL")]
    issuer: Option<String>,
    /// Ask for this scope, in place of those that the server names; may be given several times
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<String>,
    /// Wait for the browser at this port of this machine, in place of any free one
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Print the address, and open no browser. The address to which a browser on another machine is sent back can be pasted
    /// here
    #[arg(long)]
    no_browser: bool,
}

/// The server at which somebody signs in or out.
#[derive(Debug, clap::Args)]
pub(super) struct ServerArgs {
    /// Your name for the server, whose document is mcp/NAME.gram, or the path of a document
    #[arg(value_name = "NAME|FILE")]
    name: String,
    /// The address of the server, if there is no document yet
    #[arg(long, value_name = "URL")]
    url: Option<String>,
}

impl ServerArgs {
    /// Returns the server, and the folder of tokens. If there are errors in the document, prints them and returns `None`.
    ///
    /// # Errors
    /// Returns an error if there is no document or no such folder, and if nobody can sign in at the server.
    pub(super) fn server(
        &self,
        environment: &Environment,
        style: &Style,
    ) -> Result<Option<(McpServer, TokenFolder)>, CommandError> {
        let folder = tokens_folder(environment).ok_or_else(|| {
            CommandError::new(
                "the environment names no folder for your data, in which tokens are kept; set HOME, or XDG_DATA_HOME, to \
                 an absolute path",
            )
        })?;
        let folder = TokenFolder::new(folder);
        let described = |name: &str, url: &str| {
            let server = McpServer::http(name, url).redactor(&redactor(environment));
            Ok(Some((server, folder.clone())))
        };
        if let Some(url) = &self.url {
            return described(&self.name, url);
        }
        let path = self.path();
        if path.symlink_metadata().is_err() {
            return Err(CommandError::new(format!(
                "there is no document `{}`; `--url URL` is the address of a server without a document",
                path.display()
            )));
        }
        let Some(locks) = LockFile::read_all(&[path], style)? else {
            return Ok(None);
        };
        let lock = locks[0].lock();
        let name = lock.name();
        match lock.transport() {
            McpTransport::Http { .. } if has_authorization(lock) => {
                Err(CommandError::new(format!(
                    "the document gives the server `{name}` a header `authorization`; remove it to sign in"
                )))
            }
            McpTransport::Http { url, .. } => described(name, url.as_str()),
            _ => Err(CommandError::new(format!(
                "the server `{name}` is started as a command, and gets its keys from variables; only a server that is \
                 reached by HTTP has a sign-in"
            ))),
        }
    }

    fn path(&self) -> PathBuf {
        let name = &self.name;
        let is_path = name.contains(['/', '\\']) || name.ends_with(".gram");
        match is_path || Path::new(name).is_file() {
            true => PathBuf::from(name),
            false => usual_path(name),
        }
    }
}

/// Signs in at a server.
pub(crate) fn login(
    args: Args,
    environment: &Environment,
    style: &Style,
) -> Result<Outcome, CommandError> {
    let secret = args.client_secret_env.as_deref().map(|name| {
        let secret = environment.get(name).filter(|secret| !secret.is_empty());
        secret.ok_or_else(|| {
            CommandError::new(format!(
                "the variable `{name}` of --client-secret-env is not set or empty; set it to the secret of the client"
            ))
        })
    });
    let secret = secret.transpose()?;
    let Some((server, folder)) = args.server.server(environment, style)? else {
        return Ok(Outcome::Failed);
    };
    async_runtime()?.block_on(async {
        let redirects = Redirects::bind(args.port.unwrap_or_default()).await;
        let redirects = redirects.map_err(|error| {
            CommandError::new(format!(
                "cannot wait for the browser on this machine: {error}"
            ))
        })?;
        let redirects = Arc::new(redirects);
        let opens = !args.no_browser;
        let url = redirects.url().to_owned();
        let mut sign_in = SignIn::browser(url, move |address| {
            let redirects = Arc::clone(&redirects);
            async move {
                show(&address, opens)?;
                redirects.received(&address, !opens).await
            }
        })
        .client_name("agent")
        .advice(|missing| {
            let advice = "register this program there by hand with the address `http://127.0.0.1:PORT/callback`, and give \
                          `--client-id ID --port PORT`";
            (*missing == MissingAuthorization::Client).then(|| advice.to_owned())
        })
        .scopes(args.scopes)
        .store(folder);
        sign_in = match (args.client_id, secret) {
            (Some(id), Some(secret)) => sign_in.client_with_secret(id, secret),
            (Some(id), None) => sign_in.client(id),
            (None, _) => sign_in,
        };
        if let Some(issuer) = args.issuer {
            sign_in = sign_in.issuer(issuer);
        }
        let signed_in = server.sign_in(sign_in).authorize().await;
        signed_in.map_err(|error| CommandError::new(error.to_string()))
    })?;
    line_to_stdout("signed in")?;
    Ok(Outcome::Fine)
}

/// Prints an address, and opens it in the user's browser.
fn show(address: &str, opens: bool) -> io::Result<()> {
    let is_opened = opens && browser::open(address).is_ok();
    let what = match (is_opened, opens) {
        (true, _) => "Sign in with the browser that is opened, or open this address:",
        (false, true) => "No browser can be opened; open this address to sign in:",
        (false, false) => {
            "Open this address to sign in. If the browser is on another machine, paste the address to which it is sent back:"
        }
    };
    line_to_stdout(what)?;
    line_to_stdout(&format!("  {address}"))
}
