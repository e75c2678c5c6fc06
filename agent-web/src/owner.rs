//! The person or account for whom a request is made.

use axum::http::request::Parts;
use futures_util::future::BoxFuture;
use std::sync::Arc;

/// The person or account for whom a request is made, with what the program knows of them. A text is its own id.
pub trait Owner: Clone + Send + Sync + 'static {
    /// The id, by which runs and conversations are kept. It is never empty, and at most 400 bytes long.
    fn id(&self) -> String;
}

impl Owner for String {
    fn id(&self) -> String {
        self.clone()
    }
}

/// Finds the owner of a request.
pub(crate) type FindOwner<O> =
    Arc<dyn Fn(Parts) -> BoxFuture<'static, Result<O, String>> + Send + Sync>;
