//! What nobody can do without: two requests, written and read as JSON.

use super::{DESCRIPTION, Failure, INPUT, INSTRUCTION, greeting};
use serde_json::{Value, json};

/// A client that does not read the machine's certificates, which the others do once.
pub(crate) fn client() -> Result<reqwest::Client, Failure> {
    let provider = rustls::crypto::ring::default_provider();
    let tls = rustls::ClientConfig::builder_with_provider(provider.into())
        .with_safe_default_protocol_versions()?
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth();
    Ok(reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .no_proxy()
        .build()?)
}

pub(crate) struct Prepared {
    client: reqwest::Client,
    url: String,
    tools: Value,
}

impl Prepared {
    pub(super) fn new(base_url: &str) -> Result<Self, Failure> {
        Ok(Self {
            client: client()?,
            url: format!("{base_url}/chat/completions"),
            tools: json!([{"type": "function", "function": {
                "name": "sayHello",
                "description": DESCRIPTION,
                "parameters": {
                    "type": "object",
                    "properties": {"personName": {"type": "string"}},
                    "required": ["personName"],
                },
            }}]),
        })
    }

    pub(super) async fn run(&self) -> Result<String, Failure> {
        let mut messages = vec![
            json!({"role": "system", "content": INSTRUCTION}),
            json!({"role": "user", "content": INPUT}),
        ];
        let reply = self.ask(&messages).await?;
        let message = &reply["choices"][0]["message"];
        let call = &message["tool_calls"][0];
        let arguments = call["function"]["arguments"]
            .as_str()
            .ok_or("no arguments")?;
        let arguments: Value = serde_json::from_str(arguments)?;
        let result = greeting(arguments["personName"].as_str().ok_or("no name")?);
        messages.push(message.clone());
        messages.push(json!({"role": "tool", "tool_call_id": call["id"], "content": result}));
        let reply = self.ask(&messages).await?;
        let content = reply["choices"][0]["message"]["content"].as_str();
        Ok(content.ok_or("no answer")?.to_owned())
    }

    async fn ask(&self, messages: &[Value]) -> Result<Value, Failure> {
        let body = json!({"model": "gpt-6-luna", "messages": messages, "tools": self.tools});
        let sent = self
            .client
            .post(&self.url)
            .header("content-type", "application/json");
        let answer = sent
            .body(body.to_string())
            .send()
            .await?
            .error_for_status()?;
        Ok(serde_json::from_slice(&answer.bytes().await?)?)
    }
}
