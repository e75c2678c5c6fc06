use agent_runtime::tool;

use std::sync::Mutex;

static COUNT: Mutex<u64> = Mutex::new(0);

async fn wait() {}

/// Counts
#[tool]
async fn count() -> u64 {
    let mut count = COUNT.lock().unwrap();
    wait().await;
    *count += 1;
    *count
}

fn main() {}
