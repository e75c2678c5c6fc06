//! A PostgreSQL server for tests and benchmarks, in a temporary folder. It is stopped and its folder removed when the
//! program ends, however it ends.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The password of the role of tests.
pub(crate) const PASSWORD: &str = "s3cret-p@ssword";

/// The reason why no server can be started, and the remedy.
pub(crate) const MISSING: &str =
    "PostgreSQL is not installed; install it, on Debian with `apt-get install postgresql`";

/// A script that makes a server, and starts and stops it as it is told. When nobody can tell it anything any more, it stops
/// the server and removes the folder.
const SCRIPT: &str = r#"
umask 077
# What ends the tests, such as Ctrl-C, must not end this script before it has removed the folder.
trap : INT TERM HUP
mkdir "$FOLDER" && cd "$FOLDER" || exit 1
LC_ALL=C "$BIN/initdb" -D data -U admin -A trust -E UTF8 --no-locale --no-sync >log 2>&1 || { cat log; exit 1; }
printf '%s\n' 'local all all trust' 'host all all 127.0.0.1/32 scram-sha-256' >data/pg_hba.conf
printf '%s' "$CERTIFICATE" >data/server.crt
printf '%s' "$KEY" >data/server.key
start() {
    LC_ALL=C "$BIN/postgres" -D data -k "$FOLDER" -h 127.0.0.1 -p "$PORT" $SETTINGS >>log 2>&1 </dev/null &
    server=$!
    until "$BIN/pg_isready" -q -h "$FOLDER" -p "$PORT"; do
        kill -0 $server 2>/dev/null || { cat log; return; }
        sleep 0.02
    done
    echo done
}
while read -r order; do
    case $order in
    start) start ;;
    stop) kill -INT $server; wait $server; echo done ;;
    kill) kill -QUIT $server; wait $server; echo done ;;
    pause) kill -STOP $server; echo done ;;
    esac
done
kill -CONT $server 2>/dev/null
kill -INT $server 2>/dev/null
wait $server
# Once more, because a signal ends the first.
wait $server
cd /
rm -rf "$FOLDER"
"#;

/// A running server, with the role `agent` and its database `agents`.
pub(crate) struct Server {
    folder: PathBuf,
    port: u16,
    bin: PathBuf,
    script: Mutex<Option<Script>>,
}

struct Script {
    child: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Server {
    /// Starts a server. `settings` are those of `postgresql.conf`, and `certificate` the texts of its certificate and key.
    pub(crate) fn start(settings: &[&str], certificate: Option<[&str; 2]>) -> Self {
        let bin = programs().unwrap_or_else(|| panic!("{MISSING}"));
        for _ in 0..5 {
            // Another program may take the port before the server has it.
            if let Ok(server) = Self::try_start(&bin, settings, certificate) {
                server.create_database();
                return server;
            }
        }
        match Self::try_start(&bin, settings, certificate) {
            Ok(_) => panic!("PostgreSQL starts at times"),
            Err(problem) => panic!("PostgreSQL does not start: {problem}"),
        }
    }

    fn try_start(
        bin: &Path,
        settings: &[&str],
        certificate: Option<[&str; 2]>,
    ) -> Result<Self, String> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = format!("agent-postgres-{}-{count}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("a port").port();
        drop(listener);
        let settings: Vec<String> = settings
            .iter()
            .map(|setting| format!("-c {setting}"))
            .collect();
        let [certificate, key] = certificate.unwrap_or_default();
        let mut child = as_ordinary_user()
            .args(["sh", "-c", SCRIPT])
            .env("FOLDER", &folder)
            .env("BIN", bin)
            .env("PORT", port.to_string())
            .env("SETTINGS", settings.join(" "))
            .env("CERTIFICATE", certificate)
            .env("KEY", key)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| error.to_string())?;
        let script = Script {
            orders: child.stdin.take().expect("a pipe"),
            answers: BufReader::new(child.stdout.take().expect("a pipe")),
            child,
        };
        let server = Self {
            folder,
            port,
            bin: bin.to_owned(),
            script: Mutex::new(Some(script)),
        };
        server.order("start")?;
        Ok(server)
    }

    fn script(&self) -> MutexGuard<'_, Option<Script>> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives an order, and waits until it is done.
    fn order(&self, order: &str) -> Result<(), String> {
        let mut script = self.script();
        let script = script
            .as_mut()
            .expect("it is taken when the server is dropped");
        // The script has ended if its pipe is closed, and has said why.
        let _ = writeln!(script.orders, "{order}");
        let (mut said, mut line) = (String::new(), String::new());
        while script
            .answers
            .read_line(&mut line)
            .is_ok_and(|length| length > 0)
        {
            if line.trim() == "done" {
                return Ok(());
            }
            said.push_str(&std::mem::take(&mut line));
            if said.contains("shut down") || said.contains("FATAL") {
                break;
            }
        }
        Err(said)
    }

    /// Stops the server, which ends all connections.
    pub(crate) fn stop(&self) {
        self.order("stop").expect("the server stops");
    }

    /// Ends the server as a crash does.
    pub(crate) fn kill(&self) {
        self.order("kill").expect("the server ends");
    }

    /// Starts the server again.
    pub(crate) fn start_again(&self) {
        self.order("start").expect("the server starts");
    }

    fn create_database(&self) {
        self.sql(
            "postgres",
            &format!("CREATE ROLE agent LOGIN PASSWORD '{PASSWORD}'"),
        );
        self.sql("postgres", "CREATE DATABASE agents OWNER agent");
    }

    fn psql(&self, database: &str) -> Command {
        let mut psql = Command::new(self.bin.join("psql"));
        psql.args(["--no-psqlrc", "-qtAX", "-v", "ON_ERROR_STOP=1"])
            .args(["-U", "admin", "-d", database])
            .arg("-h")
            .arg(&self.folder)
            .args(["-p", &self.port.to_string()]);
        psql
    }

    /// Runs statements as the administrator, and returns what they print.
    pub(crate) fn sql(&self, database: &str, sql: &str) -> String {
        let ran = self.psql(database).args(["-c", sql]).output();
        let ran = ran.expect("psql runs");
        let error = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{sql}: {error}");
        String::from_utf8_lossy(&ran.stdout).trim().to_owned()
    }

    /// Runs statements as the administrator in a transaction that stays open.
    pub(crate) fn transaction(&self, database: &str, sql: &str) -> Transaction {
        let mut psql = self.psql(database);
        psql.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut psql = psql.spawn().expect("psql runs");
        let mut statements = psql.stdin.take().expect("a pipe");
        writeln!(statements, "BEGIN; {sql};\n\\echo done").expect("psql runs");
        let answers = BufReader::new(psql.stdout.take().expect("a pipe"));
        let mut lines = answers.lines().map_while(Result::ok);
        assert!(lines.any(|line| line == "done"), "{sql}");
        Transaction {
            psql,
            _statements: statements,
        }
    }

    /// The port on 127.0.0.1.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// The URL of the database, with a schema.
    pub(crate) fn url(&self, schema: &str) -> String {
        let (password, port) = (PASSWORD.replace('@', "%40"), self.port);
        format!("postgres://agent:{password}@127.0.0.1:{port}/agents?search_path={schema}")
    }
}

/// A transaction that is undone when this is dropped.
pub(crate) struct Transaction {
    psql: Child,
    _statements: ChildStdin,
}

impl Drop for Transaction {
    fn drop(&mut self) {
        let _ = self.psql.kill();
        let _ = self.psql.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let Some(mut script) = self.script().take() else {
            return;
        };
        drop(script.orders);
        let _ = script.child.wait();
    }
}

/// Returns the folder of the programs of PostgreSQL.
pub(crate) fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten();
    let version = |folder: &PathBuf| -> u32 {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        name.parse().unwrap_or_default()
    };
    let mut folders: Vec<PathBuf> = versions.flatten().map(|entry| entry.path()).collect();
    folders.sort_by_key(|folder| std::cmp::Reverse(version(folder)));
    let mut folders: Vec<PathBuf> = folders.iter().map(|folder| folder.join("bin")).collect();
    let path = std::env::var_os("PATH").unwrap_or_default();
    folders.extend(std::env::split_paths(&path));
    folders
        .into_iter()
        .find(|folder| folder.join("initdb").is_file())
}

/// Returns a command that runs its arguments as an ordinary user, because PostgreSQL refuses to run as root.
fn as_ordinary_user() -> Command {
    let is_root = Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|id| id.stdout == b"0\n");
    if !is_root {
        return Command::new("env");
    }
    let has_user = |name: &str| {
        Command::new("id")
            .arg(name)
            .output()
            .is_ok_and(|id| id.status.success())
    };
    let user = match has_user("postgres") {
        true => "postgres",
        false => "nobody",
    };
    let mut command = Command::new("setpriv");
    command.args(["--reuid", user, "--clear-groups"]);
    command
}
