//! The options that decide how models are reached and what tools may do. They are not part of a run, so no
//! journal has them.

use super::environment_keys;
use super::grants::GrantArgs;
use super::number::attempts;
use super::sent_variables::SentVariables;
use crate::provider::Provider;
use agent_runtime::runtime::RuntimeBuilder;
use agent_runtime::{Environment, Grants, Runtime};

/// The options that `agent run`, `agent chat`, `agent runs resume` and `agent replay` share.
#[derive(Debug, clap::Args)]
pub(crate) struct ConnectionArgs {
    /// Answer with the built-in offline model, whatever the agent's model is
    #[arg(long)]
    pub(super) offline: bool,
    /// The address of the agent's provider, in the form that the vendor's SDK accepts (for OpenAI with
    /// `/v1`)
    #[arg(long, value_name = "URL", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(crate) base_url: Option<String>,
    /// Send requests to this host, without the key, although only the document or a catalogue of models names it,
    /// as `baseUrl`; may be given several times. Without a port, the usual port is meant
    #[arg(long = "allow-base-url", value_name = "HOST[:PORT]")]
    url_hosts: Vec<String>,
    /// Send requests and the key to this host although only the document or a catalogue of models names it, as
    /// `baseUrl`; may be given several times. Without a port, the usual port is meant. Over plain http, a key is
    /// sent to this machine only
    #[arg(long = "allow-key-host", value_name = "HOST[:PORT]")]
    key_hosts: Vec<String>,
    /// Try each request to a model at most N times, if it fails with an error that may pass; 3 by default, and
    /// 1 for no retries
    #[arg(long, value_name = "N", value_parser = attempts)]
    max_attempts: Option<u32>,
    #[command(flatten)]
    grants: GrantArgs,
    #[command(flatten)]
    pub(crate) sent_variables: SentVariables,
}

impl ConnectionArgs {
    /// Whether the offline model answers, whatever the agent's model is.
    pub(crate) fn is_offline(&self) -> bool {
        self.offline
    }

    /// Returns the access that tools are given.
    pub(crate) fn grants(&self) -> Grants {
        self.grants.grants()
    }

    /// Creates the builder of a runtime. The address of `--base-url` is also that of a given provider with the name
    /// `agent_provider`.
    pub(crate) fn runtime(
        &self,
        environment: &Environment,
        providers: &[Provider],
        agent_provider: Option<&str>,
    ) -> RuntimeBuilder {
        let mut builder = Runtime::builder().environment(environment.clone());
        builder = builder.grants(self.grants.grants());
        for key in environment_keys::keys(environment, providers) {
            builder = builder.secret(key);
        }
        if self.offline {
            builder = builder.offline();
        }
        if let Some(url) = &self.base_url {
            builder = builder.base_url(url);
        }
        if let Some(attempts) = self.max_attempts {
            builder = builder.max_attempts(attempts);
        }
        for host in &self.url_hosts {
            builder = builder.allow_base_url(host);
        }
        for host in &self.key_hosts {
            builder = builder.allow_key_host(host);
        }
        for provider in providers {
            let base_url = self.base_url.as_deref();
            let base_url = base_url.filter(|_| Some(provider.name.as_str()) == agent_provider);
            if let Some(compatible) = provider.compatible(base_url) {
                builder = builder.compatible_provider(&provider.name, compatible);
            }
        }
        builder
    }
}
