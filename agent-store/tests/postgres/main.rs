//! `PostgresStore` and `PostgresJournal`, on a server that the tests start.

#[path = "../../../agent-core/src/conversation/any_conversation.rs"]
mod any_conversation;
#[path = "../support/any_journal.rs"]
mod any_journal;
mod failures;
mod journal;
#[path = "../support/killed.rs"]
mod killed;
mod proxy;
#[path = "../../../agent-runtime/tests/journal/scenarios/mod.rs"]
mod scenarios;
#[path = "../support/postgres_server.rs"]
mod server;
mod store;
#[path = "../../../agent-runtime/tests/support/mod.rs"]
mod support;

use server::{MISSING, Server};
use std::env;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Once, OnceLock};

/// Settings with which a server is fast, and loses nothing unless the machine fails.
const FAST: &[&str] = &["fsync=off", "full_page_writes=off", "max_connections=200"];

/// Whether there is no PostgreSQL, so that nothing is tested. `REQUIRE_POSTGRES` makes that a failure.
fn is_skipped() -> bool {
    static SAID: Once = Once::new();
    let is_skipped = server::programs().is_none() && env::var_os("REQUIRE_POSTGRES").is_none();
    if is_skipped {
        // Directly, because the test runner keeps what the macros print.
        SAID.call_once(|| {
            let said = writeln!(
                io::stderr(),
                "the tests of PostgreSQL are skipped: {MISSING}"
            );
            said.expect("standard error");
        });
    }
    is_skipped
}

/// Returns the server of all tests that leave it as it is.
fn shared() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| Server::start(FAST, None))
}

/// Returns the URL of an empty schema.
fn empty() -> String {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    shared().url(&format!("test_{count}"))
}

/// Returns the schema of a URL.
fn schema_of(url: &str) -> &str {
    let (_, schema) = url.split_once("search_path=").expect("a schema");
    schema.split('&').next().unwrap_or_default()
}

/// A temporary folder of one test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = env::temp_dir().join(format!("postgres-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
