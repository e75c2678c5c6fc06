//! The URLs, headers and resource attributes that follow from the settings and the environment.

use crate::OtelSettings;
use agent_tool::Error;
use opentelemetry::KeyValue;
use opentelemetry_sdk::Resource;
use reqwest::Url;
use reqwest::header::{CONNECTION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};

const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
const HEADERS: &str = "OTEL_EXPORTER_OTLP_HEADERS";
const PROTOCOL: &str = "OTEL_EXPORTER_OTLP_PROTOCOL";
const RESOURCE: &str = "OTEL_RESOURCE_ATTRIBUTES";

/// The default base URL of a collector.
const DEFAULT_ENDPOINT: &str = "http://localhost:4318";

/// Refuses other protocols than `http/protobuf`, because a collector would not understand the messages.
pub(crate) fn check_protocol(settings: &OtelSettings) -> Result<(), Error> {
    match settings.environment.get(PROTOCOL) {
        Some(asked) if asked != "http/protobuf" => Err(Error::configuration(format!(
            "the variable `{PROTOCOL}` asks for `{asked}`, and only `http/protobuf` is spoken here"
        ))),
        _ => Ok(()),
    }
}

/// Returns the URL for one kind of telemetry: `traces` or `metrics`.
pub(crate) fn url(settings: &OtelSettings, kind: &str) -> Result<Url, Error> {
    let own = format!("OTEL_EXPORTER_OTLP_{}_ENDPOINT", kind.to_ascii_uppercase());
    let (place, text, is_base) = if let Some(endpoint) = &settings.endpoint {
        ("the endpoint".to_owned(), endpoint.clone(), true)
    } else if let Some(whole) = settings.environment.get(&own) {
        (format!("the variable `{own}`"), whole, false)
    } else {
        let base = settings.environment.get(ENDPOINT);
        let base = base.unwrap_or_else(|| DEFAULT_ENDPOINT.to_owned());
        (format!("the variable `{ENDPOINT}`"), base, true)
    };
    let text = match is_base {
        true => format!("{}/v1/{kind}", text.trim_end_matches('/')),
        false => text,
    };
    // The error does not quote the URL, which may contain a password.
    let wrong = || {
        Error::configuration(format!(
            "{place} of the telemetry is no http or https address, such as {DEFAULT_ENDPOINT}"
        ))
    };
    let url = Url::parse(&text).map_err(|_| wrong())?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        _ => Err(wrong()),
    }
}

/// Returns the headers of every message.
pub(crate) fn headers(settings: &OtelSettings) -> Result<HeaderMap, Error> {
    let mut headers = HeaderMap::new();
    let listed = settings.environment.get(HEADERS).unwrap_or_default();
    let listed = pairs(&listed).ok_or_else(|| not_pairs(HEADERS))?;
    for (name, value) in listed.iter().chain(&settings.headers) {
        let parsed = (HeaderName::try_from(name), HeaderValue::try_from(value));
        let (Ok(name), Ok(mut value)) = parsed else {
            return Err(bad_header(name));
        };
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    let protobuf = HeaderValue::from_static("application/x-protobuf");
    headers.insert(CONTENT_TYPE, protobuf);
    // The runtime of the sender is idle between messages, so it would not notice that the server closes a
    // connection.
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    Ok(headers)
}

/// Returns the resource, which describes the program.
pub(crate) fn resource(settings: &OtelSettings) -> Result<Resource, Error> {
    let listed = settings.environment.get(RESOURCE).unwrap_or_default();
    let listed = pairs(&listed).ok_or_else(|| not_pairs(RESOURCE))?;
    let name = settings.service_name.clone();
    let name = name.or_else(|| settings.environment.get("OTEL_SERVICE_NAME"));
    let named = listed.iter().any(|(key, _)| key == "service.name");
    let name = name.or_else(|| (!named).then(|| "agent-runtime".to_owned()));
    let attributes = listed
        .into_iter()
        .map(|(key, value)| KeyValue::new(key, value));
    let mut resource = Resource::builder_empty().with_attributes(attributes);
    if let Some(name) = name {
        resource = resource.with_service_name(name);
    }
    Ok(resource.build())
}

/// Returns the error of a header that cannot be sent. It does not quote the value, which may be a key.
fn bad_header(name: &str) -> Error {
    Error::configuration(format!(
        "the header `{}` cannot be sent: a name is made of letters, digits and `-`, and a value \
         holds no line end",
        name.escape_debug()
    ))
}

fn not_pairs(variable: &str) -> Error {
    Error::configuration(format!(
        "the variable `{variable}` is no list of the form `name=value,name=value`"
    ))
}

/// Parses `name=value,name=value` with percent-encoded values.
fn pairs(text: &str) -> Option<Vec<(String, String)>> {
    let parts = text
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty());
    let pair = |part: &str| {
        let (name, value) = part.split_once('=')?;
        Some((name.trim().to_owned(), percent_decoded(value.trim())?))
    };
    parts.map(pair).collect()
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut pieces = text.split('%');
    bytes.extend_from_slice(pieces.next().unwrap_or_default().as_bytes());
    for piece in pieces {
        let digits = piece.get(..2)?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend_from_slice(&piece.as_bytes()[2..]);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_tool::Environment;

    fn settings(pairs: &[(&str, &str)]) -> OtelSettings {
        let environment = Environment::from_pairs(pairs.iter().copied());
        OtelSettings::new().environment(environment)
    }

    #[track_caller]
    fn check_url(settings: &OtelSettings, kind: &str, expected: &str) {
        assert_eq!(url(settings, kind).expect("an address").as_str(), expected);
    }

    #[test]
    fn the_endpoint_setting_wins_over_the_variables() {
        check_url(&settings(&[]), "traces", "http://localhost:4318/v1/traces");
        let base = [(ENDPOINT, "https://otel.example/in/")];
        check_url(
            &settings(&base),
            "metrics",
            "https://otel.example/in/v1/metrics",
        );
        let own = [
            base[0],
            ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://t.example/x"),
        ];
        check_url(&settings(&own), "traces", "http://t.example/x");
        check_url(
            &settings(&own),
            "metrics",
            "https://otel.example/in/v1/metrics",
        );
        let said = settings(&own).endpoint("http://c.example:1");
        check_url(&said, "traces", "http://c.example:1/v1/traces");
    }

    #[test]
    fn refuses_invalid_urls_without_quoting_them() {
        for wrong in ["me:hush@otel.example", "ftp://me:hush@otel.example", ""] {
            let settings = settings(&[]).endpoint(wrong);
            let error = url(&settings, "traces")
                .expect_err("no address")
                .to_string();
            assert!(error.contains("no http or https address"), "{error}");
            assert!(!error.contains("hush"), "{error}");
        }
    }

    #[test]
    fn parses_headers_and_attributes_as_lists_of_pairs() {
        let said = settings(&[(HEADERS, "x-key=a%20b%2Cc , x-team=blue")]).header("x-team", "red");
        let headers = headers(&said).expect("headers");
        assert_eq!(headers["x-key"], "a b,c");
        assert_eq!(headers["x-team"], "red");
        for wrong in ["x-key", "x-key=%", "x-key=%zz", "x-key=%ff", "x key=1"] {
            let error = super::headers(&settings(&[(HEADERS, wrong)]));
            assert!(error.expect_err(wrong).is_configuration(), "{wrong}");
        }
        let named = |pairs: &[(&str, &str)]| {
            let resource = resource(&settings(pairs)).expect("a resource");
            resource
                .get(&"service.name".into())
                .map(|name| name.to_string())
        };
        assert_eq!(named(&[]).as_deref(), Some("agent-runtime"));
        let attributes = (RESOURCE, "service.name=a,deployment.environment.name=test");
        assert_eq!(named(&[attributes]).as_deref(), Some("a"));
        let name = ("OTEL_SERVICE_NAME", "b");
        assert_eq!(named(&[attributes, name]).as_deref(), Some("b"));
    }

    #[test]
    fn refuses_other_protocols() {
        let error = check_protocol(&settings(&[(PROTOCOL, "grpc")])).expect_err("not spoken");
        assert!(error.to_string().contains("`grpc`"), "{error}");
        assert!(check_protocol(&settings(&[(PROTOCOL, "http/protobuf")])).is_ok());
    }
}
