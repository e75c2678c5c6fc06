//! What the tools of a run may touch.

mod folder;
mod public;

#[cfg(feature = "builtin-files")]
pub(crate) use folder::Folder;

use crate::env::Environment;
use crate::error::Error;
use crate::tool_error::ToolError;
use agent_gram::value::Text;
use agent_spec::Grants;
use agent_spec::grants::{HostGrant, check_grant};
#[cfg(not(feature = "builtin-files"))]
use folder::Folder;
use public::is_public;
use std::fmt;
use std::net::IpAddr;
use std::path::Path;
use std::sync::{Arc, LazyLock};

/// What the tools of a run may touch: what the host of the agent [granted], as far as the agent's own
/// `grants` do not narrow it. Nothing at first.
///
/// A tool finds it as [`ToolContext::granted`](crate::ToolContext::granted) and asks before it acts;
/// what it is answered otherwise is for the model to read. The built-in tools do so.
///
/// [granted]: crate::RuntimeBuilder::grants
///
/// ```
/// use agent_runtime::{Granted, spec::Grants};
///
/// let granted = Granted::of(&Grants::new().network("api.example.org"))?;
/// assert!(granted.check_host("api.example.org", 443).is_ok());
/// let error = granted.check_host("example.org", 443).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "not allowed: contacting `example.org:443`; granted for the network: `api.example.org`"
/// );
/// # Ok::<(), agent_runtime::Error>(())
/// ```
#[derive(Clone)]
pub struct Granted(Arc<Parts>);

#[derive(Clone)]
struct Parts {
    read: Vec<Folder>,
    write: Vec<Folder>,
    /// What the host granted, and what the agent was narrowed to: each must cover what is asked.
    layers: Vec<Layer>,
    environment: Environment,
}

#[derive(Clone)]
struct Layer {
    network: Vec<HostGrant>,
    environment: Vec<String>,
}

impl Granted {
    /// Nothing.
    #[must_use]
    pub fn nothing() -> Self {
        // Every context of a call begins with it.
        static NOTHING: LazyLock<Granted> = LazyLock::new(|| {
            Granted(Arc::new(Parts {
                read: Vec::new(),
                write: Vec::new(),
                layers: vec![Layer::of(&Grants::NONE)],
                environment: Environment::empty(),
            }))
        });
        NOTHING.clone()
    }

    /// These grants. A folder is the one that its path leads to now, whatever the path leads to
    /// later; a path that is not absolute begins at the current folder. Variables are those of the
    /// process.
    ///
    /// # Errors
    /// Configuration when a folder is not there, is none, or cannot be opened, or when a host or a
    /// name of a variable is none.
    pub fn of(grants: &Grants) -> Result<Self, Error> {
        Self::within(grants, Environment::process())
    }

    /// These grants, with variables from elsewhere.
    pub(crate) fn within(grants: &Grants, environment: Environment) -> Result<Self, Error> {
        for (key, part) in grants.parts() {
            for text in part {
                check_grant(key, text).map_err(|reason| {
                    Error::configuration(format!("the grant {:?} of `{key}` {reason}", &**text))
                })?;
            }
        }
        Ok(Self(Arc::new(Parts {
            read: open_all(&grants.read)?,
            write: open_all(&grants.write)?,
            layers: vec![Layer::of(grants)],
            environment,
        })))
    }

    /// What both these and further grants cover. Of the further ones, folders that are not there
    /// cover nothing.
    #[must_use]
    pub fn narrowed(&self, grants: &Grants) -> Self {
        let parts = &self.0;
        let mut layers = parts.layers.clone();
        layers.push(Layer::of(grants));
        Self(Arc::new(Parts {
            read: narrow(&parts.read, &grants.read),
            write: narrow(&parts.write, &grants.write),
            layers,
            environment: parts.environment.clone(),
        }))
    }

    /// The folders whose files may be read, as absolute paths without links.
    pub fn read_folders(&self) -> impl Iterator<Item = &Path> {
        self.0.read.iter().map(Folder::path)
    }

    /// The folders in which files may be written, as absolute paths without links.
    pub fn write_folders(&self) -> impl Iterator<Item = &Path> {
        self.0.write.iter().map(Folder::path)
    }

    /// Whether a host may be contacted. `host` is as in a URL that was parsed: in lower case, an
    /// address of version 6 without its brackets. What its name stands for is checked by
    /// [`check_address`](Self::check_address), for each address that a connection is made to.
    ///
    /// # Errors
    /// Authorization, with what was asked and what is granted.
    pub fn check_host(&self, host: &str, port: u16) -> Result<(), ToolError> {
        let asked = || format!("contacting `{}`", HostAndPort(host, port));
        self.check_network(|grant| grant.covers_host(host, port), asked)
    }

    /// Whether an address that a host was found to have may be contacted: a public one always, any
    /// other when the address itself is granted. Without this check whoever answers for a name could
    /// point it at the machine that the agent runs on, or at its neighbours.
    ///
    /// # Errors
    /// Authorization, with what was asked and what is granted.
    pub fn check_address(&self, host: &str, address: IpAddr, port: u16) -> Result<(), ToolError> {
        if is_public(address) {
            return Ok(());
        }
        let asked = || {
            let host = HostAndPort(host, port);
            format!("contacting `{host}` at {address}, an address that is not public")
        };
        self.check_network(|grant| grant.covers_address(host, address, port), asked)
    }

    /// The value of a variable of the environment, if it is set.
    ///
    /// # Errors
    /// Authorization when the variable is not granted, with those that are; Execution when its value
    /// is not Unicode.
    pub fn variable(&self, name: &str) -> Result<Option<String>, ToolError> {
        let is_named = |layer: &Layer| layer.environment.iter().any(|granted| granted == name);
        if let Some(layer) = self.0.refusing(is_named) {
            let asked = format!("reading the variable `{name}`");
            return Err(refused(&asked, "variables", &layer.environment));
        }
        let value = self.0.environment.read(name);
        value.map_err(|error| ToolError::Execution(error.to_string()))
    }

    fn check_network(
        &self,
        is_covered: impl Fn(&HostGrant) -> bool,
        asked: impl FnOnce() -> String,
    ) -> Result<(), ToolError> {
        match self
            .0
            .refusing(|layer| layer.network.iter().any(&is_covered))
        {
            Some(layer) => Err(refused(&asked(), "the network", &layer.network)),
            None => Ok(()),
        }
    }

    #[cfg(feature = "builtin-files")]
    pub(crate) fn readable(&self) -> &[Folder] {
        &self.0.read
    }

    #[cfg(feature = "builtin-files")]
    pub(crate) fn writable(&self) -> &[Folder] {
        &self.0.write
    }
}

impl Parts {
    /// The narrowest of what does not cover something.
    fn refusing(&self, covers: impl Fn(&Layer) -> bool) -> Option<&Layer> {
        self.layers.iter().rev().find(|layer| !covers(layer))
    }
}

/// Why a tool does not do what it was asked to: what that was, and what is granted.
pub(crate) fn refused(asked: &str, kind: &str, granted: &[impl fmt::Display]) -> ToolError {
    let granted = if granted.is_empty() {
        "nothing".to_owned()
    } else {
        let granted: Vec<String> = granted.iter().map(|text| format!("`{text}`")).collect();
        granted.join(", ")
    };
    ToolError::Authorization(format!("{asked}; granted for {kind}: {granted}"))
}

impl Layer {
    fn of(grants: &Grants) -> Self {
        let hosts = grants.network.iter();
        Self {
            network: hosts
                .filter_map(|text| HostGrant::parse(text).ok())
                .collect(),
            environment: grants
                .environment
                .iter()
                .map(|name| name.to_string())
                .collect(),
        }
    }
}

fn open_all(folders: &[Text]) -> Result<Vec<Folder>, Error> {
    folders.iter().map(|folder| Folder::open(folder)).collect()
}

/// Of each folder that is held, the part that is granted further.
fn narrow(held: &[Folder], granted: &[Text]) -> Vec<Folder> {
    let mut narrowed = Vec::new();
    for folder in granted {
        match Folder::open(folder) {
            Ok(folder) => narrowed.extend(held.iter().filter_map(|held| held.meet(&folder))),
            Err(error) => tracing::warn!(%error, "an agent's grant covers nothing"),
        }
    }
    narrowed
}

struct HostAndPort<'a>(&'a str, u16);

impl fmt::Display for HostAndPort<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self(host, port) if host.contains(':') => write!(out, "[{host}]:{port}"),
            Self(host, port) => write!(out, "{host}:{port}"),
        }
    }
}

impl fmt::Debug for Granted {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Granted")
            .field("read", &self.read_folders().collect::<Vec<_>>())
            .field("write", &self.write_folders().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
