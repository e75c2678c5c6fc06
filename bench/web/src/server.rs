//! The servers that are measured, each a process of its own.

use agent_runtime::{Environment, Runtime, agent, tools};
use agent_store::SqliteJournal;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::serve::ListenerExt;
use bench_shared::Failure;
use bench_shared::process::this_program_on_core;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::str::FromStr;
use tokio::net::TcpListener;

/// A server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Contender {
    /// An axum handler that passes the model's bytes on.
    Proxy,
    /// agent-web, with a journal in a file.
    Ours,
}

impl Contender {
    pub(crate) const ALL: [Self; 2] = [Self::Proxy, Self::Ours];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Proxy => "proxy",
            Self::Ours => "agent-web",
        }
    }
}

impl FromStr for Contender {
    type Err = Failure;

    fn from_str(word: &str) -> Result<Self, Failure> {
        let mut all = Self::ALL.into_iter();
        Ok(all
            .find(|contender| contender.word() == word)
            .ok_or("an unknown contender")?)
    }
}

/// A server in a process that ends with this one.
pub(crate) struct ServerProcess {
    child: Child,
    port: u16,
}

impl ServerProcess {
    pub(crate) fn start(contender: Contender, model: &str) -> Result<Self, Failure> {
        let mut child = this_program_on_core(1)?
            .args(["serve", contender.word(), model])
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        let out = child.stdout.take().ok_or("no output")?;
        BufReader::new(out).read_line(&mut line)?;
        let port = line.trim().parse()?;
        Ok(Self { child, port })
    }

    pub(crate) fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(crate) fn id(&self) -> String {
        self.child.id().to_string()
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Prints its port, then serves until the process is killed.
pub(crate) async fn serve(contender: Contender, model: &str) -> Result<(), Failure> {
    let folder = std::env::temp_dir().join(format!("bench-web-{}", std::process::id()));
    let app = match contender {
        Contender::Proxy => {
            let target = (client()?, format!("{model}/chat/completions"));
            Router::new()
                .route("/proxy", post(pass_on))
                .with_state(target)
        }
        Contender::Ours => {
            std::fs::create_dir_all(&folder)?;
            ours(model, &folder).await?
        }
    };
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?.port());
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    axum::serve(listener, app).await?;
    Ok(())
}

async fn ours(model: &str, folder: &std::path::Path) -> Result<Router, Failure> {
    let counter = agent! { [counter:Agent {instruction: "Count.", model: "OpenAI/gpt-6-luna"}] };
    let journal = SqliteJournal::open(folder.join("runs.db")).await?;
    let runtime = Runtime::builder()
        .environment(Environment::empty())
        .base_url(model)
        .journal(journal)
        .build()?;
    let web = agent_web::router(&runtime, [counter], tools![])
        .owner(async |_: Parts| Ok::<_, &'static str>("ada".to_owned()))
        .build()?;
    Ok(web.router())
}

async fn pass_on(State((client, url)): State<(reqwest::Client, String)>, body: Bytes) -> Response {
    let request = client.post(url).header("content-type", "application/json");
    match request.body(body).send().await {
        Ok(answer) => {
            let status = answer.status();
            let stream = [(header::CONTENT_TYPE, "text/event-stream")];
            let body = Body::from_stream(answer.bytes_stream());
            (status, stream, body).into_response()
        }
        Err(error) => (StatusCode::BAD_GATEWAY, error.to_string()).into_response(),
    }
}

/// A client without the machine's certificates, because it speaks to this machine alone.
pub(crate) fn client() -> Result<reqwest::Client, Failure> {
    let provider = rustls::crypto::ring::default_provider();
    let tls = rustls::ClientConfig::builder_with_provider(provider.into())
        .with_safe_default_protocol_versions()?
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth();
    let builder = reqwest::Client::builder().tls_backend_preconfigured(tls);
    Ok(builder.no_proxy().build()?)
}
