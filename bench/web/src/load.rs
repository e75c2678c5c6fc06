//! Many clients at one server.

use crate::client::ask;
use crate::model::Model;
use crate::server::{Contender, ServerProcess};
use bench_shared::Failure;
use bench_shared::process::{cpu_time, peak_memory};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The answers that each client reads, one after the other.
const ANSWERS: u32 = 2;

/// So many streams of so many pieces a second.
#[derive(Clone, Copy)]
pub(crate) struct Load {
    pub(crate) streams: u32,
    pub(crate) per_second: u32,
    /// How long the model takes for an answer.
    answer: Duration,
}

/// The result of one server under one load.
pub(crate) struct Measured {
    pub(crate) pieces: usize,
    /// How often the model was asked again.
    pub(crate) repeated: usize,
    /// The server's CPU time by the time that passed.
    pub(crate) core_share: f64,
    /// The server's CPU time for each piece that arrived.
    pub(crate) cpu_micros: f64,
    /// The server's memory for each stream, beyond what it had before the first.
    pub(crate) stream_bytes: f64,
    /// The time from the model to the client, in microseconds.
    pub(crate) p50: f64,
    pub(crate) p99: f64,
}

impl Load {
    pub(crate) fn new(streams: u32, per_second: u32, answer: Duration) -> Self {
        Self {
            streams,
            per_second,
            answer,
        }
    }

    /// Lets the clients read their answers. They begin one after the other during the time of one answer, so that the load
    /// is even.
    pub(crate) async fn measure(self, contender: Contender) -> Result<Measured, Failure> {
        let interval = Duration::from_secs(1) / self.per_second;
        let pieces = usize::try_from(self.answer.as_nanos() / interval.as_nanos())?;
        let model = Model::new(pieces, interval);
        let server = ServerProcess::start(contender, &Arc::clone(&model).serve().await?)?;
        let client = crate::server::client()?;
        // One answer first: connections are made, memory is allocated.
        let base_url: Arc<str> = server.base_url().into();
        ask(&client, contender, &base_url, pieces, &mut Vec::new()).await?;
        let requests = model.requests();
        let memory = peak_memory(&server.id()).unwrap_or_default();
        let cpu = cpu_time(&server.id()).unwrap_or_default();
        let begun = Instant::now();
        let clients = (0..self.streams).map(|number| {
            let (client, base_url) = (client.clone(), Arc::clone(&base_url));
            tokio::spawn(async move {
                tokio::time::sleep(self.answer * number / self.streams).await;
                let mut took = Vec::new();
                for _ in 0..ANSWERS {
                    ask(&client, contender, &base_url, pieces, &mut took).await?;
                }
                Ok::<Vec<u64>, Failure>(took)
            })
        });
        let clients: Vec<_> = clients.collect();
        let mut took = Vec::new();
        for client in clients {
            took.extend(client.await??);
        }
        let passed = begun.elapsed();
        let cpu = cpu_time(&server.id()).unwrap_or_default() - cpu;
        let memory = peak_memory(&server.id()).unwrap_or_default() - memory;
        took.sort_unstable();
        let at = |share: f64| took[((took.len() - 1) as f64 * share) as usize] as f64;
        Ok(Measured {
            pieces: took.len(),
            repeated: model.requests() - requests - (self.streams * ANSWERS) as usize,
            core_share: cpu.as_secs_f64() / passed.as_secs_f64(),
            cpu_micros: cpu.as_secs_f64() * 1e6 / took.len() as f64,
            stream_bytes: memory as f64 / f64::from(self.streams),
            p50: at(0.5),
            p99: at(0.99),
        })
    }
}
