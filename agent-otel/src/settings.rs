//! The settings of the export.

use agent_tool::{Environment, Error};
use std::fmt;
use std::time::Duration;

/// The default time limit of sending.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(5);

/// The longest time limit, which is also used for no limit: longer than any program runs, and small enough
/// for every clock.
const NO_LIMIT: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// The default interval at which metrics are sent.
const DEFAULT_INTERVAL: Duration = Duration::from_secs(60);

/// The settings of the export. They take precedence over the environment.
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
    /// Creates settings that follow the process's environment, which is read when the export starts:
    /// `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`, and `OTEL_EXPORTER_OTLP_` with `ENDPOINT`,
    /// `TRACES_ENDPOINT`, `METRICS_ENDPOINT`, `HEADERS`, `TIMEOUT` (in milliseconds, where 0 means no
    /// limit) and `PROTOCOL`, which can only be `http/protobuf`. The default endpoint is
    /// `http://localhost:4318`.
    pub fn new() -> Self {
        Self {
            environment: Environment::process(),
            endpoint: None,
            headers: Vec::new(),
            service_name: None,
            targets: Vec::new(),
            metric_interval: DEFAULT_INTERVAL,
            timeout: None,
        }
    }

    /// Replaces the process's environment, also for the variables of proxies and certificates.
    pub fn environment(mut self, environment: Environment) -> Self {
        self.environment = environment;
        self
    }

    /// Sets the collector's base URL, to which `/v1/traces` and `/v1/metrics` are appended.
    pub fn endpoint(mut self, url: impl Into<String>) -> Self {
        self.endpoint = Some(url.into());
        self
    }

    /// Adds a header, such as one with a key. Its value appears in no message and no `Debug` output.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sets the name of the program. The default is `agent-runtime`.
    pub fn service_name(mut self, name: impl Into<String>) -> Self {
        self.service_name = Some(name.into());
        self
    }

    /// Also exports the spans of this target and of targets below it. With the program's own crate, a run
    /// appears within the span that started it. By default only runs, requests and calls are exported.
    pub fn also_target(mut self, target: impl Into<String>) -> Self {
        self.targets.push(target.into());
        self
    }

    /// Sets the interval at which metrics are sent, which must not be zero. The default is one minute. The
    /// remaining metrics are sent at the end.
    pub fn metric_interval(mut self, interval: Duration) -> Self {
        self.metric_interval = interval;
        self
    }

    /// Sets the time limit of sending, which must not be zero. The default is five seconds. No run waits
    /// for it.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    pub(crate) fn effective_timeout(&self) -> Result<Duration, Error> {
        const VARIABLE: &str = "OTEL_EXPORTER_OTLP_TIMEOUT";
        check_not_zero("metric_interval", self.metric_interval)?;
        check_not_zero("timeout", self.timeout.unwrap_or(DEFAULT_TIMEOUT))?;
        match (self.timeout, self.environment.get(VARIABLE)) {
            (Some(timeout), _) => Ok(timeout.min(NO_LIMIT)),
            (None, None) => Ok(DEFAULT_TIMEOUT),
            (None, Some(text)) => match text.parse() {
                // OpenTelemetry defines 0 as no limit, for every timeout variable.
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

/// Omits the values of headers, which may be keys.
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
