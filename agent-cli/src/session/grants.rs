//! What the tools of an agent may touch, given with `--allow-read` and its like.

use agent_runtime::Grants;
use agent_runtime::spec::grants::check_grant;

const HEADING: &str = "What tools may do";

/// What the tools may touch, and whether anybody is asked.
#[derive(Debug, clap::Args)]
pub(super) struct GrantArgs {
    /// Let tools read the files of this folder, besides those of the current one; may be given several
    /// times
    #[arg(help_heading = HEADING, long = "allow-read", value_name = "DIR", value_parser = folder)]
    read: Vec<String>,
    /// Let tools write files in this folder; may be given several times
    #[arg(help_heading = HEADING, long = "allow-write", value_name = "DIR", value_parser = folder)]
    write: Vec<String>,
    /// Let tools contact this host: `api.example.org`, `*.example.org` for those below it, `*` for all
    /// public ones, or an address that is not public, `127.0.0.1:8080`; may be given several times
    #[arg(help_heading = HEADING, long = "allow-net", value_name = "HOST[:PORT]", value_parser = host)]
    network: Vec<String>,
    /// Let tools read this variable of the environment; may be given several times
    #[arg(help_heading = HEADING, long = "allow-env", value_name = "NAME", value_parser = variable)]
    environment: Vec<String>,
    /// Make calls that require approval without asking
    #[arg(help_heading = HEADING, long)]
    yes: bool,
}

impl GrantArgs {
    /// The grants: the files of the current folder, to be read, and what was given.
    pub(super) fn grants(&self) -> Grants {
        let read = [".".to_owned()]
            .into_iter()
            .chain(self.read.iter().cloned());
        let grants = read.fold(Grants::new(), Grants::read);
        let grants = self.write.iter().cloned().fold(grants, Grants::write);
        let grants = self.network.iter().cloned().fold(grants, Grants::network);
        let names = self.environment.iter().cloned();
        names.fold(grants, Grants::environment)
    }

    pub(super) fn approves_all(&self) -> bool {
        self.yes
    }
}

fn folder(text: &str) -> Result<String, String> {
    checked("read", text)
}

fn host(text: &str) -> Result<String, String> {
    checked("network", text)
}

fn variable(text: &str) -> Result<String, String> {
    checked("environment", text)
}

fn checked(key: &str, text: &str) -> Result<String, String> {
    check_grant(key, text).map_err(|reason| format!("it {reason}"))?;
    Ok(text.to_owned())
}
