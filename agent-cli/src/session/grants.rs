//! The grants for tools, given with `--allow-read` and similar options.

use agent_runtime::Grants;
use agent_runtime::spec::grants::check_grant;

/// The options that allow tools to access files, hosts and variables.
#[derive(Debug, clap::Args)]
pub(super) struct GrantArgs {
    /// Let tools read the files of this folder as well as those of the current one; may be given several
    /// times
    #[arg(long = "allow-read", value_name = "DIR", value_parser = folder)]
    read: Vec<String>,
    /// Let tools write files in this folder; may be given several times
    #[arg(long = "allow-write", value_name = "DIR", value_parser = folder)]
    write: Vec<String>,
    /// Let tools contact this host: `api.example.org`, `*.example.org` for its subdomains, `*` for all
    /// public hosts, or an address that is not public, `127.0.0.1:8080`; may be given several times
    #[arg(long = "allow-net", value_name = "HOST[:PORT]", value_parser = host)]
    network: Vec<String>,
    /// Let tools read this variable of the environment; may be given several times
    #[arg(long = "allow-env", value_name = "NAME", value_parser = variable)]
    environment: Vec<String>,
}

impl GrantArgs {
    /// Returns the grants: reading in the current folder, and those of the options.
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
