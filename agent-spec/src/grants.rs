//! What tools may touch: folders, hosts, variables of the environment.

mod host;

pub use host::{HostGrant, HostGrantError};

use agent_gram::value::Text;
use std::borrow::Cow;

/// What tools may touch. Nothing at first.
///
/// The host of an agent grants, with the runtime; `grants: {read: ["docs"]}` of an agent narrows that
/// further, and never widens it. A folder is granted with all that is in it.
///
/// ```
/// use agent_spec::Grants;
///
/// let grants = Grants::new().read("docs").network("api.example.org");
/// assert!(grants.write.is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Grants {
    /// Folders whose files may be read and listed.
    pub read: Cow<'static, [Text]>,
    /// Folders in which files may be written.
    pub write: Cow<'static, [Text]>,
    /// Hosts that may be contacted, each in the form of a [`HostGrant`].
    pub network: Cow<'static, [Text]>,
    /// Names of variables of the environment that may be read.
    pub environment: Cow<'static, [Text]>,
}

impl Grants {
    /// Nothing.
    pub const NONE: Grants = Grants {
        read: Cow::Borrowed(&[]),
        write: Cow::Borrowed(&[]),
        network: Cow::Borrowed(&[]),
        environment: Cow::Borrowed(&[]),
    };

    /// Nothing, to add to.
    #[must_use]
    pub const fn new() -> Self {
        Self::NONE
    }

    /// Grants for a `const`.
    #[must_use]
    pub const fn from_static(
        read: &'static [Text],
        write: &'static [Text],
        network: &'static [Text],
        environment: &'static [Text],
    ) -> Self {
        Self {
            read: Cow::Borrowed(read),
            write: Cow::Borrowed(write),
            network: Cow::Borrowed(network),
            environment: Cow::Borrowed(environment),
        }
    }

    /// These grants and a folder to read.
    #[must_use]
    pub fn read(mut self, folder: impl Into<Text>) -> Self {
        self.read.to_mut().push(folder.into());
        self
    }

    /// These grants and a folder to write in.
    #[must_use]
    pub fn write(mut self, folder: impl Into<Text>) -> Self {
        self.write.to_mut().push(folder.into());
        self
    }

    /// These grants and a host to contact, in the form of a [`HostGrant`].
    #[must_use]
    pub fn network(mut self, host: impl Into<Text>) -> Self {
        self.network.to_mut().push(host.into());
        self
    }

    /// These grants and the name of a variable of the environment.
    #[must_use]
    pub fn environment(mut self, name: impl Into<Text>) -> Self {
        self.environment.to_mut().push(name.into());
        self
    }

    /// Each kind of grant with the key it is written under, in the order of writing.
    #[must_use]
    pub fn parts(&self) -> [(&'static str, &[Text]); 4] {
        let lists = [&self.read, &self.write, &self.network, &self.environment];
        std::array::from_fn(|at| (GRANT_KEYS[at], &**lists[at]))
    }

    /// The list that is written under a key of [`GRANT_KEYS`].
    pub(crate) fn part_mut(&mut self, key: &str) -> Option<&mut Cow<'static, [Text]>> {
        match key {
            "read" => Some(&mut self.read),
            "write" => Some(&mut self.write),
            "network" => Some(&mut self.network),
            "environment" => Some(&mut self.environment),
            _ => None,
        }
    }
}

/// The keys of `grants`, in the order they are written.
pub const GRANT_KEYS: [&str; 4] = ["read", "write", "network", "environment"];

/// What is wrong with the text of a grant under a key of [`GRANT_KEYS`].
///
/// # Errors
/// What is wrong, as the end of a sentence that begins with the text.
pub fn check_grant(key: &str, text: &str) -> Result<(), String> {
    if text.is_empty() {
        return Err("is empty".to_owned());
    }
    if text.contains('\0') {
        return Err("holds a NUL character".to_owned());
    }
    match key {
        "network" => match HostGrant::parse(text) {
            Ok(_) => Ok(()),
            Err(error) => Err(error.to_string()),
        },
        "environment" if text.contains('=') => {
            Err("is no name of a variable: a value is not granted".to_owned())
        }
        _ => Ok(()),
    }
}
