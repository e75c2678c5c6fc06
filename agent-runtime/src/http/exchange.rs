//! Sending a request, again if need be, until an answer begins.

use super::backoff::{self, is_passing, retry_after};
use super::body;
use super::client::HttpClient;
use super::endpoint::shown;
use super::failure::Failure;
use super::outgoing::Outgoing;
use super::tls::distrusted;
use crate::error::Error;
use crate::trace::WIRE;
use reqwest::header::RETRY_AFTER;
use reqwest::{Client, Request, Response};
use std::error::Error as _;
use std::io;
use std::time::{Duration, Instant, SystemTime};

/// Why a request got no answer.
pub(super) enum Unanswered {
    /// The time was over.
    Late,
    Failed(reqwest::Error),
}

impl HttpClient {
    /// Sends a JSON text and reads the answer. Dropping the future gives the request up.
    pub(crate) async fn post(&self, outgoing: &Outgoing<'_>) -> Result<Vec<u8>, Error> {
        let failure = outgoing.failure();
        let send = |client: Client, mut request: Request, left: Duration| async move {
            *request.timeout_mut() = Some(left);
            let sent = client.execute(request).await;
            sent.map_err(Unanswered::Failed)
        };
        let response = self.exchange(outgoing, send).await?;
        let body = body::whole(response, &failure).await?;
        tracing::trace!(target: WIRE, body = %failure.masked(&body), "response");
        Ok(body)
    }

    /// Sends a request until an answer with a status of success begins. `send` sends it once,
    /// within the time that is left.
    pub(super) async fn exchange<F>(
        &self,
        outgoing: &Outgoing<'_>,
        send: impl Fn(Client, Request, Duration) -> F,
    ) -> Result<Response, Error>
    where
        F: Future<Output = Result<Response, Unanswered>>,
    {
        let failure = outgoing.failure();
        let client = self.client()?;
        tracing::trace!(
            target: WIRE,
            url = shown(&outgoing.url),
            // A model may be told the key by a tool or a user, and say it again.
            body = failure.masked(&outgoing.body),
            "request"
        );
        // A clock that cannot be set that far means no limit.
        let deadline = Instant::now().checked_add(self.settings.timeout);
        let left = || match deadline {
            Some(deadline) => deadline.saturating_duration_since(Instant::now()),
            None => Duration::MAX,
        };
        let mut tried = 0;
        loop {
            tried += 1;
            let (error, wait) = match send(client.clone(), outgoing.request(), left()).await {
                Ok(response) if response.status().is_success() => {
                    if let Some(id) = body::request_id(&response) {
                        tracing::debug!(request_id = failure.quote(&id), "answered");
                    }
                    return Ok(response);
                }
                Ok(response) => passing_status(response, &failure).await?,
                Err(Unanswered::Late) => return Err(failure.late()),
                Err(Unanswered::Failed(error)) => (passing_transport(error, &failure)?, None),
            };
            let left = left();
            let asked = wait.filter(|wait| *wait >= left);
            let wait = wait.unwrap_or_else(|| self.settings.retry.pause(tried));
            if tried >= self.settings.retry.tries || wait >= left {
                return Err(match asked {
                    Some(asked) => error.and(&backoff::too_long(asked, left)),
                    None => error,
                });
            }
            // Without the error's text, which may quote what was said.
            let provider = &outgoing.endpoint.provider;
            tracing::debug!(provider, tried, ?wait, "a request is sent again");
            tokio::time::sleep(wait).await;
        }
    }
}

/// The error of a status that may pass, and how long the server wants to be left alone.
async fn passing_status(
    response: Response,
    failure: &Failure<'_>,
) -> Result<(Error, Option<Duration>), Error> {
    let passing = is_passing(response.status().as_u16());
    let wait = body::header(&response, RETRY_AFTER.as_str())
        .and_then(|text| retry_after(&text, SystemTime::now()));
    let error = body::error(response, failure).await;
    if passing {
        Ok((error, wait))
    } else {
        Err(error)
    }
}

/// The error of a request that got no answer at all, when sending it again may help: the server
/// cannot be reached, or closed a connection that was kept open for the next request.
fn passing_transport(error: reqwest::Error, failure: &Failure<'_>) -> Result<Error, Error> {
    if let Some(why) = distrusted(&error) {
        Err(failure.transport(&why, error))
    } else if error.is_connect() {
        Ok(failure.transport("cannot be reached", error))
    } else if error.is_timeout() {
        Err(failure.late())
    } else {
        let passing = was_closed(&error);
        let error = failure.transport("gave no answer", error);
        if passing { Ok(error) } else { Err(error) }
    }
}

/// Whether the connection ended before an answer began, which happens to one that was kept open when
/// the server gives it up at the moment the next request is sent.
fn was_closed(error: &reqwest::Error) -> bool {
    let mut cause = error.source();
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<hyper::Error>()
            && (error.is_incomplete_message() || error.is_canceled())
        {
            return true;
        }
        if let Some(error) = error.downcast_ref::<io::Error>() {
            use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset};
            return matches!(
                error.kind(),
                BrokenPipe | ConnectionAborted | ConnectionReset
            );
        }
        cause = error.source();
    }
    false
}
