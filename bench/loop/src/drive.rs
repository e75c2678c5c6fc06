//! Runs of one contender, in a process of their own.

use crate::contender::{ANSWER, Failure};
use crate::options::Drive;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// The server, as a process that ends with this one.
pub(crate) struct ServerProcess {
    child: Child,
    port: u16,
}

impl ServerProcess {
    pub(crate) fn start() -> Result<Self, Failure> {
        let mut child = on_core(0)?
            .arg("serve")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        let out = child.stdout.take().ok_or("no output")?;
        BufReader::new(out).read_line(&mut line)?;
        Ok(Self {
            child,
            port: line.trim().parse()?,
        })
    }

    pub(crate) fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs this program with other words, and reads the JSON that it prints.
pub(crate) fn ask(words: &[&str]) -> Result<Value, Failure> {
    let output = on_core(1)?.args(words).stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(format!("`{}` failed", words.join(" ")).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// This program, to be started on one core if the machine lets us say so: else it is chance whether a
/// contender shares its core with the server, and that counts for more than all that is measured.
fn on_core(core: usize) -> Result<Command, Failure> {
    let program = std::env::current_exe()?;
    if !pins() {
        return Ok(Command::new(program));
    }
    let mut command = Command::new("taskset");
    command.arg("--cpu-list").arg(core.to_string()).arg(program);
    Ok(command)
}

/// Whether processes can be held to cores.
pub(crate) fn pins() -> bool {
    let test = Command::new("taskset")
        .args(["--cpu-list", "1", "true"])
        .stderr(Stdio::null())
        .status();
    test.is_ok_and(|status| status.success())
}

/// Makes the runs, and prints what came of them.
pub(crate) async fn drive(drive: &Drive) -> Result<(), Failure> {
    let prepared = drive.contender.prepare(&drive.base_url)?;
    // One run each first: connections are made, memory is got.
    let warm = drive.at_a_time.max(200);
    runs(&prepared, drive.at_a_time, warm).await?;
    let before = Instant::now();
    let mut took = runs(&prepared, drive.at_a_time, drive.runs).await?;
    let seconds = before.elapsed().as_secs_f64();
    took.sort_unstable();
    let at = |share: f64| took[((took.len() - 1) as f64 * share) as usize] / 1_000;
    println!(
        "{}",
        json!({
            "runsPerSecond": took.len() as f64 / seconds,
            "p50": at(0.5),
            "p99": at(0.99),
            "peakKb": peak_kb(),
            "cpuMicros": cpu_micros()? / (took.len() + warm) as f64,
        })
    );
    Ok(())
}

/// How long each run took, in nanoseconds.
async fn runs(
    prepared: &crate::contender::Prepared,
    at_a_time: usize,
    runs: usize,
) -> Result<Vec<u64>, Failure> {
    let begun = Arc::new(AtomicUsize::new(0));
    let tasks: Vec<_> = (0..at_a_time)
        .map(|_| {
            let (prepared, begun) = (prepared.clone(), Arc::clone(&begun));
            tokio::spawn(async move {
                let mut took = Vec::new();
                while begun.fetch_add(1, Ordering::Relaxed) < runs {
                    let before = Instant::now();
                    let answer = prepared.run().await?;
                    took.push(u64::try_from(before.elapsed().as_nanos())?);
                    if answer != ANSWER {
                        return Err(format!("the answer is {answer:?}").into());
                    }
                }
                Ok::<_, Failure>(took)
            })
        })
        .collect();
    let mut took = Vec::with_capacity(runs);
    for task in tasks {
        took.extend(task.await??);
    }
    Ok(took)
}

/// The most memory that this process had.
fn peak_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let words = line.and_then(|line| line.split_whitespace().next());
    words.and_then(|word| word.parse().ok()).unwrap_or(0)
}

/// The time that this process had on CPUs, in microseconds.
fn cpu_micros() -> Result<f64, Failure> {
    let text = std::fs::read_to_string("/proc/self/stat")?;
    let rest = text.rsplit_once(')').ok_or("a line of another form")?.1;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let ticks: u64 = fields[11].parse::<u64>()? + fields[12].parse::<u64>()?;
    // Linux counts in hundredths of a second for everybody.
    Ok(ticks as f64 * 10_000.0)
}
