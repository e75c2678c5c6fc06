//! Tests of all providers on real sockets, with reply files: requests and replies, plain and streamed.

mod anthropic;
mod arguments;
mod broken_answers;
mod cassettes;
mod catalogue;
mod compatible;
mod errors;
mod exchange;
mod fold;
mod google;
mod gzip;
mod histories;
mod long_conversations;
mod media;
mod media_not_taken;
mod media_urls;
mod oddities;
mod ollama;
mod openai;
#[cfg(feature = "json-schema")]
mod own_schema;
mod refused_thoughts;
mod responses;
mod settings;
mod streams;
mod unusual_answers;
mod usage;
