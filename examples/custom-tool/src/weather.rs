//! The tool.

use agent_runtime::ToolError;
use agent_runtime::serde_json::json;
use agent_runtime::tool::{DynamicTool, ToolConfig, ToolConfigError};
use std::time::Duration;

/// Creates the tool: its description, its input, its output, and its function.
pub(crate) fn get_weather() -> Result<DynamicTool, ToolConfigError> {
    let input = json!({
        "type": "object",
        "properties": {"city": {"type": "string", "description": "City name"}},
        "required": ["city"],
    });
    let output = json!({
        "type": "object",
        "properties": {"temperature": {"type": "number"}, "conditions": {"type": "string"}},
    });
    ToolConfig::with_schema("get_weather", "Get current weather for a city", input)
        .output_schema(output)
        .timeout(Duration::from_secs(5))
        // Asking twice changes nothing, so that asking again after a failure is safe.
        .idempotent(true)
        .build(async |input| {
            // The runtime validated the input against its schema, so this is a text.
            let city = input["city"].as_str().unwrap_or_default();
            let weather = fetch_weather(city).await?;
            Ok(json!({"temperature": weather.temperature, "conditions": weather.conditions}))
        })
}

struct Weather {
    city: &'static str,
    /// In degrees Celsius.
    temperature: f64,
    conditions: &'static str,
}

const WEATHER: [Weather; 4] = [
    of("Lima", 19.0, "foggy"),
    of("Nairobi", 24.5, "sunny"),
    of("Oslo", -3.5, "snowy"),
    of("Ulm", 11.0, "cloudy"),
];

const fn of(city: &'static str, temperature: f64, conditions: &'static str) -> Weather {
    Weather {
        city,
        temperature,
        conditions,
    }
}

/// Replaces a service, so that this runs anywhere and always gives the same answer. It yields, as a request
/// would.
async fn fetch_weather(city: &str) -> Result<&'static Weather, ToolError> {
    tokio::task::yield_now().await;
    let found = WEATHER
        .iter()
        .find(|weather| weather.city.eq_ignore_ascii_case(city.trim()));
    found.ok_or_else(|| {
        // The error names the problem and the valid inputs, because the model reads it and tries again.
        let known = WEATHER.map(|weather| weather.city).join(", ");
        ToolError::execution(format!(
            "There is no weather for {city:?}. Ask for one of {known}."
        ))
    })
}
