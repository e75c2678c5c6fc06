//! The rows of a catalogue, and the types of their properties.

use crate::date::Date;
use crate::effort::ReasoningEffort;
use crate::property::{Property, Record, Wrong, record, words};
use agent_gram::syntax::{Value, ValueKind};

record! {
    /// The facts about a model. A missing property is not known; it never means "no".
    ModelRow {
        /// The row that provides the properties that this row lacks: a model of the same provider, or
        /// `Provider/id`.
        like: String = "like",
        /// The name that models of this kind begin with, such as `gpt-6` or `claude-opus`. A model without a row gets the
        /// rules of the newest row of its family.
        family: String = "family",
        /// The day on which the vendor released the model.
        released: Date = "released",
        /// The day on which the vendor switches the model off or switched it off.
        retires: Date = "retires",
        /// The model that the vendor names as the replacement of this model.
        successor: String = "successor",
        /// The number of tokens that a request and its answer may have together.
        context_window: u64 = "contextWindow",
        /// The number of tokens that an answer may have, thoughts included.
        max_output_tokens: u64 = "maxOutputTokens",
        /// The price of the model's tokens.
        price: Price = "price",
        /// The interface of OpenAI that serves the model best.
        api: Api = "api",
        /// The efforts with which chat completions accept tools for the model.
        chat_tools: ChatTools = "chatTools",
        /// The efforts that the model accepts. An empty list means that the model accepts no effort.
        efforts: Vec<ReasoningEffort> = "efforts",
        /// The efforts that the model accepts with chat completions, if they differ from `efforts`.
        chat_efforts: Vec<ReasoningEffort> = "chatEfforts",
        /// The effort of the model when a request sets none.
        default_effort: ReasoningEffort = "defaultEffort",
        /// When the model accepts `temperature` and `topP`.
        temperature: Temperature = "temperature",
        /// Whether the model accepts stop sequences.
        stop: bool = "stop",
        /// When the model accepts a tool choice that demands a call.
        forced_calls: ForcedCalls = "forcedCalls",
        /// When the model thinks.
        thinking: Thinking = "thinking",
        /// The values of Anthropic's `thinking.type` that the model accepts.
        thinking_types: Vec<ThinkingType> = "thinkingTypes",
        /// Whether the thoughts of the model are only valid after the messages that they followed, so that a
        /// changed conversation is rejected.
        bound_thoughts: bool = "boundThoughts",
        /// Whether the model hides the text between two calls unless a request asks for it.
        hides_text: bool = "hidesText",
        /// The media that the model accepts in messages.
        media: Vec<MediaInput> = "media",
        /// When the vendor's own structured output can be used.
        structured_output: StructuredOutput = "structuredOutput",
        /// Whether the vendor searches the tools of a request by itself.
        tool_search: bool = "toolSearch",
    }
}

record! {
    /// The facts about a provider: its address and its rules. A missing property is not known.
    ProviderRow {
        /// The day on which the rows were made.
        made: Date = "made",
        /// The page of the vendor about its models.
        source: String = "source",
        /// The address without the path of a request, with `{{NAME}}` for variables of the environment.
        base_url: String = "baseUrl",
        /// The environment variables that may contain the key. The first variable that is set is used.
        keys: Vec<String> = "key",
        /// The format of requests to the provider.
        format: WireFormat = "format",
        /// The interfaces of OpenAI that the provider supports, the preferred interface first.
        apis: Vec<Api> = "apis",
        /// The provider whose models this provider serves under the same names.
        models: String = "models",
        /// The name of the parameter for the maximum number of tokens of an answer, if it is not
        /// `max_completion_tokens` in the chat completions of this provider.
        max_tokens: MaxTokens = "maxTokens",
        /// Whether thoughts must be sent back as `reasoning_content`.
        reasoning_content: bool = "reasoningContent",
    }
}

impl ModelRow {
    /// Whether the model is known to refuse a type of thinking.
    pub fn refuses_type(&self, wanted: ThinkingType) -> bool {
        let types = self.thinking_types.as_ref();
        types.is_some_and(|types| !types.contains(&wanted))
    }

    /// Whether the model is known to refuse the setting `thinking`, with this value.
    pub fn refuses_thinking(&self, thinks: bool) -> bool {
        match (thinks, &self.thinking_types) {
            (true, _) => self.thinking == Some(Thinking::Never),
            (false, Some(_)) => self.refuses_type(ThinkingType::Disabled),
            (false, None) => self.thinking == Some(Thinking::Always),
        }
    }
}

impl ProviderRow {
    /// Returns the interface of OpenAI for requests to the server for a model: the model's `api` if the
    /// server supports it, else the server's first interface. If the interfaces of the server are unknown,
    /// the model's `api` is used, or chat completions if the model has none.
    #[must_use]
    pub fn api_for(&self, model: &ModelRow) -> Api {
        let api = match &self.apis {
            Some(has) => {
                let wanted = model.api.filter(|api| has.contains(api));
                wanted.or(has.first().copied())
            }
            None => model.api,
        };
        api.unwrap_or(Api::Chat)
    }

    /// Whether an address is on the server of this provider: scheme, host and port are those of
    /// [`base_url`](Self::base_url), in which a variable matches any text.
    #[must_use]
    pub fn is_at(&self, address: &str) -> bool {
        let Some(own) = self.base_url.as_deref().map(origin) else {
            return false;
        };
        let address = origin(address);
        match (own.split_once("{{"), own.rsplit_once("}}")) {
            (Some((begins, _)), Some((_, ends))) => {
                address.len() > begins.len() + ends.len()
                    && address.starts_with(begins)
                    && address.ends_with(ends)
            }
            _ => own == address,
        }
    }
}

/// Returns scheme, host and port of an address.
fn origin(address: &str) -> &str {
    let host = address.find("://").map_or(0, |at| at + 3);
    let end = address[host..].find(['/', '?', '#']);
    &address[..end.map_or(address.len(), |at| host + at)]
}

record! {
    /// The price of tokens, in dollars per million.
    Price {
        /// Tokens that are sent.
        input: f64 = "input",
        /// Tokens that are read from the cache.
        cached_input: f64 = "cachedInput",
        /// Tokens that are stored in the cache.
        cache_write: f64 = "cacheWrite",
        /// Tokens that are stored in the cache for longer: an hour at Anthropic, twelve at OpenAI.
        long_cache_write: f64 = "longCacheWrite",
        /// Tokens that are written.
        output: f64 = "output",
        /// The prices of all tokens of a long request.
        long_context: LongContextPrice = "longContext",
    }
}

record! {
    /// The price of the tokens of a long request, in dollars per million.
    LongContextPrice {
        /// The number of sent tokens above which these prices apply.
        above: u64 = "above",
        /// Tokens that are sent.
        input: f64 = "input",
        /// Tokens that are read from the cache.
        cached_input: f64 = "cachedInput",
        /// Tokens that are stored in the cache.
        cache_write: f64 = "cacheWrite",
        /// Tokens that are written.
        output: f64 = "output",
    }
}

impl Property for Price {
    fn read(value: Value<'_>) -> Result<Self, Wrong> {
        let price: Self = read_record(value)?;
        match (price.input, price.output) {
            (Some(_), Some(_)) => Ok(price),
            _ => Err(Wrong::new(value, "a price with `input` and `output`")),
        }
    }
}

impl Property for LongContextPrice {
    fn read(value: Value<'_>) -> Result<Self, Wrong> {
        let price: Self = read_record(value)?;
        match (price.above, price.input, price.output) {
            (Some(_), Some(_), Some(_)) => Ok(price),
            _ => Err(Wrong::new(
                value,
                "a price with `above`, `input` and `output`",
            )),
        }
    }
}

/// Reads a record inside of a row.
fn read_record<R: Record>(value: Value<'_>) -> Result<R, Wrong> {
    let known = || {
        let keys: Vec<String> = R::KEYS.iter().map(|key| format!("`{key}`")).collect();
        format!("a record with {}", keys.join(", "))
    };
    let ValueKind::Map(properties) = value.kind() else {
        return Err(Wrong::new(value, known()));
    };
    let mut record = R::default();
    let mut seen: Vec<&str> = Vec::new();
    for property in properties.properties() {
        let key = property.key();
        let wrong = |expected| Wrong {
            span: key.span(),
            expected,
            key: None,
        };
        if seen.contains(&key.text()) {
            return Err(wrong(format!("a record with `{}` once", key.text())));
        }
        seen.push(key.text());
        let read = record.read_property(key.text(), property.value());
        let read = read.unwrap_or_else(|| Err(wrong(known())));
        read.map_err(|wrong| Wrong {
            key: wrong.key.or_else(|| Some(key.text().to_owned())),
            ..wrong
        })?;
    }
    Ok(record)
}

words! {
    /// An interface of OpenAI, which other servers have, too.
    Api {
        /// `/responses`
        Responses = "responses",
        /// `/chat/completions`
        Chat = "chat",
    }
}

/// The request members that chat completions accept and Responses do not, for the `extra` of an agent.
pub const CHAT_MEMBERS: &[&str] = &[
    "audio",
    "frequency_penalty",
    "functions",
    "logit_bias",
    "logprobs",
    "modalities",
    "n",
    "prediction",
    "presence_penalty",
    "response_format",
    "seed",
    "stop",
    "verbosity",
    "web_search_options",
];

words! {
    /// The efforts with which chat completions accept tools for a model.
    ChatTools {
        /// With every effort.
        Always = "always",
        /// Only if the model does not think: the effort is `none`, or `none` is its default.
        EffortNone = "effort none",
        /// With no effort.
        Never = "never",
    }
}

words! {
    /// When a model accepts `temperature` and `topP`.
    Temperature {
        /// With every effort.
        Always = "always",
        /// Only if the model does not think: the effort is `none`, or `none` is its default.
        EffortNone = "effort none",
        /// The model accepts both settings, and they have no effect.
        Ignored = "ignored",
        /// The model rejects both settings.
        Never = "never",
    }
}

words! {
    /// When a model accepts a tool choice that demands a call.
    ForcedCalls {
        /// Always.
        Always = "always",
        /// Only without a budget for thoughts.
        WithoutThinking = "without thinking",
        /// The model rejects a tool choice that demands a call.
        Never = "never",
    }
}

words! {
    /// When a model thinks before it answers.
    Thinking {
        /// Thinking cannot be switched off.
        Always = "always",
        /// Thinking can be switched on and off.
        Optional = "optional",
        /// The model does not think.
        Never = "never",
    }
}

words! {
    /// A value of Anthropic's `thinking.type`.
    ThinkingType {
        /// The model decides how long it thinks.
        Adaptive = "adaptive",
        /// The model thinks for a limited number of tokens.
        Enabled = "enabled",
        /// The model does not think.
        Disabled = "disabled",
        /// The model thinks only between two calls.
        BetweenTools = "between_tools",
    }
}

words! {
    /// A kind of media in messages.
    MediaInput {
        /// Images.
        Image = "image",
        /// Documents, such as PDF files.
        Document = "document",
        /// Sound.
        Audio = "audio",
        /// Films.
        Video = "video",
    }
}

words! {
    /// When the vendor's own structured output can be used.
    StructuredOutput {
        /// Together with tools, too.
        Always = "always",
        /// In requests without tools.
        WithoutTools = "without tools",
        /// Never.
        Never = "never",
    }
}

words! {
    /// The name of the parameter of chat completions for the maximum number of tokens of an answer.
    MaxTokens {
        /// The name for OpenAI's newer models.
        Completion = "max_completion_tokens",
        /// The older name, which many servers use.
        Plain = "max_tokens",
    }
}

words! {
    /// The format of requests.
    WireFormat {
        /// The format of OpenAI and of compatible servers.
        OpenAi = "OpenAI",
        /// The format of Anthropic's messages.
        Anthropic = "Anthropic",
        /// The format of Google's Gemini API.
        Google = "Google",
        /// The format of Ollama.
        Ollama = "Ollama",
    }
}
