//! HTTP for providers: one client, retries, bounds, streams, and no secret in any message.

mod backoff;
mod base_url;
mod body;
mod client;
mod connect;
mod endpoint;
mod exchange;
mod failure;
mod form;
mod frames;
mod key_host;
mod outgoing;
mod secret;
mod stream;
mod tls;

pub(crate) use backoff::Retry;
pub(crate) use base_url::{Place, check_base_url};
pub(crate) use client::{HttpClient, HttpSettings};
pub(crate) use endpoint::{
    Caller, Endpoint, KeyForm, KeyVariable, Vendor, check_header, missing_key,
};
pub(crate) use failure::Failure;
pub(crate) use frames::{Frame, Framing};
pub(crate) use key_host::check_key_host;
pub(crate) use outgoing::Outgoing;
pub(crate) use secret::Secret;
pub(crate) use stream::StreamReader;
