//! Ctrl-C, which stops a run.

use agent_runtime::Cancellation;
use std::process::exit;
use tokio::signal::ctrl_c;

/// The exit code of what Ctrl-C has ended, as shells give it.
const CODE: i32 = 130;

/// A signal that Ctrl-C gives. What came by then can be stored and shown; Ctrl-C once more ends the program
/// at once, since a file or a reader may keep it waiting.
pub(super) fn given_by_ctrl_c() -> Cancellation {
    let stop = Cancellation::new();
    let given = stop.clone();
    tokio::spawn(async move {
        // Where the system cannot tell, it ends the program as it always did.
        if ctrl_c().await.is_ok() {
            given.cancel();
            if ctrl_c().await.is_ok() {
                exit(CODE);
            }
        }
    });
    stop
}
