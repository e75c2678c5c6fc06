//! A service of two agents, and requests to it.

use agent_runtime::conversation::{MemoryStore, ToolCall};
use agent_runtime::journal::MemoryJournal;
use agent_runtime::model::{ModelReply, Scripted};
use agent_runtime::{Agent, Runtime, ToolLibrary, agent, tool, tools};
use agent_web::{Web, WebBuilder};
use axum::Router;
use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Request, StatusCode};
use futures_util::StreamExt;
use serde_json::Value;
use tower::ServiceExt;

/// Finds an order
#[tool]
fn find_order(number: u32) -> String {
    format!("Order {number} was sent.")
}

/// Pays an order back
#[tool(requires_approval)]
fn refund(number: u32) -> String {
    format!("Order {number} is refunded.")
}

pub(crate) fn support() -> Agent {
    agent! {
        tools: [find_order, refund],
        [support:Agent {instruction: "Help {{name}}.", model: "Scripted/any"} | findOrder, refund]
    }
}

pub(crate) fn library() -> ToolLibrary {
    tools![find_order, refund]
}

/// An answer that makes one call.
pub(crate) fn call(id: &str, tool: &str) -> ModelReply {
    ModelReply::calls([ToolCall::new(id, tool, r#"{"number": 7}"#)])
}

pub(crate) async fn user(parts: Parts) -> Result<String, &'static str> {
    let user = parts
        .headers
        .get("x-user")
        .and_then(|user| user.to_str().ok());
    user.map(str::to_owned).ok_or("sign in")
}

/// The places of a service, which processes share.
#[derive(Clone, Default)]
pub(crate) struct Place {
    pub(crate) journal: MemoryJournal,
    pub(crate) store: MemoryStore,
}

impl Place {
    pub(crate) fn runtime(&self, replies: impl IntoIterator<Item = ModelReply>) -> Runtime {
        let builder = Runtime::builder()
            .model(Scripted::new(replies))
            .variable("name", "them");
        let builder = builder
            .journal(self.journal.clone())
            .conversations(self.store.clone());
        builder.build().expect("a runtime")
    }

    /// A process that serves the agent, whose model answers this.
    pub(crate) fn process(&self, replies: impl IntoIterator<Item = ModelReply>) -> Service {
        let web = agent_web::router(&self.runtime(replies), [support()], library()).owner(user);
        Service::of(web.build().expect("the routes"))
    }
}

/// A process that serves agents.
pub(crate) struct Service {
    router: Router,
}

/// An answer whose body has ended, or was cut off.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
    is_cut: bool,
}

impl Service {
    pub(crate) fn of(web: Web<String>) -> Self {
        let router = Router::new().nest("/agents", web.router());
        Self { router }
    }

    pub(crate) fn router(&self) -> Router {
        self.router.clone()
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Answer {
        let response = self
            .router
            .clone()
            .oneshot(request)
            .await
            .expect("it never fails");
        let (parts, body) = response.into_parts();
        let mut body = body.into_data_stream();
        let (mut bytes, mut is_cut) = (Vec::new(), false);
        while let Some(piece) = body.next().await {
            match piece {
                Ok(piece) => bytes.extend_from_slice(&piece),
                Err(_) => is_cut = true,
            }
        }
        Answer {
            status: parts.status,
            headers: parts.headers,
            text: String::from_utf8(bytes).expect("UTF-8"),
            is_cut,
        }
    }

    pub(crate) async fn get(&self, user: &str, path: &str) -> Answer {
        let request = Request::get(format!("/agents{path}")).header("x-user", user);
        self.send(request.body(Body::empty()).expect("a request"))
            .await
    }

    pub(crate) async fn post(&self, user: &str, path: &str, body: Value) -> Answer {
        let request = Request::post(format!("/agents{path}"));
        let request = request
            .header("x-user", user)
            .header("content-type", "application/json");
        self.send(
            request
                .body(Body::from(body.to_string()))
                .expect("a request"),
        )
        .await
    }
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{}: {error}", self.text))
    }

    /// The id of the run that is streamed.
    pub(crate) fn run(&self) -> String {
        let run = self
            .headers
            .get("x-run-id")
            .unwrap_or_else(|| panic!("{}", self.text));
        run.to_str().expect("a text").to_owned()
    }

    /// The events, with their ids.
    pub(crate) fn events(&self) -> Vec<(String, Value)> {
        assert_eq!(self.status, StatusCode::OK, "{}", self.text);
        assert!(!self.is_cut, "cut off after {}", self.text);
        let events = self
            .text
            .split_terminator("\n\n")
            .filter(|event| !event.starts_with(':'));
        let events = events.map(|event| {
            let (id, data) = event.split_once('\n').expect("two lines");
            let id = id.strip_prefix("id: ").expect("an id").to_owned();
            let data = data.strip_prefix("data: ").expect("data");
            (id, serde_json::from_str(data).expect("JSON"))
        });
        events.collect()
    }

    pub(crate) fn types(&self) -> Vec<String> {
        let events = self.events().into_iter();
        events
            .map(|(_, event)| event["type"].as_str().expect("a type").to_owned())
            .collect()
    }

    /// The chunks of a UI message stream.
    pub(crate) fn chunks(&self) -> Vec<Value> {
        assert_eq!(self.status, StatusCode::OK, "{}", self.text);
        let lines = self
            .text
            .split_terminator("\n\n")
            .map(|line| line.strip_prefix("data: ").expect("data"));
        let mut lines: Vec<&str> = lines.collect();
        assert_eq!(lines.pop(), Some("[DONE]"), "{}", self.text);
        lines
            .iter()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect()
    }

    #[track_caller]
    pub(crate) fn check(&self, status: u16, detail: &str) {
        assert_eq!(self.status.as_u16(), status, "{}", self.text);
        assert_eq!(self.headers["content-type"], "application/problem+json");
        let json = self.json();
        assert_eq!(json["status"], status);
        assert!(
            json["detail"]
                .as_str()
                .is_some_and(|text| text.contains(detail)),
            "{json}"
        );
    }
}

pub(crate) fn built(builder: WebBuilder<()>) -> Result<Web<String>, agent_runtime::Error> {
    builder.owner(user).build()
}
