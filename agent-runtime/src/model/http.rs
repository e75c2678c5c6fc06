//! HTTP for providers: one client, retries, bounds, streams, and no secret in any message.

mod base_url;
mod client;
mod endpoint;
mod failure;
mod frames;
mod retry;
mod stream;
mod tls;

pub(crate) use base_url::{Place, check_base_url};
pub(crate) use client::{HttpClient, HttpSettings, Outgoing};
pub(crate) use endpoint::{
    Caller, Endpoint, KeyForm, KeyVariable, Secret, Vendor, check_header, check_key_host,
    missing_key,
};
pub(crate) use failure::Failure;
pub(crate) use frames::{Frame, Framing};
pub(crate) use retry::Retry;
pub(crate) use stream::StreamReader;
