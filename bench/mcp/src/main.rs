//! Calls of an MCP server's tool, by our client and by rmcp's own, and the start of many servers.

mod server;

use agent_mcp::{ConnectedServer, McpServer};
use agent_runtime::tool::invoke_tool;
use agent_runtime::{Tool, ToolContext};
use bench_shared::{Failure, Options, Table, interleaved, median};
use rmcp::model::{CallToolRequestParams, ProtocolVersion};
use rmcp::service::RunningService;
use rmcp::transport::{
    IntoTransport, StreamableHttpClientTransport, TokioChildProcess,
    streamable_http_client::StreamableHttpClientTransportConfig,
};
use rmcp::{ClientLifecycleMode, ClientServiceExt, RoleClient};
use serde_json::json;
use std::sync::Arc;
use std::time::Instant;

/// The servers that are started at once.
const SERVERS: usize = 20;

fn main() -> Result<(), Failure> {
    let mut options = Options::of_process();
    if options.subcommand("serve") {
        return runtime()?.block_on(server::stdio());
    }
    let (rounds, calls) = match options.flag("--quick") {
        true => (1, 100),
        false => (11, 3_000),
    };
    let rounds = options.rounds(rounds)?;
    options.finish()?;
    runtime()?.block_on(measure(rounds, calls))
}

fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
}

/// A connected client.
enum Client {
    Ours(ConnectedServer, Arc<dyn Tool>, ToolContext),
    Rmcp(RunningService<RoleClient, ()>),
}

impl Client {
    async fn ours(server: McpServer) -> Result<Self, Failure> {
        let server = server.connect().await?;
        let tool = server.library().lookup("bench_greet").cloned();
        let tool = tool.ok_or("the server has no tool")?;
        Ok(Self::Ours(server, tool, ToolContext::detached()))
    }

    /// A client of the revision that ours speaks: its requests have more members than those of earlier ones.
    async fn rmcp<T, E, A>(transport: T) -> Result<Self, Failure>
    where
        T: IntoTransport<RoleClient, E, A>,
        E: std::error::Error + Send + Sync + 'static,
    {
        let lifecycle = ClientLifecycleMode::Discover {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        };
        Ok(Self::Rmcp(
            ().serve_with_lifecycle(transport, lifecycle).await?,
        ))
    }

    /// Calls the tool, and checks the result.
    async fn call(&self) -> Result<(), Failure> {
        let said = match self {
            Self::Ours(_, tool, context) => {
                let result = invoke_tool(&**tool, r#"{"name":"Ada"}"#, context).await?;
                result.as_str().map(str::to_owned)
            }
            Self::Rmcp(client) => {
                let arguments = json!({"name": "Ada"}).as_object().cloned();
                let request = CallToolRequestParams::new("greet");
                let request = request.with_arguments(arguments.unwrap_or_default());
                let result = client.call_tool(request).await?;
                let mut content = result.content.into_iter();
                content.find_map(|part| part.as_text().map(|text| text.text.clone()))
            }
        };
        match said.as_deref() {
            Some("Hello, Ada!") => Ok(()),
            said => Err(format!("the tool said {said:?}").into()),
        }
    }

    async fn close(self) -> Result<(), Failure> {
        match self {
            Self::Ours(server, ..) => server.close().await,
            Self::Rmcp(client) => _ = client.cancel().await?,
        }
        Ok(())
    }
}

async fn measure(rounds: usize, calls: u32) -> Result<(), Failure> {
    let program = std::env::current_exe()?;
    let url = server::http().await?;
    let mut command = tokio::process::Command::new(&program);
    command.arg("serve");
    let http = StreamableHttpClientTransport::with_client(
        reqwest::Client::builder()
            .tls_backend_preconfigured(agent_http::rejecting_tls_config("without TLS".to_owned())?)
            .build()?,
        StreamableHttpClientTransportConfig::with_uri(url.clone()),
    );
    let clients = [
        (
            "stdio",
            "rmcp",
            Client::rmcp(TokioChildProcess::new(command)?).await?,
        ),
        (
            "stdio",
            "agent-mcp",
            Client::ours(McpServer::stdio("bench", &program, ["serve"])).await?,
        ),
        ("HTTP", "rmcp", Client::rmcp(http).await?),
        (
            "HTTP",
            "agent-mcp",
            Client::ours(McpServer::http("bench", &url)).await?,
        ),
    ];
    let handle = tokio::runtime::Handle::current();
    let results = tokio::task::block_in_place(|| {
        interleaved(&clients, rounds, |(_, _, client)| {
            handle.block_on(async {
                let begin = Instant::now();
                for _ in 0..calls {
                    client.call().await?;
                }
                Ok::<_, Failure>(begin.elapsed().as_secs_f64() / f64::from(calls) * 1e6)
            })
        })
    })?;
    let mut table = Table::with_labels(2, ["transport", "client", "µs a call", "beside rmcp"]);
    let medians: Vec<f64> = results.into_iter().map(median).collect();
    for (at, (transport, client, _)) in clients.iter().enumerate() {
        table.row([
            (*transport).to_owned(),
            (*client).to_owned(),
            format!("{:.1}", medians[at]),
            format!("{:.2}", medians[at] / medians[at - at % 2]),
        ]);
    }
    println!("{table}");
    for (_, _, client) in clients {
        client.close().await?;
    }
    start(&program).await
}

/// Starts many servers at the same time.
async fn start(program: &std::path::Path) -> Result<(), Failure> {
    let begin = Instant::now();
    let starting: Vec<_> = (0..SERVERS)
        .map(|at| {
            let server = McpServer::stdio(format!("bench{at}"), program, ["serve"]);
            tokio::spawn(server.connect())
        })
        .collect();
    let mut servers = Vec::new();
    for starting in starting {
        servers.push(starting.await??);
    }
    let time = begin.elapsed().as_secs_f64() * 1e3;
    println!("{SERVERS} servers started at once, their tools read: {time:.0} ms");
    for server in servers {
        server.close().await;
    }
    Ok(())
}
