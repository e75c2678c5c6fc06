//! Sending a request, again if need be, until an answer begins.

use super::backoff::{self, is_passing, retry_after};
use super::body;
use super::client::HttpClient;
use super::endpoint::shown;
use super::failure::Failure;
use super::outgoing::Outgoing;
use super::tls::distrusted;
use crate::error::Error;
use crate::trace::{self, WIRE};
use reqwest::Response;
use reqwest::header::RETRY_AFTER;
use std::error::Error as _;
use std::io;
use std::time::{Duration, Instant, SystemTime};
use tokio::time::timeout;

/// When the time of a request is over. A clock that cannot be set that far means no limit.
#[derive(Clone, Copy)]
pub(super) struct Deadline(Option<Instant>);

impl Deadline {
    fn after(limit: Duration) -> Self {
        Self(Instant::now().checked_add(limit))
    }

    fn left(self) -> Duration {
        match self.0 {
            Some(deadline) => deadline.saturating_duration_since(Instant::now()),
            None => Duration::MAX,
        }
    }
}

impl HttpClient {
    /// Sends a JSON text and reads the answer. Dropping the future gives the request up.
    pub(crate) async fn post(&self, outgoing: &Outgoing<'_>) -> Result<Vec<u8>, Error> {
        let failure = outgoing.failure();
        let (response, deadline) = self.exchange(outgoing).await?;
        let status = response.status().as_u16();
        let body = timeout(deadline.left(), body::whole(response, &failure)).await;
        let body = body.unwrap_or_else(|_| Err(failure.late()))?;
        tracing::trace!(target: WIRE, status, body = %failure.redacted(&body), "response");
        Ok(body)
    }

    /// Sends a request until an answer with a status of success begins; says how long the rest of it
    /// may take.
    pub(super) async fn exchange(
        &self,
        outgoing: &Outgoing<'_>,
    ) -> Result<(Response, Deadline), Error> {
        let failure = outgoing.failure();
        let client = self.client()?;
        tracing::trace!(
            target: WIRE,
            url = failure.redacted(shown(&outgoing.url).as_bytes()),
            // A model may be told the key by a tool or a user, and say it again.
            body = %failure.redacted(&outgoing.body),
            "request"
        );
        trace::record_server(&outgoing.url);
        let deadline = Deadline::after(self.settings.timeout);
        let mut tried = 0;
        let mut resent = trace::Resent::never();
        loop {
            tried += 1;
            // Not the client's own limit, which would also be one on a streamed answer.
            let sent = timeout(deadline.left(), client.execute(outgoing.request())).await;
            let sent = sent.map_err(|_| failure.late())?;
            let (error, wait) = match sent {
                Ok(response) if response.status().is_success() => {
                    if let Some(id) = body::request_id(&response) {
                        tracing::debug!(request_id = failure.quote(&id), "answered");
                    }
                    return Ok((response, deadline));
                }
                Ok(response) => passing_status(response, &failure).await?,
                Err(error) => (passing_transport(error, &failure)?, None),
            };
            let left = deadline.left();
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
            resent.once_more();
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
