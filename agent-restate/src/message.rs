//! A message from its beginning to its response, as the engine replays it. The code here depends only on data
//! that the engine has kept.

use crate::input::Decided;
use crate::media::Text;
use crate::progress::{Event, shortened};
use crate::session::Session;
use crate::step::{Outcome, WaitingCall};
use agent_runtime::__private::with_causes;
use restate_sdk::errors::TerminalError;
use std::sync::Arc;
use tokio::sync::Mutex;

/// The status codes of terminal errors.
pub(crate) mod code {
    pub(crate) const BAD_REQUEST: u16 = 400;
    pub(crate) const NOT_FOUND: u16 = 404;
    /// The code that the engine uses for a cancellation, too.
    pub(crate) const CANCELLED: u16 = 409;
    pub(crate) const TOO_LARGE: u16 = 413;
    pub(crate) const LIMIT: u16 = 429;
    pub(crate) const FAILED: u16 = 500;
}

/// The end of a request to the engine, because the message was cancelled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cancelled;

/// The engine, as a message uses it.
pub(crate) trait Engine: Send {
    /// Runs a step of the session, or returns the step that the engine has, as JSON.
    fn step(
        &mut self,
        name: String,
        session: Arc<Mutex<Session>>,
    ) -> impl Future<Output = Result<Vec<u8>, Cancelled>> + Send;

    /// Shows events to those who poll.
    fn show(&mut self, events: Vec<Event>);

    /// Waits for the decisions on calls. `refused` is the reason why earlier decisions did not fit.
    fn decisions(
        &mut self,
        calls: Vec<WaitingCall>,
        refused: Option<String>,
    ) -> impl Future<Output = Result<Vec<(String, Decided)>, Cancelled>> + Send;
}

/// The end of a message.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) response: Result<Text, TerminalError>,
    /// The messages that the run added to the conversation.
    pub(crate) added: Option<Text>,
}

/// Drives a run to its end.
///
/// # Errors
/// The reason why this worker cannot read the data that the engine has.
pub(crate) async fn run(engine: &mut impl Engine, session: Session) -> Result<Ended, String> {
    let session = Arc::new(Mutex::new(session));
    let (mut added, mut waiting, mut is_cancelled) = (None, Vec::new(), false);
    let mut decided: Vec<(String, Decided)> = Vec::new();
    loop {
        let name = session.lock().await.next_step();
        let Ok(step) = engine.step(name, Arc::clone(&session)).await else {
            session.lock().await.cancel();
            is_cancelled = true;
            continue;
        };
        let kept = session.lock().await.keep(&step);
        let kept = kept.map_err(|error| with_causes(&error))?;
        if !kept.events.is_empty() {
            engine.show(shortened(kept.events));
        }
        if kept.messages.is_some() {
            added = kept.messages;
        }
        let refused = match kept.outcome {
            None => continue,
            Some(Outcome::Done(response)) => {
                let response = Ok(response);
                return Ok(Ended { response, added });
            }
            Some(Outcome::Failed { kind, text }) => {
                let response = Err(failure(&kind, text));
                return Ok(Ended { response, added });
            }
            Some(Outcome::Waiting(calls)) => {
                waiting = calls;
                decided.clear();
                None
            }
            // The other decisions stay.
            Some(Outcome::Refused(text)) => {
                decided.retain(|(_, decided)| !decided.may_not_fit());
                Some(text)
            }
        };
        // Nobody can be asked any more.
        if is_cancelled || waiting.is_empty() {
            let text = refused.unwrap_or_else(|| "the message was cancelled".to_owned());
            let response = Err(failure("cancelled", text));
            return Ok(Ended { response, added });
        }
        let is_open = |call: &&WaitingCall| decided.iter().all(|(id, _)| *id != call.id);
        let mut asked: Vec<WaitingCall> = waiting.iter().filter(is_open).cloned().collect();
        if asked.is_empty() {
            asked.clone_from(&waiting);
            decided.clear();
        }
        match engine.decisions(asked, refused).await {
            Ok(more) => {
                decided.extend(more);
                let decided = decided.iter().cloned();
                let decided = decided.map(|(call, decided)| (call, decided.into()));
                session.lock().await.decide(decided.collect());
            }
            Err(Cancelled) => {
                session.lock().await.cancel();
                is_cancelled = true;
            }
        }
    }
}

fn failure(kind: &str, text: String) -> TerminalError {
    let code = match kind {
        "validation" => code::BAD_REQUEST,
        "cancelled" => code::CANCELLED,
        "tooLarge" => code::TOO_LARGE,
        "limit" => code::LIMIT,
        _ => code::FAILED,
    };
    TerminalError::new_with_code(code, text)
}
