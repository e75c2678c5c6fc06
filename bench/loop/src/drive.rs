//! Runs of one contender, in a process of their own.

use crate::contender::{ANSWER, Contender, Failure, Prepared};
use bench_shared::process::{peak_memory, this_program_on_core};
use bench_shared::time::cpu_nanos;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
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
        let mut child = this_program_on_core(0)?
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
    let output = this_program_on_core(1)?
        .args(words)
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err(format!("`{}` failed", words.join(" ")).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// One contender under one load.
pub(crate) struct Drive {
    pub(crate) contender: Contender,
    pub(crate) at_a_time: usize,
    pub(crate) runs: usize,
    pub(crate) base_url: String,
}

/// Makes the runs, and prints what came of them.
pub(crate) async fn drive(drive: &Drive) -> Result<(), Failure> {
    let prepared = drive.contender.prepare(&drive.base_url).await?;
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
            "peakBytes": peak_memory("self"),
            "cpuMicros": cpu_nanos() as f64 / 1e3 / (took.len() + warm) as f64,
        })
    );
    Ok(())
}

/// How long each run took, in nanoseconds.
async fn runs(prepared: &Prepared, at_a_time: usize, runs: usize) -> Result<Vec<u64>, Failure> {
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
