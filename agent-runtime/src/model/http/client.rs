//! The client that all requests of a runtime share.

use super::backoff::Retry;
use super::connect;
use crate::env::Environment;
use crate::error::Error;
use reqwest::Client;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How requests are sent.
#[derive(Clone, Debug)]
pub(crate) struct HttpSettings {
    pub(crate) retry: Retry,
    /// How long a request may take, further tries included; of a streamed answer, until it begins.
    pub(crate) timeout: Duration,
    /// How long a streamed answer may send nothing at all.
    pub(crate) idle: Duration,
}

/// A client that is made when it is first needed: making one reads the system's certificates.
#[derive(Clone)]
pub(crate) struct HttpClient {
    client: Arc<Mutex<Option<Client>>>,
    environment: Environment,
    pub(super) settings: HttpSettings,
}

impl HttpClient {
    pub(crate) fn new(environment: Environment, settings: HttpSettings) -> Self {
        Self {
            client: Arc::default(),
            environment,
            settings,
        }
    }

    pub(super) fn client(&self) -> Result<Client, Error> {
        let mut held = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = &*held {
            return Ok(client.clone());
        }
        let client = connect::client(&self.environment)?;
        *held = Some(client.clone());
        Ok(client)
    }
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("HttpClient")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
