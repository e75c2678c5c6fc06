//! Exporting what a run does to an OpenTelemetry collector.

use agent_otel::{Otel, OtelSettings};
use agent_runtime::{Environment, Error};

/// Starts it when the environment names a collector.
pub(super) fn start(environment: &Environment) -> Result<Option<Otel>, Error> {
    let places = [
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
        "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
    ];
    if !places.iter().any(|place| environment.get(place).is_some()) {
        return Ok(None);
    }
    let mut settings = OtelSettings::new().environment(environment.clone());
    let attributes = environment.get("OTEL_RESOURCE_ATTRIBUTES");
    let is_named = attributes.is_some_and(|attributes| attributes.contains("service.name="));
    if !is_named && environment.get("OTEL_SERVICE_NAME").is_none() {
        settings = settings.service_name("agent");
    }
    Otel::start(settings).map(Some)
}
