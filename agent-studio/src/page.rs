//! The files of the page, which `studio/` builds.

use axum::Router;
use axum::http::header;
use axum::routing::get;

/// Returns the routes of the files. They need no token, because they are the same for everybody.
pub(crate) fn routes() -> Router {
    let file = |media_type, text: &'static str| {
        get(move || async move { ([(header::CONTENT_TYPE, media_type)], text) })
    };
    Router::new()
        .route(
            "/",
            file(
                "text/html; charset=utf-8",
                include_str!("../page/index.html"),
            ),
        )
        .route(
            "/studio.js",
            file(
                "text/javascript; charset=utf-8",
                include_str!("../page/studio.js"),
            ),
        )
        .route(
            "/studio.css",
            file(
                "text/css; charset=utf-8",
                include_str!("../page/studio.css"),
            ),
        )
}
