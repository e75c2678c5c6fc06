//! A database that is down, restarted, not reached, or refuses what is asked.

use crate::proxy::{Fault, Proxy};
use crate::server::{PASSWORD, Server};
use crate::{FAST, empty, is_skipped, schema_of, shared};
use agent_runtime::Message;
use agent_runtime::conversation::{ConversationName, ConversationStore, Sha256, StoreError};
use agent_runtime::journal::{Commit, Journal, Mail, Record, RunFilter, RunInfo};
use agent_store::{PostgresJournal, PostgresStore};
use rcgen::{CertificateParams, KeyPair};
use std::time::{Duration, Instant};

fn name() -> ConversationName {
    ConversationName::new("ada").expect("a name")
}

fn turn(text: &str) -> [Message; 2] {
    [Message::user(text), Message::assistant("Hello!")]
}

/// Returns the whole text of an error, which must not have the password.
#[track_caller]
fn text(error: &StoreError) -> String {
    let text = format!("{error} {error:?}");
    assert!(!text.contains(PASSWORD), "{text}");
    assert!(!text.contains("s3cret"), "{text}");
    error.to_string()
}

async fn refused(url: &str) -> String {
    let store = PostgresStore::connect(url).await;
    text(&store.expect_err("the database refuses it"))
}

#[tokio::test]
async fn errors_say_what_is_wrong_without_the_password() {
    if is_skipped() {
        return;
    }
    let (url, port) = (empty(), shared().port());
    for (url, words) in [
        (
            url.replace("s3cret", "s3cretive"),
            "rejects the role `agent`",
        ),
        (
            url.replace("agent:", "nobody:"),
            "rejects the role `nobody`",
        ),
        (
            url.replace("/agents?", "/nowhere?"),
            "the database does not exist",
        ),
        (
            url.replace(&format!(":{port}/"), ":1/"),
            "`postgres://127.0.0.1:1/agents` cannot be reached",
        ),
        (
            url.replace("127.0.0.1", "no.such.host.invalid"),
            "cannot be reached",
        ),
        (format!("{url}&sslmode=require"), "offers no TLS"),
        (
            url.replace("agent:s3cret-p%40ssword", "agent"),
            "asks for a password, and the URL has none",
        ),
    ] {
        let begun = Instant::now();
        let text = refused(&url).await;
        assert!(text.contains(words), "{text}");
        // A mistake is reported at once.
        assert!(begun.elapsed() < Duration::from_secs(55), "{text}");
    }
    let store = PostgresStore::connect(&url).await.expect("a store");
    let journal = PostgresJournal::connect(&url).await.expect("a journal");
    for text in [format!("{store:?}"), format!("{journal:?}")] {
        assert!(
            text.contains("agents") && !text.contains("s3cret"),
            "{text}"
        );
    }
}

/// A proxy whose database is gone is such a server.
#[tokio::test]
async fn a_server_that_takes_connections_and_says_nothing_is_an_error_after_a_while() {
    if is_skipped() {
        return;
    }
    // The system takes its connections.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let place = listener.local_addr().expect("a port");
    let url = format!("postgres://agent@{place}/agents?operation_timeout=1");
    let connecting = tokio::time::timeout(Duration::from_secs(55), refused(&url));
    let text = connecting.await.expect("an error in time");
    assert!(text.contains("did not answer for 1 s"), "{text}");
}

#[tokio::test]
async fn a_role_without_rights_is_told_what_it_needs() {
    if is_skipped() {
        return;
    }
    let server = shared();
    server.sql(
        "postgres",
        &format!("CREATE ROLE guest LOGIN PASSWORD '{PASSWORD}'"),
    );
    let url = server.url("of_guest").replace("agent:", "guest:");
    let text = refused(&url).await;
    assert!(
        text.contains("the role `guest` has not the rights"),
        "{text}"
    );
    assert!(text.contains("GRANT CREATE ON DATABASE"), "{text}");
    // An administrator can make the schema.
    server.sql("agents", "CREATE SCHEMA of_guest AUTHORIZATION guest");
    PostgresStore::connect(&url).await.expect("a store");
    // Without a schema of its own, the role's search path counts.
    server.sql("agents", "ALTER ROLE guest SET search_path = missing");
    let text = refused(url.split('?').next().expect("a URL")).await;
    assert!(
        text.contains("none of the schemas in the search path"),
        "{text}"
    );
}

#[tokio::test]
async fn a_table_of_another_program_is_named() {
    if is_skipped() {
        return;
    }
    let server = shared();
    let url = server.url("of_another");
    server.sql(
        "agents",
        "CREATE SCHEMA of_another AUTHORIZATION agent; CREATE TABLE of_another.agent_run (theirs int)",
    );
    let text = refused(&url).await;
    assert!(
        text.contains("something of another program: relation \"agent_run\" already exists"),
        "{text}"
    );
    assert!(
        text.contains("name another schema by `search_path`"),
        "{text}"
    );
}

#[tokio::test]
async fn tables_of_a_newer_version_are_refused() {
    if is_skipped() {
        return;
    }
    let url = empty();
    PostgresStore::connect(&url).await.expect("a store");
    let schema = schema_of(&url);
    shared().sql(
        "agents",
        &format!("UPDATE {schema}.agent_version SET version = 7"),
    );
    let error = PostgresJournal::connect(&url)
        .await
        .expect_err("newer tables");
    assert!(error.is_format(), "{error:?}");
    let text = text(&error);
    assert!(
        text.contains("their format is 7, and this one knows up to 1; update this program"),
        "{text}"
    );
}

#[tokio::test]
async fn a_table_that_is_gone_is_an_error_of_the_format() {
    if is_skipped() {
        return;
    }
    let url = empty();
    let store = PostgresStore::connect(&url).await.expect("a store");
    let schema = schema_of(&url);
    shared().sql("agents", &format!("DROP TABLE {schema}.agent_message"));
    let error = store
        .append(&name(), &turn("Hello"))
        .await
        .expect_err("no table");
    assert!(
        error.is_format() && text(&error).contains("agent_message"),
        "{error:?}"
    );
}

/// Processes that start at once create the tables once.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn programs_that_start_at_once_create_the_tables_once() {
    if is_skipped() {
        return;
    }
    let url = empty();
    let opened = (0..12).map(|at| {
        let url = url.clone();
        tokio::spawn(async move {
            let store = PostgresStore::connect(&url).await.expect("a store");
            store
                .append(&name(), &turn(&at.to_string()))
                .await
                .expect("added");
        })
    });
    for opened in opened.collect::<Vec<_>>() {
        opened.await.expect("no panic");
    }
    let store = PostgresStore::connect(&url).await.expect("a store");
    assert_eq!(store.list(None).await.expect("a list")[0].messages, 24);
}

async fn check_fault(fault: Fault) {
    let (url, port) = (empty(), shared().port());
    let direct = PostgresStore::connect(&url).await.expect("a store");
    let proxy = Proxy::start(port, fault).await;
    let store = PostgresStore::connect(&proxy.through(&url, port))
        .await
        .expect("a store");
    let messages = async || {
        let stored = direct.load(&name()).await.expect("a store");
        stored.map_or(0, |stored| stored.conversation.len())
    };
    proxy.break_commits(1);
    store.append(&name(), &turn("Hello")).await.expect("added");
    assert_eq!(
        (messages().await, proxy.left()),
        (2, 0),
        "it was added once"
    );
    let loaded = store
        .load(&name())
        .await
        .expect("a store")
        .expect("a conversation");
    proxy.break_commits(1);
    let name = name();
    let saved = store.save(&name, &loaded.conversation, Some(loaded.revision));
    saved.await.expect("its own write is no conflict");
    assert_eq!((messages().await, proxy.left()), (2, 0));
    proxy.break_commits(1);
    assert!(store.delete(&name).await.expect("a store"), "it was there");
    assert_eq!((messages().await, proxy.left()), (0, 0));
    let journal = PostgresJournal::connect(&proxy.through(&url, port)).await;
    let journal = journal.expect("a journal");
    let record = Record::sealed("r", 0, "{}", &Record::first_checksum());
    let (lease, commit) = (
        journal.begin("r"),
        Commit::new(0, vec![record], RunInfo::new("r", "a")),
    );
    journal.append(&lease, commit).await.expect("a commit");
    proxy.break_commits(1);
    assert!(journal.send("r", &Mail::Cancel).await.expect("a journal"));
    let mail = journal.mail(&lease).await.expect("the lease is held");
    assert_eq!((mail.len(), proxy.left()), (1, 0), "it was sent once");
}

#[tokio::test]
async fn a_commit_that_is_lost_is_made_once() {
    if is_skipped() {
        return;
    }
    check_fault(Fault::LosesCommit).await;
}

#[tokio::test]
async fn a_commit_whose_answer_is_lost_is_made_once() {
    if is_skipped() {
        return;
    }
    check_fault(Fault::LosesAnswer).await;
}

/// A commit that a server could not write for certain may be there when it has started again.
#[tokio::test]
async fn a_commit_at_which_the_server_crashes_is_made_once() {
    if is_skipped() {
        return;
    }
    check_fault(Fault::Crashes).await;
}

/// After a crash, a server gives the ids of transactions that left no trace on its disk to other transactions.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_that_a_crash_undid_is_made_again() {
    if is_skipped() {
        return;
    }
    // Nothing of a transaction is written before its commit.
    let server = Server::start(&[FAST, &["wal_writer_delay=10s"]].concat(), None);
    let (url, port) = (server.url("crashed"), server.port());
    let proxy = Proxy::start(port, Fault::Hangs).await;
    let store = PostgresStore::connect(&proxy.through(&url, port)).await;
    let store = store.expect("a store");
    for others in [0, 10] {
        proxy.break_commits(1);
        let appending = store.clone();
        let append = tokio::spawn(async move { appending.append(&name(), &turn("Hello")).await });
        while proxy.left() > 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        server.kill();
        server.start_again();
        for _ in 0..others {
            server.sql("agents", "SELECT txid_current()");
        }
        proxy.close();
        append.await.expect("no panic").expect("added");
        let stored = store.load(&name()).await.expect("a store");
        let stored = stored.expect("a conversation").conversation;
        assert_eq!(stored.len(), 2, "after {others} other transactions");
        assert!(store.delete(&name()).await.expect("a store"));
    }
}

/// A network that swallows what is sent does not hang an operation for ever, and nobody is told that it was made.
#[tokio::test]
async fn a_network_that_swallows_all_is_an_error_after_a_while() {
    if is_skipped() {
        return;
    }
    let (url, port) = (empty(), shared().port());
    let direct = PostgresStore::connect(&url).await.expect("a store");
    let proxy = Proxy::start(port, Fault::Hangs).await;
    proxy.break_commits(1_000);
    let url = format!("{}&operation_timeout=6", proxy.through(&url, port));
    let store = PostgresStore::connect(&url).await;
    // The tables are there already, so that connecting needs no commit.
    let store = store.expect("a store");
    let begun = Instant::now();
    let error = store
        .append(&name(), &turn("Hello"))
        .await
        .expect_err("no answer");
    assert!(
        text(&error).contains("nobody knows whether the last write"),
        "{error}"
    );
    assert!(
        begun.elapsed() < Duration::from_secs(55),
        "{:?}",
        begun.elapsed()
    );
    assert!(direct.load(&name()).await.expect("a store").is_none());
}

/// A run whose commits have one record each.
struct Writer {
    run: String,
    position: u64,
    last: Sha256,
}

impl Writer {
    fn new(run: impl Into<String>) -> Self {
        Self {
            run: run.into(),
            position: 0,
            last: Record::first_checksum(),
        }
    }

    fn next(&mut self) -> Commit {
        let record = Record::sealed(&self.run, self.position, "{}", &self.last);
        let commit = Commit::new(self.position, vec![record], RunInfo::new(&self.run, "a"));
        self.position += 1;
        self.last = *commit.records[0].checksum();
        commit
    }
}

/// While the database is stopped, killed and started, runs and conversations wait.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn operations_wait_while_the_database_is_restarted() {
    if is_skipped() {
        return;
    }
    let server = Server::start(FAST, None);
    let url = server.url("restarted");
    let journal = PostgresJournal::connect(&url).await.expect("a journal");
    let store = journal.conversations().expect("the same database");
    let writers: Vec<_> = (0..8)
        .map(|at| {
            let (journal, store) = (journal.clone(), store.clone());
            tokio::spawn(async move {
                let mut writer = Writer::new(format!("r{at}"));
                let lease = journal.begin(&writer.run);
                for position in 0..200 {
                    let appended = journal.append(&lease, writer.next()).await;
                    appended.expect("appended");
                    let said = turn(&format!("{at} {position}"));
                    store.append(&name(), &said).await.expect("added");
                }
            })
        })
        .collect();
    for kills in [false, true] {
        tokio::time::sleep(Duration::from_millis(300)).await;
        match kills {
            true => server.kill(),
            false => server.stop(),
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
        server.start_again();
    }
    for writer in writers {
        writer.await.expect("no panic");
    }
    for info in journal.list(&RunFilter::new()).await.expect("a list") {
        let stored = journal
            .read(&info.run)
            .await
            .expect("a run")
            .expect("a run");
        stored.verify().expect("whole records");
        assert_eq!(stored.count, 200);
    }
    let stored = store
        .load(&name())
        .await
        .expect("a store")
        .expect("a conversation");
    let mut said: Vec<&str> = stored
        .conversation
        .messages()
        .iter()
        .step_by(2)
        .map(Message::content)
        .collect();
    assert_eq!(said.len(), 8 * 200, "nothing is lost");
    said.sort_unstable();
    said.dedup();
    assert_eq!(said.len(), 8 * 200, "nothing is there twice");
}

#[tokio::test]
async fn a_database_that_is_down_is_an_error_after_a_while() {
    if is_skipped() {
        return;
    }
    let server = Server::start(FAST, None);
    let url = format!("{}&operation_timeout=5", server.url("down"));
    let journal = PostgresJournal::connect(&url).await.expect("a journal");
    server.stop();
    let commit = Writer::new("r").next();
    let appended = journal.append(&journal.begin("r"), commit.clone()).await;
    let said = text(&appended.expect_err("the database is down"));
    assert!(
        said.contains("cannot be reached") || said.contains("is stopping"),
        "{said}"
    );
    text(
        &journal
            .list(&RunFilter::new())
            .await
            .expect_err("the database is down"),
    );
    server.start_again();
    journal
        .append(&journal.begin("r"), commit)
        .await
        .expect("appended");
}

#[tokio::test]
async fn a_store_takes_no_more_connections_than_it_may() {
    if is_skipped() {
        return;
    }
    let url = format!("{}&max_connections=2&application_name=counted", empty());
    let store = PostgresStore::connect(&url).await.expect("a store");
    let loads = (0..50).map(|_| {
        let store = store.clone();
        tokio::spawn(async move { store.load(&name()).await.map(|_| ()) })
    });
    for load in loads.collect::<Vec<_>>() {
        load.await.expect("no panic").expect("a store");
    }
    let count = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'counted'";
    let count: usize = shared().sql("agents", count).parse().expect("a number");
    assert!((1..=2).contains(&count), "{count} connections");
}

/// A server goes on with a statement whose client is gone, such as one that waits for a lock.
#[tokio::test]
async fn operations_that_are_dropped_keep_no_connections() {
    if is_skipped() {
        return;
    }
    let url = format!("{}&max_connections=2&application_name=dropped", empty());
    let store = PostgresStore::connect(&url).await.expect("a store");
    let lock = format!("LOCK {}.agent_message", schema_of(&url));
    let locked = shared().transaction("agents", &lock);
    let connections = |what: &str| {
        let sql = format!(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'dropped' {what}"
        );
        shared().sql("agents", &sql)
    };
    for _ in 0..5 {
        let loading = store.clone();
        let load = tokio::spawn(async move { loading.load(&name()).await.map(|_| ()) });
        while connections("AND wait_event_type = 'Lock'") == "0" {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        load.abort();
        let dropped = Instant::now();
        while connections("") != "0" {
            // Less than `lock_timeout`, which ends the statement otherwise.
            assert!(dropped.elapsed() < Duration::from_secs(9), "it is kept");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
    drop(locked);
    assert!(store.load(&name()).await.expect("a store").is_none());
}

/// Dropped futures leave no transaction open, and no connection that is in the middle of one.
#[tokio::test]
async fn an_operation_that_is_dropped_disturbs_no_other() {
    if is_skipped() {
        return;
    }
    let url = format!("{}&max_connections=1", empty());
    let store = PostgresStore::connect(&url).await.expect("a store");
    let ada = name();
    for micros in (0..3_000).step_by(100) {
        let turn = turn("dropped");
        let append = store.append(&ada, &turn);
        let _ = tokio::time::timeout(Duration::from_micros(micros), append).await;
        let loaded = store.load(&ada).await.expect("a store");
        let messages = loaded.map_or(0, |loaded| loaded.conversation.len());
        assert_eq!(messages % 2, 0, "whole turns");
    }
    store.append(&ada, &turn("last")).await.expect("added");
}

#[tokio::test]
async fn connections_have_tls_with_a_certificate_that_is_verified() {
    if is_skipped() {
        return;
    }
    let params = CertificateParams::new(vec!["localhost".to_owned()]).expect("a name");
    let key = KeyPair::generate().expect("a key");
    let certificate = params.self_signed(&key).expect("a certificate");
    let server = Server::start(
        &["fsync=off", "ssl=on"],
        Some([&certificate.pem(), &key.serialize_pem()]),
    );
    let url = format!("{}&sslmode=require", server.url("tls"));
    let near = url.replace("127.0.0.1", "localhost");
    let said = refused(&near).await;
    assert!(said.contains("whose issuer is not known"), "{said}");
    assert!(said.contains("SSL_CERT_FILE"), "{said}");
    // Unlike in libpq, also where TLS is a choice: whoever reads along could show any certificate.
    let said = refused(&near.replace("sslmode=require", "sslmode=prefer")).await;
    assert!(said.contains("whose issuer is not known"), "{said}");

    // A process of its own, because the variable is that of the process.
    let folder = crate::Folder::new("tls");
    let file = folder.0.join("issuers.pem");
    std::fs::write(&file, certificate.pem()).expect("a file");
    for (url, outcome) in [(&near, "connected: true"), (&url, "is for another host")] {
        let output = std::process::Command::new(std::env::current_exe().expect("this program"))
            .args([
                "--exact",
                "failures::connects_with_the_certificates_of_a_variable",
                "--nocapture",
            ])
            .env("SSL_CERT_FILE", &file)
            .env(URL, url)
            .output()
            .expect("this program");
        let output = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.contains(outcome), "{output}");
    }
}

/// The variable that makes a copy of this program connect to a URL.
const URL: &str = "POSTGRES_TEST_URL";

/// Does nothing without the variable, as in an ordinary run of the tests.
#[tokio::test]
async fn connects_with_the_certificates_of_a_variable() {
    if is_skipped() {
        return;
    }
    let Ok(url) = std::env::var(URL) else {
        return;
    };
    match PostgresStore::connect(&url).await {
        Ok(store) => println!("connected: {}", store.list(None).await.is_ok()),
        Err(error) => println!("{error}"),
    }
}
