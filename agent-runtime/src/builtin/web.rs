//! Tools that look at the web.

mod body;
mod client;
mod resolve;
mod shown;
