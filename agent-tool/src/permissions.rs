//! Permissions of tools: the files, hosts and environment variables that a call may use.

mod folder;
mod public_address;

pub use folder::{FileAccess, GrantedPath};

use crate::env::Environment;
use crate::error::Error;
use crate::tool_error::{ToolError, shortened};
use crate::trace::TARGET;
use agent_gram::value::Text;
use agent_spec::Grants;
use agent_spec::grants::{HostGrant, check_grant};
use folder::Folder;
use public_address::is_public;
use std::fmt;
use std::net::IpAddr;
use std::path::Path;
use std::sync::{Arc, LazyLock};

/// Checks what the tools of a run may use, and holds the granted folders open. Permissions are created from
/// [`Grants`], which are only the texts that a host and an agent wrote.
///
/// The files, hosts and environment variables are those that the host granted with `RuntimeBuilder::grants`, unless the
/// agent's own `grants` narrow them. By default nothing is permitted. A tool gets the permissions from [`ToolContext::permissions`](crate::ToolContext::permissions) and checks each
/// access before making it. The errors of the checks are written for the model.
///
/// ```
/// use agent_runtime::{Permissions, spec::Grants};
///
/// let permissions = Permissions::new(&Grants::new().network("api.example.org"))?;
/// assert!(permissions.check_host("api.example.org", 443).is_ok());
/// let error = permissions.check_host("example.org", 443).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "not allowed: contacting `example.org:443`; granted for the network: `api.example.org`"
/// );
/// # Ok::<(), agent_runtime::Error>(())
/// ```
#[derive(Clone)]
pub struct Permissions(Arc<Shared>);

#[derive(Clone)]
struct Shared {
    read: Vec<Folder>,
    write: Vec<Folder>,
    /// The grants of the host, then those of the agent. An access must be covered by each layer.
    layers: Vec<Layer>,
    environment: Environment,
}

#[derive(Clone)]
struct Layer {
    network: Vec<HostGrant>,
    environment: Vec<String>,
}

impl Permissions {
    /// Permissions that allow nothing.
    #[must_use]
    pub fn none() -> Self {
        // Shared, because the context of every call is created with it.
        static NONE: LazyLock<Permissions> = LazyLock::new(|| {
            Permissions(Arc::new(Shared {
                read: Vec::new(),
                write: Vec::new(),
                layers: vec![Layer::new(&Grants::NONE)],
                environment: Environment::empty(),
            }))
        });
        NONE.clone()
    }

    /// Permissions that allow what `grants` cover. Each folder is opened now, so it stays the same folder
    /// when its path leads elsewhere later. Relative paths start at the current folder of the process, and
    /// variables are those of the process.
    ///
    /// # Errors
    /// Configuration when a folder does not exist, is not a folder or cannot be opened, or when a host or
    /// the name of a variable is invalid.
    pub fn new(grants: &Grants) -> Result<Self, Error> {
        Self::with_environment(grants, Environment::process())
    }

    /// Permissions that allow what `grants` cover, with the variables of `environment`.
    #[doc(hidden)]
    pub fn with_environment(grants: &Grants, environment: Environment) -> Result<Self, Error> {
        for (key, part) in grants.parts() {
            for text in part {
                check_grant(key, text).map_err(|reason| {
                    Error::configuration(format!("the grant {:?} of `{key}` {reason}", &**text))
                })?;
            }
        }
        Ok(Self(Arc::new(Shared {
            read: open_all(&grants.read)?,
            write: open_all(&grants.write)?,
            layers: vec![Layer::new(grants)],
            environment,
        })))
    }

    /// Permissions that allow what both these and `grants` cover. A folder of `grants` that does not exist
    /// covers nothing.
    #[must_use]
    pub fn narrowed(&self, grants: &Grants) -> Self {
        let shared = &self.0;
        let mut layers = shared.layers.clone();
        layers.push(Layer::new(grants));
        Self(Arc::new(Shared {
            read: narrow(&shared.read, &grants.read),
            write: narrow(&shared.write, &grants.write),
            layers,
            environment: shared.environment.clone(),
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

    /// Checks that a path may be accessed, and returns the open folder through which to open it. A
    /// relative path starts at the current folder of the process.
    ///
    /// # Errors
    /// Validation when `path` is empty, too long or contains NUL; Authorization, with the request and the
    /// granted folders, when the path contains `..` or no granted folder contains it.
    pub fn check_path<'a>(
        &'a self,
        path: &'a str,
        access: FileAccess,
    ) -> Result<GrantedPath<'a>, ToolError> {
        let folders = match access {
            FileAccess::Read | FileAccess::List => &self.0.read,
            FileAccess::Write => &self.0.write,
        };
        GrantedPath::resolve(path, access, folders)
    }

    /// Checks that a host may be contacted. `host` is as in a parsed URL: in lower case, an address of
    /// version 6 without brackets. [`check_address`](Self::check_address) then checks each address that
    /// the name resolves to.
    ///
    /// # Errors
    /// Authorization, with the request and the granted hosts.
    pub fn check_host(&self, host: &str, port: u16) -> Result<(), ToolError> {
        let request = || format!("contacting `{}`", HostAndPort(host, port));
        self.check_network(|grant| grant.covers_host(host, port), request)
    }

    /// Checks that an address to which a host resolved may be contacted. Public addresses are always
    /// allowed, any other one only when the address itself is granted. Without this check, whoever
    /// controls the name could point it at the machine of the agent or at its private network.
    ///
    /// # Errors
    /// Authorization, with the request and the granted hosts.
    pub fn check_address(&self, host: &str, address: IpAddr, port: u16) -> Result<(), ToolError> {
        if is_public(address) {
            return Ok(());
        }
        let request = || {
            let host = HostAndPort(host, port);
            format!("contacting `{host}` at {address}, an address that is not public")
        };
        self.check_network(|grant| grant.covers_address(host, address, port), request)
    }

    /// Returns the value of an environment variable, if it is set.
    ///
    /// # Errors
    /// Authorization, with the granted variables, when the variable is not granted; Execution when its
    /// value is not Unicode.
    pub fn variable(&self, name: &str) -> Result<Option<String>, ToolError> {
        let covers = |layer: &Layer| layer.environment.iter().any(|granted| granted == name);
        if let Some(layer) = self.0.refusing_layer(covers) {
            let request = format!("reading the variable `{name}`");
            return Err(refusal(&request, "variables", &layer.environment));
        }
        let value = self.0.environment.read(name);
        value.map_err(|error| ToolError::Execution(error.to_string()))
    }

    fn check_network(
        &self,
        covers: impl Fn(&HostGrant) -> bool,
        request: impl FnOnce() -> String,
    ) -> Result<(), ToolError> {
        match self
            .0
            .refusing_layer(|layer| layer.network.iter().any(&covers))
        {
            Some(layer) => Err(refusal(&request(), "the network", &layer.network)),
            None => Ok(()),
        }
    }
}

impl Shared {
    /// The narrowest layer that does not cover an access.
    fn refusing_layer(&self, covers: impl Fn(&Layer) -> bool) -> Option<&Layer> {
        self.layers.iter().rev().find(|layer| !covers(layer))
    }
}

impl Layer {
    fn new(grants: &Grants) -> Self {
        let hosts = grants.network.iter();
        let names = grants.environment.iter();
        Self {
            network: hosts
                .filter_map(|text| HostGrant::parse(text).ok())
                .collect(),
            environment: names.map(ToString::to_string).collect(),
        }
    }
}

/// The error for a refused access: the request, and what is granted.
fn refusal(request: &str, kind: &str, granted: &[impl fmt::Display]) -> ToolError {
    let granted = if granted.is_empty() {
        "nothing".to_owned()
    } else {
        let granted: Vec<String> = granted.iter().map(|text| format!("`{text}`")).collect();
        granted.join(", ")
    };
    ToolError::Authorization(format!("{request}; granted for {kind}: {granted}"))
}

fn open_all(folders: &[Text]) -> Result<Vec<Folder>, Error> {
    folders.iter().map(|folder| Folder::open(folder)).collect()
}

/// The parts of the `held` folders that the folders of further grants cover.
fn narrow(held: &[Folder], grants: &[Text]) -> Vec<Folder> {
    let mut narrowed = Vec::new();
    for grant in grants {
        match Folder::find(grant) {
            Ok(found) => narrowed.extend(held.iter().filter_map(|held| held.narrowed(&found))),
            Err(error) => tracing::warn!(target: TARGET, %error, "an agent's grant covers nothing"),
        }
    }
    narrowed
}

/// The maximum number of bytes of a host in messages, which the domain name system sets.
pub const MAX_HOST: usize = 253;

struct HostAndPort<'a>(&'a str, u16);

impl fmt::Display for HostAndPort<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(host, port) = self;
        let host = shortened(host, MAX_HOST);
        match host.contains(':') {
            true => write!(out, "[{host}]:{port}"),
            false => write!(out, "{host}:{port}"),
        }
    }
}

impl fmt::Debug for Permissions {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Permissions")
            .field("read", &self.read_folders().collect::<Vec<_>>())
            .field("write", &self.write_folders().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
