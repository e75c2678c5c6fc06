//! Stores for tokens.

use agent_runtime::__private::replace_file;
use agent_runtime::media::Sha256;
use agent_spec::file;
use reqwest::Url;
use std::any::Any;
use std::fs::{self, DirBuilder, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Mutex;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The future of a [`TokenStore`]'s method.
pub type TokenFuture<'a, T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send + 'a>>;

/// The lock that is held while tokens are replaced.
pub type TokenLock = Box<dyn Any + Send>;

/// A store of the tokens of servers, such as a [`TokenFolder`] or a database.
///
/// The tokens of a server are a text, with the server's address as its key. A store holds the keys of a
/// person, so keep it where nobody else can read it. A program with several persons gives each of them a
/// store.
///
/// A future of the store may be dropped at any time, for example by a timeout. Then tokens must be saved as a whole or not at
/// all.
pub trait TokenStore: Send + Sync {
    /// Returns the tokens that were last saved for a server, if there are any.
    fn load<'a>(&'a self, server: &'a str) -> TokenFuture<'a, Option<String>>;

    /// Saves the tokens of a server, in place of the earlier ones.
    fn save<'a>(&'a self, server: &'a str, tokens: String) -> TokenFuture<'a, ()>;

    /// Removes the tokens of a server, and returns whether there were any.
    fn remove<'a>(&'a self, server: &'a str) -> TokenFuture<'a, bool>;

    /// Waits until nobody else replaces the tokens of a server, and locks them until the result is dropped.
    /// Many servers accept a refresh token only once, so one of two processes with the same token would lose
    /// its sign-in. By default nothing is locked, which is right for a store that no other process uses.
    fn lock<'a>(&'a self, server: &'a str) -> TokenFuture<'a, TokenLock> {
        let _ = server;
        Box::pin(async { Ok(Box::new(()) as TokenLock) })
    }
}

/// A store in memory, for one server.
#[derive(Default)]
pub(super) struct Memory(Mutex<Option<String>>);

impl TokenStore for Memory {
    fn load<'a>(&'a self, _server: &'a str) -> TokenFuture<'a, Option<String>> {
        Box::pin(async move { Ok(self.get()?.clone()) })
    }

    fn save<'a>(&'a self, _server: &'a str, tokens: String) -> TokenFuture<'a, ()> {
        Box::pin(async move {
            *self.get()? = Some(tokens);
            Ok(())
        })
    }

    fn remove<'a>(&'a self, _server: &'a str) -> TokenFuture<'a, bool> {
        Box::pin(async move { Ok(self.get()?.take().is_some()) })
    }
}

impl Memory {
    fn get(&self) -> io::Result<std::sync::MutexGuard<'_, Option<String>>> {
        self.0
            .lock()
            .map_err(|error| io::Error::other(error.to_string()))
    }
}

/// The longest time for which a refresh waits for the refresh of another process.
const LOCK_TIMEOUT: Duration = Duration::from_secs(60);

/// The time between two attempts to lock a file.
const LOCK_STEP: Duration = Duration::from_millis(50);

/// A folder with a file for each server, which the user alone can read.
///
/// Files are replaced as a whole, and two processes do not refresh the same tokens at the same time. On Unix, a folder to
/// which other users have access is an error, because they could put other tokens in the place of the user's.
#[derive(Clone, Debug)]
pub struct TokenFolder(PathBuf);

impl TokenFolder {
    /// Keeps tokens in a folder, which is created when the first tokens are saved.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self(folder.into())
    }

    /// Returns the path of a server's file: the host, for people, and a hash of the whole address.
    fn path(&self, server: &str, extension: &str) -> PathBuf {
        let host = Url::parse(server);
        let host = host.ok().and_then(|url| Some(url.host_str()?.to_owned()));
        let safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
        let host: String = host
            .unwrap_or_default()
            .chars()
            .filter(|c| safe(*c))
            .take(100)
            .collect();
        let hash = &Sha256::of(server.as_bytes()).to_string()[..16];
        self.0.join(format!("{host}-{hash}.{extension}"))
    }

    async fn blocking<T: Send + 'static>(
        &self,
        path: PathBuf,
        work: impl FnOnce(&Path) -> io::Result<T> + Send + 'static,
    ) -> io::Result<T> {
        let done = tokio::task::spawn_blocking(move || {
            work(&path).map_err(|error| {
                io::Error::new(error.kind(), format!("`{}`: {error}", path.display()))
            })
        });
        done.await.map_err(io::Error::other)?
    }
}

impl TokenStore for TokenFolder {
    fn load<'a>(&'a self, server: &'a str) -> TokenFuture<'a, Option<String>> {
        Box::pin(self.blocking(self.path(server, "json"), |path| {
            let bytes = match check_folder(path).and_then(|()| file::read(path)) {
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
                bytes => bytes?,
            };
            String::from_utf8(bytes).map(Some).map_err(io::Error::other)
        }))
    }

    fn save<'a>(&'a self, server: &'a str, tokens: String) -> TokenFuture<'a, ()> {
        Box::pin(self.blocking(self.path(server, "json"), move |path| {
            create_folder(path)?;
            replace_file(path, tokens.as_bytes())
        }))
    }

    fn remove<'a>(&'a self, server: &'a str) -> TokenFuture<'a, bool> {
        Box::pin(self.blocking(self.path(server, "json"), |path| {
            match fs::remove_file(path) {
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
                removed => removed.map(|()| true),
            }
        }))
    }

    fn lock<'a>(&'a self, server: &'a str) -> TokenFuture<'a, TokenLock> {
        Box::pin(async move {
            let open = |path: &Path| {
                create_folder(path)?;
                // Opening a pipe waits for its reader.
                if path.metadata().is_ok_and(|found| !found.is_file()) {
                    return Err(io::Error::other("it is no ordinary file"));
                }
                private().create(true).truncate(false).open(path)
            };
            let path = self.path(server, "lock");
            let file = self.blocking(path.clone(), open).await?;
            let end = Instant::now() + LOCK_TIMEOUT;
            loop {
                let problem = match file.try_lock() {
                    Ok(()) => return Ok(Box::new(file) as TokenLock),
                    Err(TryLockError::WouldBlock) if Instant::now() < end => {
                        sleep(LOCK_STEP).await;
                        continue;
                    }
                    Err(TryLockError::WouldBlock) => {
                        format!("another process has it locked for more than {LOCK_TIMEOUT:?}")
                    }
                    Err(TryLockError::Error(error)) => format!("it cannot be locked: {error}"),
                };
                return Err(io::Error::other(format!("`{}`: {problem}", path.display())));
            }
        })
    }
}

fn create_folder(file: &Path) -> io::Result<()> {
    let Some(folder) = file.parent() else {
        return Ok(());
    };
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    check_folder(file)
}

/// Checks that only the user has access to the folder of a file.
#[cfg(unix)]
fn check_folder(file: &Path) -> io::Result<()> {
    let Some(folder) = file.parent() else {
        return Ok(());
    };
    let mode = std::os::unix::fs::MetadataExt::mode(&folder.metadata()?) & 0o777;
    if mode & 0o077 == 0 {
        return Ok(());
    }
    let folder = folder.display();
    Err(io::Error::other(format!(
        "other users have access to the folder of tokens (mode {mode:o}); run `chmod 700 '{folder}'`"
    )))
}

#[cfg(not(unix))]
fn check_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Returns the options for a file that the user alone can read.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}
