//! Language models: requests, replies, and the providers over HTTP.

mod anthropic;
mod cassette;
mod compatible;
mod facts;
mod fit;
mod google;
pub(crate) mod http;
mod http_model;
mod media_rules;
mod ollama;
mod openai;
#[cfg(test)]
mod prefix_tests;
mod providers;
mod refused_thoughts;
mod reply_builder;
#[cfg(test)]
mod tool_search_tests;
mod warnings;
mod wire;
mod wire_format;

#[doc(inline)]
pub use agent_core::model::{
    ChatFuture, ChatModel, FinishReason, ModelReply, ModelRequest, ModelSource, Offline,
    ProviderLimits, ProviderUse, ReplyPart, ReplySink, Scripted, ToolDefinition, Usage, UsagePart,
    detect_tool_call, trace_name_of,
};
pub use cassette::{Cassette, CassetteModel};
pub use compatible::CompatibleProvider;
pub(crate) use providers::{ProviderConfig, Providers, Registered};

/// Writes the body of a request, for tests.
#[cfg(test)]
pub(crate) type WireBody = fn(&ModelRequest, Option<&str>) -> serde_json::Value;

/// The names of the providers with a wire format, and the function that writes a request in it, at the vendor or
/// at the address of a compatible server.
#[cfg(test)]
pub(crate) const WIRE_BODIES: [(&str, WireBody); 5] = [
    ("OpenAI", http_model::wire_body::<openai::ChatCompletions>),
    ("Anthropic", http_model::wire_body::<anthropic::Anthropic>),
    ("Google", http_model::wire_body::<google::Google>),
    ("Ollama", http_model::wire_body::<ollama::Ollama>),
    (
        "OpenAIResponses",
        http_model::wire_body::<openai::Responses>,
    ),
];
