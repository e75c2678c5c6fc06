//! HTTP for providers: one client, the endpoint that keys go to, retries, size and time limits, streams.

mod allowed_hosts;
pub(crate) mod base_url;
mod client;
mod endpoint;
mod failure;
mod fetched_media;
mod frames;
mod large_answers;
mod media;
mod refusal;
mod report;
mod retry;
pub(crate) mod span;
mod stream;

pub(super) use allowed_hosts::{BASE_URL_HOST, KEY_HOST};
pub(super) use base_url::{UrlSource, check_base_url};
pub(super) use client::{HttpClient, HttpRequest, HttpSettings};
pub(super) use endpoint::{
    Endpoint, EndpointConfig, KeyForm, KeyVariable, RowUrl, Secret, Vendor, check_header,
    missing_key,
};
pub(super) use failure::Failure;
pub(super) use frames::{Frame, Framing};
pub(super) use media::{FetchedUrls, Unfetched, is_fetchable};
pub(super) use retry::Retry;
pub(super) use stream::{StreamReader, read_body};
