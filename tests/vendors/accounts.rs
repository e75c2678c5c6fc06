//! The vendors behind one proxy, for many runs at once: each run has an account, which is known by its key.

use crate::faults::certificate::{Certificate, FILE};
use crate::faults::server::{Play, Request, Server, whole};
use crate::vendors::refused::Refused;
use crate::vendors::reply::JSON;
use crate::vendors::{anthropic, google, openai};
use crate::wire::write;
use agent_runtime::runtime::RuntimeBuilder;
use agent_runtime::{Environment, Runtime};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The vendors, at their own host names.
pub(crate) struct Vendors {
    proxy: Server,
    certificate: Certificate,
    accounts: Arc<Accounts>,
}

#[derive(Default)]
struct Accounts {
    by_key: Mutex<HashMap<String, Arc<Mutex<State>>>>,
    /// The number of the next answer, which makes its ids unique.
    number: AtomicUsize,
}

/// The past of an account.
#[derive(Default)]
struct State {
    /// The models and the bodies of the requests.
    requests: Vec<(String, Value)>,
    /// The models and the texts of the refusals.
    refusals: Vec<(String, String)>,
    /// The histories up to the answers with bound thoughts.
    thought: HashSet<u64>,
    /// The host that answers 503.
    down: Option<&'static str>,
}

/// An account at all vendors.
pub(crate) struct Account {
    key: String,
    /// The port of the proxy.
    proxy: u16,
    certificate: String,
    state: Arc<Mutex<State>>,
}

/// A platform of another company, or of another part of it, with a vendor's models.
pub(crate) struct Platform {
    pub(crate) host: &'static str,
    /// The beginning of its paths.
    path: &'static str,
    vendor: &'static str,
    /// The beginning of the vendor's paths.
    vendor_path: &'static str,
}

pub(crate) const AZURE: Platform = Platform {
    host: "acme.openai.azure.com",
    path: "/openai/v1/",
    vendor: openai::HOST,
    vendor_path: "/v1/",
};

pub(crate) const BEDROCK: Platform = Platform {
    host: "bedrock-mantle.us-east-1.api.aws",
    ..AZURE
};

pub(crate) const VERTEX: Platform = Platform {
    host: "aiplatform.googleapis.com",
    path: "/v1/publishers/google/",
    vendor: google::HOST,
    vendor_path: "/v1beta/",
};

/// The hosts of the vendors and of the platforms.
pub(crate) const HOSTS: [&str; 6] = [
    openai::HOST,
    anthropic::HOST,
    google::HOST,
    AZURE.host,
    BEDROCK.host,
    VERTEX.host,
];

/// Returns a runtime with a key for every vendor, behind a proxy at a port of this machine.
pub(crate) fn runtime(key: &str, proxy: u16, certificate: &str) -> RuntimeBuilder {
    let proxy = format!("http://127.0.0.1:{proxy}");
    let variables = [
        ("OPENAI_API_KEY", key),
        ("ANTHROPIC_API_KEY", key),
        ("GOOGLE_API_KEY", key),
        ("AZURE_OPENAI_API_KEY", key),
        ("AZURE_RESOURCE_NAME", "acme"),
        ("AWS_BEARER_TOKEN_BEDROCK", key),
        ("AWS_REGION", "us-east-1"),
        ("https_proxy", &proxy),
        (FILE, certificate),
    ];
    Runtime::builder()
        .environment(Environment::from_pairs(variables))
        .retry_pause(Duration::ZERO)
}

impl Vendors {
    pub(crate) fn open() -> Self {
        let certificate = Certificate::of(&HOSTS, |_| {});
        let accounts = Arc::new(Accounts::default());
        let serving = Arc::clone(&accounts);
        let proxy = certificate.proxy_answering(Arc::new(move |request| serving.answer(request)));
        Self {
            proxy,
            certificate,
            accounts,
        }
    }

    /// Opens an account.
    pub(crate) fn account(&self) -> Account {
        let state = Arc::default();
        let mut accounts = self.accounts.by_key.lock().expect("no panic");
        let key = format!("sk-account-{}", accounts.len());
        accounts.insert(key.clone(), Arc::clone(&state));
        Account {
            key,
            proxy: self.proxy.port,
            certificate: self.certificate.path().to_owned(),
            state,
        }
    }
}

impl Account {
    /// Returns a runtime with the keys of this account.
    pub(crate) fn runtime(&self) -> RuntimeBuilder {
        runtime(&self.key, self.proxy, &self.certificate)
    }

    /// Lets a host answer 503, or all hosts answer again.
    pub(crate) fn set_down(&self, host: Option<&'static str>) {
        self.state().down = host;
    }

    /// The models and the bodies of all requests that reached a vendor.
    pub(crate) fn requests(&self) -> Vec<(String, Value)> {
        self.state().requests.clone()
    }

    /// The models and the texts of all refusals.
    pub(crate) fn refusals(&self) -> Vec<(String, String)> {
        self.state().refusals.clone()
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().expect("no panic")
    }
}

impl Accounts {
    fn answer(&self, request: &Request) -> Play {
        let key = key(request).unwrap_or_default();
        let accounts = self.by_key.lock().expect("no panic");
        let Some(state) = accounts.get(key).cloned() else {
            return whole(401, JSON, r#"{"error": {"message": "no such key"}}"#);
        };
        drop(accounts);
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let mut state = state.lock().expect("no panic");
        state.answer(request, number)
    }
}

impl State {
    fn answer(&mut self, request: &Request, number: usize) -> Play {
        let host = request.header("host").unwrap_or_default();
        let mut words = request.line.split(' ');
        let path = words.nth(1).unwrap_or_default();
        let body = request.json();
        if self.down == Some(host) {
            return whole(503, JSON, r#"{"error": {"message": "overloaded"}}"#);
        }
        let platform = [AZURE, BEDROCK, VERTEX]
            .into_iter()
            .find(|platform| platform.host == host);
        let (host, path) = match platform {
            Some(platform) => {
                let rest = path.strip_prefix(platform.path).unwrap_or_default();
                (platform.vendor, format!("{}{rest}", platform.vendor_path))
            }
            None => (host, path.to_owned()),
        };
        let path = path.as_str();
        let (answer, refusal) = match host {
            openai::HOST => {
                let answer = openai::answer(path, &body, number);
                (answer, openai::refusal as fn(&Refused) -> Play)
            }
            anthropic::HOST => {
                let betas = request.header("anthropic-beta").unwrap_or_default();
                let answer = anthropic::answer(path, &body, betas, number, &self.thought);
                (answer, anthropic::refusal as _)
            }
            google::HOST => (google::answer(path, &body, number), google::refusal as _),
            _ => return whole(418, "", "the test has no such host"),
        };
        let model = body.get("model").and_then(Value::as_str);
        let of_path = path
            .rsplit('/')
            .next()
            .and_then(|name| name.split(':').next());
        let model = model.or(of_path).unwrap_or_default().to_owned();
        if answer.is_ok() {
            let streamed = path.contains(":stream") || body["stream"] == true;
            keep(host, path, &model, streamed, number, &body);
        }
        self.requests.push((model.clone(), body));
        match answer {
            Ok(reply) => {
                self.thought.extend(reply.bound);
                reply.play
            }
            Err(refused) => {
                let play = refusal(&refused);
                self.refusals.push((model, refused.message));
                play
            }
        }
    }
}

/// Keeps a request as a file for `tests/wire/run`, which names the folder, to validate with the vendor's own types.
fn keep(host: &str, path: &str, model: &str, streamed: bool, number: usize, body: &Value) {
    let provider = match host {
        openai::HOST if path.ends_with("/responses") => "responses",
        openai::HOST => "openai",
        anthropic::HOST => "anthropic",
        _ => "google",
    };
    let way = if streamed { "streamed" } else { "plain" };
    let folder = std::env::var_os("WIRE_REQUESTS").map(PathBuf::from);
    let name = format!("vendor_{model}_{number}.{way}");
    write(folder.as_deref(), provider, &name, body);
}

fn key(request: &Request) -> Option<&str> {
    let bearer = request.header("authorization");
    let bearer = bearer.and_then(|value| value.strip_prefix("Bearer "));
    let others = ["x-api-key", "x-goog-api-key"];
    bearer.or_else(|| others.iter().find_map(|name| request.header(name)))
}
