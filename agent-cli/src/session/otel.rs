//! Export of traces and metrics to an OpenTelemetry collector.

use agent_otel::{Otel, OtelSettings};
use agent_runtime::{Environment, Error};

/// Starts the export, if the environment names a collector.
pub(super) fn start(environment: &Environment) -> Result<Option<Otel>, Error> {
    let endpoints = [
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
        "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
    ];
    if !endpoints
        .iter()
        .any(|endpoint| environment.get(endpoint).is_some())
    {
        return Ok(None);
    }
    Otel::start(settings(environment)).map(Some)
}

/// Returns the settings in the environment. Without an address, the collector is the usual collector of this
/// machine.
pub(crate) fn settings(environment: &Environment) -> OtelSettings {
    let mut settings = OtelSettings::new().environment(environment.clone());
    let attributes = environment.get("OTEL_RESOURCE_ATTRIBUTES");
    let is_named = attributes.is_some_and(|attributes| attributes.contains("service.name="));
    if !is_named && environment.get("OTEL_SERVICE_NAME").is_none() {
        settings = settings.service_name("agent");
    }
    settings
}
