//! Serves agents over HTTP: runs as streams of events that a client follows again after it was disconnected, decisions of
//! people, conversations, and the AI SDK's UI message stream.
//!
//! [`router`] makes an axum router, which is also a `tower` service. The runtime has a journal and a store of
//! conversations, which is all that is kept: there is no state besides them, so that several processes serve the same runs.
//!
//! ```
//! use agent_runtime::journal::MemoryJournal;
//! use agent_runtime::conversation::MemoryStore;
//! use agent_runtime::model::Offline;
//! use agent_runtime::{Error, Runtime, ToolLibrary, agent};
//! use axum::Router;
//! use axum::http::request::Parts;
//!
//! /// The user of a request, as the session of your server knows them.
//! async fn user(parts: Parts) -> Result<String, &'static str> {
//!     let user = parts.headers.get("x-user").and_then(|user| user.to_str().ok());
//!     user.map(str::to_owned).ok_or("sign in first")
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Error> {
//! let support = agent! { [support:Agent {instruction: "Help.", model: "Offline/any"}] };
//! let runtime = Runtime::builder()
//!     .model(Offline::new())
//!     .journal(MemoryJournal::new())
//!     .conversations(MemoryStore::new())
//!     .build()?;
//! let web = agent_web::router(&runtime, [support], ToolLibrary::new()).owner(user).build()?;
//! // What an earlier process left.
//! web.recover();
//! let app: Router = Router::new().nest("/agents", web.router());
//! # Ok(())
//! # }
//! ```
//!
//! # Routes
//!
//! | request | answer |
//! | --- | --- |
//! | `POST /{agent}/runs` | the events of a new run, `text/event-stream` |
//! | `GET /runs/{id}/events` with `Last-Event-ID` | the events after that one, or all |
//! | `POST /runs/{id}/decisions` | the events of the run as it continues |
//! | `POST /runs/{id}/stop`, `POST /runs/{id}/say` | 202 |
//! | `GET /waiting` | the calls that the user may decide on |
//! | `GET /conversations`, `GET` and `DELETE /conversations/{name}` | the user's conversations |
//! | `GET /{agent}/schema`, `GET /health`, `GET /ready` | JSON Schemas; whether the server lives; whether it can run its agents |
//! | `POST /{agent}/ui`, `GET /{agent}/ui/{conversation}`, `GET /{agent}/ui/{conversation}/stream` | the AI SDK's UI message stream |
//!
//! `book/src/reference/web-routes.md` has the bodies, and a picture of the way of a request.

mod builder;
mod conversations;
mod events;
mod limits;
mod owner;
mod problem;
mod redaction;
mod request;
mod runs;
mod state;
mod status;
mod ui;
mod web;

pub use builder::{WebBuilder, router};
pub use limits::OwnerLimits;
pub use owner::Owner;
pub use state::SecondTurn;
pub use web::Web;
