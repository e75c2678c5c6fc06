//! The mail for a run that is driven.

use crate::conversation::StoreError;
use crate::journal::{Journal, Lease, ReceivedMail, RunWatch};
use agent_tool::trace::TARGET;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// The interval at which a journal without notifications is asked for mail: whenever the lease is renewed.
const INTERVAL: Duration = Duration::from_secs(Lease::LIFETIME.as_secs() / 3);

/// The mail of a run in its journal.
pub(super) struct Mailbox {
    journal: Arc<dyn Journal>,
    lease: Lease,
    watch: Option<RunWatch>,
    /// Whether the journal has reported a change since the mail was read.
    has_notification: bool,
    /// The time at which a journal without notifications is asked again.
    next: Instant,
    /// The number of the last mail that was taken.
    last: u64,
}

impl Mailbox {
    pub(super) fn new(journal: Arc<dyn Journal>, lease: Lease) -> Self {
        let watch = journal.watch(&lease.run);
        // An earlier holder may have left mail.
        let is_new = lease.number == 1;
        let now = Instant::now();
        Self {
            journal,
            lease,
            watch,
            has_notification: !is_new,
            next: if is_new { now + INTERVAL } else { now },
            last: 0,
        }
    }

    /// Returns the mail that arrived since the last call, if it is time to look for it.
    ///
    /// A journal that cannot be read is asked again later, because the run does not need it until its next commit.
    ///
    /// # Errors
    /// When another process took the run over.
    pub(super) async fn take(&mut self) -> Result<Vec<ReceivedMail>, StoreError> {
        let is_due = match self.watch {
            Some(_) => self.has_notification,
            None => self.next <= Instant::now(),
        };
        if !is_due {
            return Ok(Vec::new());
        }
        let read = self.journal.mail(&self.lease).await;
        (self.has_notification, self.next) = (false, Instant::now() + INTERVAL);
        let mut mail = match read {
            Err(error) if !error.is_lease_lost() => {
                let run = &self.lease.run;
                tracing::warn!(target: TARGET, run, %error, "the mail of a run cannot be read");
                return Ok(Vec::new());
            }
            read => read?,
        };
        mail.retain(|received| received.number > self.last);
        self.last = mail.last().map_or(self.last, |received| received.number);
        Ok(mail)
    }

    /// Waits until there may be mail. A journal without notifications is asked when the lease is renewed.
    pub(super) async fn arrived(&mut self) {
        match &mut self.watch {
            Some(watch) => watch.changed().await,
            None => sleep_until(self.next).await,
        }
        self.has_notification = true;
    }
}
