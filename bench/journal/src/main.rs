//! Runs that are kept in a journal, beside runs without one and the syncs of the disk.

#[path = "../../../agent-store/tests/support/postgres_server.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod postgres_server;

use agent_runtime::conversation::ToolCall;
use agent_runtime::journal::{Journal, RunFilter};
use agent_runtime::model::{ChatFuture, ChatModel, ModelReply, ModelRequest};
use agent_runtime::run::{Decision, RunOutcome};
use agent_runtime::{Agent, Runtime, ToolLibrary, agent, tool, tools};
use agent_store::{PostgresJournal, SqliteJournal};
use bench_shared::process::peak_memory;
use bench_shared::time::cpu_nanos;
use bench_shared::{Failure, Options, Table, interleaved, median};
use postgres_server::Server;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Greets
#[tool(inline)]
fn greet(name: &str) -> String {
    format!("Hello, {name}!")
}

/// Pays
#[tool(inline, requires_approval)]
fn pay(name: &str) -> String {
    format!("{name} is paid.")
}

static GREETER: Agent = agent! {
    tools: [greet],
    [greeter:Agent {instruction: "Greet.", model: "Scripted/any"} | greet]
};

static PAYER: Agent = agent! {
    tools: [pay],
    [payer:Agent {instruction: "Pay.", model: "Scripted/any"} | pay]
};

/// A model that calls the only tool, and then answers.
struct Caller;

impl ChatModel for Caller {
    fn chat<'a>(&'a self, request: &'a ModelRequest) -> ChatFuture<'a> {
        let calls = request.messages.len() == 1;
        let tool = request.tools.first().filter(|_| calls);
        let reply = match tool {
            Some(tool) => {
                let call = ToolCall::new("1", tool.name(), r#"{"name": "Ada"}"#);
                ModelReply::calls([call])
            }
            None => ModelReply::text("I greeted Ada."),
        };
        Box::pin(async move { Ok(reply) })
    }
}

/// The commits of a run: the start, the call, its result, and the end.
const COMMITS: f64 = 4.0;

/// A journal of runs.
#[derive(Clone, Copy)]
enum Kept<'p> {
    Nowhere,
    In(&'p Path),
    By(&'p Server),
}

/// The measures of some runs.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
struct Measured {
    cpu_micros: f64,
    per_second: f64,
}

fn main() -> Result<(), Failure> {
    let mut options = Options::of_process();
    let is_quick = options.flag("--quick");
    let folder: Option<PathBuf> = options.value("--folder")?;
    let memory: Option<PathBuf> = options.value("--memory")?;
    let rounds = options.rounds(if is_quick { 1 } else { 3 })?;
    options.finish()?;
    let disk = Folder::new(folder.unwrap_or_else(std::env::temp_dir))?;
    let memory = memory.unwrap_or_else(|| PathBuf::from("/dev/shm"));
    let memory = match memory.is_dir() {
        true => Some(Folder::new(memory)?),
        false => None,
    };
    let tokio = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let loads: &[(usize, usize)] = match is_quick {
        true => &[(1, 20), (64, 128)],
        false => &[(1, 1_000), (64, 20_000), (1_024, 40_000)],
    };
    let time = Duration::from_millis(if is_quick { 50 } else { 2_000 });
    println!("syncs of the disk: {:.0} a second\n", syncs(&disk.0, time)?);

    let mut kept = vec![
        ("without a journal", Kept::Nowhere),
        ("SQLite on the disk", Kept::In(&disk.0)),
    ];
    if let Some(memory) = &memory {
        kept.push(("SQLite in memory", Kept::In(&memory.0)));
    }
    // Both servers have their files on the disk of the temporary folder.
    let server = Server::start(&[], None);
    kept.push(("PostgreSQL", Kept::By(&server)));
    let unsynced = Server::start(&["fsync=off"], None);
    kept.push(("PostgreSQL, no syncs", Kept::By(&unsynced)));
    let heads = [
        "at a time",
        "journal",
        "runs a second",
        "commits a second",
        "ms a commit",
        "CPU µs a run",
    ];
    let mut table = Table::with_labels(2, heads);
    for (at_a_time, runs) in loads {
        let results = interleaved(kept.clone(), rounds, |(_, kept)| {
            tokio.block_on(measure(*kept, *at_a_time, *runs))
        })?;
        for ((name, kept), results) in kept.iter().zip(results) {
            let per_second = median(results.iter().map(|measured| measured.per_second));
            let cpu = median(results.iter().map(|measured| measured.cpu_micros));
            let commits = per_second * COMMITS;
            let [commits, latency] = match kept {
                Kept::Nowhere => [String::new(), String::new()],
                _ => [
                    format!("{commits:.0}"),
                    format!("{:.2}", *at_a_time as f64 * 1e3 / commits),
                ],
            };
            table.row([
                at_a_time.to_string(),
                (*name).to_owned(),
                format!("{per_second:.0}"),
                commits,
                latency,
                format!("{cpu:.1}"),
            ]);
        }
    }
    println!("{table}");
    let count = if is_quick { 100 } else { 10_000 };
    tokio.block_on(waiting_in_file(&disk.0, count))?;
    tokio.block_on(waiting_in_database(&server, count))
}

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(parent: PathBuf) -> Result<Self, Failure> {
        let folder = parent.join(format!("bench-journal-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The number of times in a second that a page can be added to a file and synced.
fn syncs(folder: &Path, time: Duration) -> Result<f64, Failure> {
    let mut file = File::create(folder.join("syncs"))?;
    let (begin, mut count) = (Instant::now(), 0_u32);
    while begin.elapsed() < time {
        file.write_all(&[1; 4_096])?;
        file.sync_data()?;
        count += 1;
    }
    Ok(f64::from(count) / begin.elapsed().as_secs_f64())
}

/// Makes runs, so many at a time.
async fn measure(kept: Kept<'_>, at_a_time: usize, runs: usize) -> Result<Measured, Failure> {
    let mut builder = Runtime::builder().model(Caller);
    builder = match kept {
        Kept::Nowhere => builder,
        Kept::In(folder) => {
            let file = folder.join("runs.db");
            let _ = std::fs::remove_file(&file);
            builder.journal(SqliteJournal::open(file).await?)
        }
        Kept::By(server) => {
            static COUNT: AtomicUsize = AtomicUsize::new(0);
            let schema = format!("runs_{}", COUNT.fetch_add(1, Ordering::Relaxed));
            builder.journal(PostgresJournal::connect(&server.url(&schema)).await?)
        }
    };
    let runtime = builder.build()?;
    let (cpu, begin) = (cpu_nanos(), Instant::now());
    let workers: Vec<_> = (0..at_a_time)
        .map(|_| {
            let runtime = runtime.clone();
            let library = tools![greet];
            tokio::spawn(async move {
                for _ in 0..runs / at_a_time {
                    let run = runtime.run(&GREETER, "Hello, I'm Ada").tools(&library);
                    assert_eq!(run.await?.content, "I greeted Ada.");
                }
                Ok::<_, agent_runtime::Error>(())
            })
        })
        .collect();
    for worker in workers {
        worker.await??;
    }
    let made = (runs / at_a_time * at_a_time) as f64;
    Ok(Measured {
        cpu_micros: (cpu_nanos() - cpu) as f64 / 1e3 / made,
        per_second: made / begin.elapsed().as_secs_f64(),
    })
}

/// Fills a file with runs that wait, and continues each.
async fn waiting_in_file(folder: &Path, count: usize) -> Result<(), Failure> {
    let file = folder.join("waiting.db");
    println!("SQLite on the disk:");
    waiting_runs(SqliteJournal::open(&file).await?, count).await?;
    println!("{}\n", size(std::fs::metadata(&file)?.len(), count));
    Ok(())
}

/// Fills a database with runs that wait, and continues each.
async fn waiting_in_database(server: &Server, count: usize) -> Result<(), Failure> {
    println!("PostgreSQL:");
    waiting_runs(
        PostgresJournal::connect(&server.url("waiting")).await?,
        count,
    )
    .await?;
    let sql = "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c WHERE relkind = 'r' AND
               relnamespace = 'waiting'::regnamespace";
    println!("{}", size(server.sql("agents", sql).parse()?, count));
    Ok(())
}

fn size(bytes: u64, count: usize) -> String {
    let megabytes = megabytes(bytes);
    let each = megabytes * 1e3 / count as f64;
    format!("size: {megabytes:.1} MB, {each:.2} KB a run")
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// Fills a journal with runs that wait, and continues each.
async fn waiting_runs(journal: impl Journal + Clone, count: usize) -> Result<(), Failure> {
    let start = peak_memory("self");
    let runtime = Runtime::builder()
        .model(Caller)
        .journal(journal.clone())
        .build()?;
    let library = tools![pay];
    let begin = Instant::now();
    at_once(count, |_| pause(runtime.clone(), library.clone())).await?;
    println!(
        "{count} runs that wait, made in {:.1} s",
        begin.elapsed().as_secs_f64()
    );
    let before = peak_memory("self");
    let begin = Instant::now();
    let listed = journal.list(&RunFilter::new()).await?;
    println!("listed in {:.1} ms", begin.elapsed().as_secs_f64() * 1e3);
    let begin = Instant::now();
    at_once(listed.len(), |at| {
        resume(runtime.clone(), library.clone(), listed[at].run.clone())
    })
    .await?;
    let seconds = begin.elapsed().as_secs_f64();
    println!(
        "continued to the end in {seconds:.1} s, {:.0} a second",
        count as f64 / seconds
    );
    if let (Some(start), Some(before), Some(peak)) = (start, before, peak_memory("self")) {
        let [start, before, peak] = [start, before, peak].map(megabytes);
        println!(
            "most memory: {start:.1} MB at the start, {before:.1} MB when all wait, {peak:.1} MB at the end"
        );
    }
    Ok(())
}

/// Awaits tasks, 64 at a time.
async fn at_once<F>(count: usize, task: impl Fn(usize) -> F) -> Result<(), Failure>
where
    F: Future<Output = Result<(), agent_runtime::Error>> + Send + 'static,
{
    let numbers: Vec<usize> = (0..count).collect();
    for numbers in numbers.chunks(64) {
        let tasks: Vec<_> = numbers.iter().map(|at| tokio::spawn(task(*at))).collect();
        for task in tasks {
            task.await??;
        }
    }
    Ok(())
}

async fn pause(runtime: Runtime, library: ToolLibrary) -> Result<(), agent_runtime::Error> {
    match runtime.run(&PAYER, "Pay Ada.").tools(&library).await {
        Err(error) if error.is_awaiting_approval() => Ok(()),
        ended => ended.map(|_| panic!("the run waits for a person")),
    }
}

async fn resume(
    runtime: Runtime,
    library: ToolLibrary,
    run: String,
) -> Result<(), agent_runtime::Error> {
    let decision = ("1".to_owned(), Decision::Approve);
    let recovered = runtime
        .recover_run(&run)
        .tools(&library)
        .decisions([decision])
        .await?;
    assert!(matches!(recovered.outcome?, RunOutcome::Done(_)));
    Ok(())
}
