//! rmcp's router of tools. A call takes the context of a request, which only a server that was asked
//! something has: so a client asks once, and all calls are made while that is answered.

use super::{Failure, NAME, TEXT};
use bench_shared::time::cpu_nanos;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, JsonObject,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler, ServiceExt, tool, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;
use std::hint::black_box;

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

struct Server {
    router: ToolRouter<Self>,
    calls: u32,
    with_calls: bool,
}

#[tool_router]
impl Server {
    #[tool(description = "Adds two numbers")]
    fn add(&self, Parameters(Add { a, b }): Parameters<Add>) -> String {
        (a + b).to_string()
    }
}

impl Server {
    // Not `per_call`: of a future that holds a closure rustc cannot say that it can be sent.
    async fn make(
        &self,
        calls: u32,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        for _ in 0..calls {
            let context = black_box(context.clone());
            if self.with_calls {
                self.once(context).await?;
            }
        }
        Ok(())
    }

    async fn once(&self, context: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        let arguments: JsonObject = serde_json::from_str(black_box(TEXT))
            .map_err(|error| ErrorData::invalid_params(error.to_string(), None))?;
        let params = CallToolRequestParams::new(black_box(NAME)).with_arguments(arguments);
        let context = ToolCallContext::new(self, params, context);
        black_box(self.router.call(context).await?);
        Ok(())
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(
        &self,
        _: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.make(self.calls / 10, &context).await?;
        let before = cpu_nanos();
        self.make(self.calls, &context).await?;
        let nanos = (cpu_nanos() - before) as f64 / f64::from(self.calls);
        Ok(CallToolResult::success(vec![ContentBlock::text(nanos.to_string())]).into())
    }
}

pub(super) async fn call(calls: u32) -> Result<f64, Failure> {
    measure(calls, true).await
}

pub(super) async fn context(calls: u32) -> Result<f64, Failure> {
    measure(calls, false).await
}

async fn measure(calls: u32, with_calls: bool) -> Result<f64, Failure> {
    let (ours, theirs) = tokio::io::duplex(4_096);
    let server = Server {
        router: Server::tool_router(),
        calls,
        with_calls,
    };
    let served = tokio::spawn(async move {
        let running = server.serve(theirs).await?;
        running.waiting().await?;
        Ok::<_, Failure>(())
    });
    let client = ().serve(ours).await?;
    let result = client.call_tool(CallToolRequestParams::new(NAME)).await?;
    client.cancel().await?;
    served.await??;
    let text = result.content.first().and_then(|content| content.as_text());
    Ok(text.ok_or("no text came back")?.text.parse()?)
}
