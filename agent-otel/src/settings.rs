//! Where traces and metrics go, and as what.

use agent_runtime::{Environment, Error};
use std::fmt;
use std::time::Duration;

/// How long sending may take when nothing is said.
const TIMEOUT: Duration = Duration::from_secs(5);

/// What no limit is: as long as no program runs, and little enough for every clock.
const NO_LIMIT: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// How often metrics are sent when nothing is said.
const INTERVAL: Duration = Duration::from_secs(60);

/// Where traces and metrics go, and as what. What is said here beats the environment.
#[derive(Clone)]
#[must_use]
pub struct OtelSettings {
    pub(crate) environment: Environment,
    pub(crate) endpoint: Option<String>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) service_name: Option<String>,
    pub(crate) targets: Vec<String>,
    pub(crate) metric_interval: Duration,
    timeout: Option<Duration>,
}

impl Default for OtelSettings {
    fn default() -> Self {
        Self::new()
    }
}

impl OtelSettings {
    /// What the process's environment says, read when the export starts: `OTEL_SERVICE_NAME`,
    /// `OTEL_RESOURCE_ATTRIBUTES`, and `OTEL_EXPORTER_OTLP_` with `ENDPOINT`, `TRACES_ENDPOINT`,
    /// `METRICS_ENDPOINT`, `HEADERS`, `TIMEOUT` (in milliseconds, where 0 means no limit) and
    /// `PROTOCOL`, which can only be `http/protobuf`. Without an endpoint, `http://localhost:4318`.
    pub fn new() -> Self {
        Self {
            environment: Environment::process(),
            endpoint: None,
            headers: Vec::new(),
            service_name: None,
            targets: Vec::new(),
            metric_interval: INTERVAL,
            timeout: None,
        }
    }

    /// Where variables are looked up, proxies included, in place of the process's environment.
    pub fn environment(mut self, environment: Environment) -> Self {
        self.environment = environment;
        self
    }

    /// The collector's base URL, to which `/v1/traces` and `/v1/metrics` are added.
    pub fn endpoint(mut self, url: impl Into<String>) -> Self {
        self.endpoint = Some(url.into());
        self
    }

    /// A further header, such as one with a key. It is not shown anywhere.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// What the program is called; `agent-runtime` when nobody says.
    pub fn service_name(mut self, name: impl Into<String>) -> Self {
        self.service_name = Some(name.into());
        self
    }

    /// Also exports the spans of this target and those below it, such as a program's own crate, so
    /// that a run is seen within what asked for it. At first only runs, requests and calls are.
    pub fn also_target(mut self, target: impl Into<String>) -> Self {
        self.targets.push(target.into());
        self
    }

    /// How often metrics are sent, more than 0; every minute at first. What is left is sent at the end.
    pub fn metric_interval(mut self, interval: Duration) -> Self {
        self.metric_interval = interval;
        self
    }

    /// How long sending may take, more than 0; five seconds at first. No run waits for it.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    pub(crate) fn time_to_send(&self) -> Result<Duration, Error> {
        const VARIABLE: &str = "OTEL_EXPORTER_OTLP_TIMEOUT";
        check_not_zero("metric_interval", self.metric_interval)?;
        check_not_zero("timeout", self.timeout.unwrap_or(TIMEOUT))?;
        match (self.timeout, self.environment.get(VARIABLE)) {
            (Some(timeout), _) => Ok(timeout.min(NO_LIMIT)),
            (None, None) => Ok(TIMEOUT),
            (None, Some(text)) => match text.parse() {
                // As OpenTelemetry has it for every variable that is a timeout.
                Ok(0) => Ok(NO_LIMIT),
                Ok(milliseconds) => Ok(Duration::from_millis(milliseconds).min(NO_LIMIT)),
                Err(_) => Err(Error::configuration(format!(
                    "the variable `{VARIABLE}` is `{text}`, which is no number of milliseconds"
                ))),
            },
        }
    }
}

fn check_not_zero(name: &str, duration: Duration) -> Result<(), Error> {
    if !duration.is_zero() {
        return Ok(());
    }
    Err(Error::configuration(format!(
        "`{name}` is 0, which lets nothing be done; it is a length of time above 0, such as \
         `Duration::from_secs(10)`"
    )))
}

/// Shows no header's value.
impl fmt::Debug for OtelSettings {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<&str> = self.headers.iter().map(|(name, _)| &**name).collect();
        out.debug_struct("OtelSettings")
            .field("environment", &self.environment)
            .field("endpoint", &self.endpoint)
            .field("headers", &headers)
            .field("service_name", &self.service_name)
            .field("targets", &self.targets)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Otel;

    fn settings() -> OtelSettings {
        OtelSettings::new().environment(Environment::empty())
    }

    #[test]
    fn durations_of_zero_are_refused() {
        for (name, settings) in [
            ("timeout", settings().timeout(Duration::ZERO)),
            (
                "metric_interval",
                settings().metric_interval(Duration::ZERO),
            ),
        ] {
            let error = Otel::start(settings).map(drop).expect_err(name);
            let expected = format!(
                "`{name}` is 0, which lets nothing be done; it is a length of time above 0, such as \
                 `Duration::from_secs(10)`"
            );
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn a_timeout_of_zero_in_the_environment_is_no_limit() {
        let unlimited = Environment::from_pairs([("OTEL_EXPORTER_OTLP_TIMEOUT", "0")]);
        for settings in [
            OtelSettings::new().environment(unlimited),
            settings().timeout(Duration::MAX),
        ] {
            Otel::start(settings).map(drop).expect("no limit");
        }
    }
}
