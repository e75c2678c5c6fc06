//! The rules of the vendors for their 56 models, by the vendors' documentation of November 2026. They are written
//! independently of the catalogue of the product, so that a mistake there is found.

/// The sampling parameters that a model accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sampling {
    Always,
    /// Only if the effort of the request is `none`.
    WithoutThought,
    Never,
}

/// The requests with tools that chat completions accept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChatTools {
    Always,
    /// Only if the effort of the request is `none`.
    WithoutThought,
    Never,
    /// The model has no chat completions at all.
    NoChat,
}

/// The demands of a call that a model of Anthropic accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Forced {
    Always,
    /// Not together with a budget of thinking.
    WithoutBudget,
    Never,
}

/// A model of OpenAI.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenAi {
    pub(crate) id: &'static str,
    /// The efforts on the Responses API.
    pub(crate) efforts: &'static [&'static str],
    pub(crate) default_effort: Option<&'static str>,
    pub(crate) sampling: Sampling,
    pub(crate) chat_tools: ChatTools,
    pub(crate) max_output: u64,
}

impl OpenAi {
    pub(crate) fn reasons(&self) -> bool {
        !self.efforts.is_empty()
    }

    /// The efforts on chat completions, where no model has `max`.
    pub(crate) fn chat_efforts(&self) -> Vec<&'static str> {
        let efforts = self.efforts.iter().copied();
        efforts.filter(|effort| *effort != "max").collect()
    }

    /// Whether the model thinks in a request with this effort.
    pub(crate) fn thinks(&self, effort: Option<&str>) -> bool {
        self.reasons() && effort.or(self.default_effort) != Some("none")
    }

    /// Whether chat completions accept `stop`.
    pub(crate) fn has_stop(&self) -> bool {
        self.id != "o3" && !self.id.starts_with("gpt-6")
    }
}

/// A model of Anthropic.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Anthropic {
    pub(crate) id: &'static str,
    pub(crate) efforts: &'static [&'static str],
    /// Whether the model accepts sampling parameters: without a budget of thinking, one of them at a time.
    pub(crate) has_sampling: bool,
    pub(crate) forced: Forced,
    /// The values of `thinking.type`.
    pub(crate) thinking: &'static [&'static str],
    /// Whether the model thinks if the request has no `thinking`.
    pub(crate) thinks_by_default: bool,
    /// Whether a thinking block is valid only behind the prefix for which it was written.
    pub(crate) is_bound: bool,
    /// Whether thoughts are empty unless the request has a `display`.
    pub(crate) hides_text: bool,
    pub(crate) max_output: u64,
}

/// A model of Google.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Google {
    pub(crate) id: &'static str,
    /// The thinking levels; none for models with a budget instead.
    pub(crate) levels: &'static [&'static str],
    /// The least and the greatest thinking budget, where it is checked.
    pub(crate) budget: Option<(u64, u64)>,
    pub(crate) max_output: u64,
}

impl Google {
    /// Whether the model is of Gemini 3 or later: calls need signatures, and a schema may stand beside tools.
    pub(crate) fn is_third_or_later(&self) -> bool {
        !self.id.starts_with("gemini-2")
    }

    /// Whether a request may end with a content of the model.
    pub(crate) fn may_end_with_model(&self) -> bool {
        let is_later = |after| self.id.starts_with(after);
        let refuses = [
            "gemini-3.5-flash-lite",
            "gemini-3.6",
            "gemini-3.7",
            "gemini-3.8",
            "gemini-4",
        ];
        !refuses.into_iter().any(is_later)
    }
}

const NO_EFFORTS: &[&str] = &[];
const LOW_TO_HIGH: &[&str] = &["low", "medium", "high"];
const LOW_TO_XHIGH: &[&str] = &["low", "medium", "high", "xhigh"];
const LOW_TO_MAX: &[&str] = &["low", "medium", "high", "xhigh", "max"];
const LOW_TO_HIGH_AND_MAX: &[&str] = &["low", "medium", "high", "max"];
const MEDIUM_TO_XHIGH: &[&str] = &["medium", "high", "xhigh"];
const MINIMAL_TO_HIGH: &[&str] = &["minimal", "low", "medium", "high"];
const NONE_TO_HIGH: &[&str] = &["none", "low", "medium", "high"];
const NONE_TO_XHIGH: &[&str] = &["none", "low", "medium", "high", "xhigh"];
const NONE_TO_MAX: &[&str] = &["none", "low", "medium", "high", "xhigh", "max"];

const fn openai(
    id: &'static str,
    efforts: &'static [&'static str],
    default_effort: Option<&'static str>,
    sampling: Sampling,
    chat_tools: ChatTools,
) -> OpenAi {
    OpenAi {
        id,
        efforts,
        default_effort,
        sampling,
        chat_tools,
        max_output: 128_000,
    }
}

/// A model that does not reason.
const fn plain_openai(id: &'static str, max_output: u64) -> OpenAi {
    OpenAi {
        max_output,
        ..openai(id, NO_EFFORTS, None, Sampling::Always, ChatTools::Always)
    }
}

/// A model that always reasons, with tools on the Responses API alone.
const fn astra(id: &'static str) -> OpenAi {
    openai(id, LOW_TO_MAX, None, Sampling::Never, ChatTools::Never)
}

/// A model with a choice of reasoning, and with tools in chat completions if it does not reason.
const fn sol(
    id: &'static str,
    efforts: &'static [&'static str],
    default_effort: &'static str,
) -> OpenAi {
    let default_effort = Some(default_effort);
    let (sampling, tools) = (Sampling::WithoutThought, ChatTools::WithoutThought);
    openai(id, efforts, default_effort, sampling, tools)
}

const fn pro(id: &'static str) -> OpenAi {
    openai(
        id,
        MEDIUM_TO_XHIGH,
        None,
        Sampling::Never,
        ChatTools::NoChat,
    )
}

/// A model of the time in which reasoning could not be switched off.
const fn older(id: &'static str, efforts: &'static [&'static str]) -> OpenAi {
    openai(
        id,
        efforts,
        Some("medium"),
        Sampling::Never,
        ChatTools::Always,
    )
}

pub(crate) const OPENAI: [OpenAi; 27] = [
    astra("gpt-6.2-astra"),
    astra("gpt-6.2-sol"),
    astra("gpt-6-astra"),
    astra("gpt-6.1-sol"),
    sol("gpt-6.1-terra", NONE_TO_MAX, "medium"),
    sol("gpt-6-sol", NONE_TO_MAX, "medium"),
    sol("gpt-6-luna", NONE_TO_MAX, "medium"),
    sol("gpt-5.6-sol", NONE_TO_MAX, "medium"),
    sol("gpt-5.6-terra", NONE_TO_MAX, "medium"),
    sol("gpt-5.6-luna", NONE_TO_MAX, "medium"),
    sol("gpt-5.5", NONE_TO_XHIGH, "medium"),
    pro("gpt-5.5-pro"),
    sol("gpt-5.4", NONE_TO_XHIGH, "none"),
    pro("gpt-5.4-pro"),
    sol("gpt-5.4-mini", NONE_TO_XHIGH, "none"),
    sol("gpt-5.4-nano", NONE_TO_XHIGH, "none"),
    OpenAi {
        chat_tools: ChatTools::NoChat,
        ..sol("gpt-5.3-codex", NONE_TO_XHIGH, "none")
    },
    OpenAi {
        chat_tools: ChatTools::Always,
        ..sol("gpt-5.2", NONE_TO_XHIGH, "none")
    },
    OpenAi {
        chat_tools: ChatTools::Always,
        ..sol("gpt-5.1", NONE_TO_HIGH, "none")
    },
    older("gpt-5", MINIMAL_TO_HIGH),
    older("gpt-5-mini", MINIMAL_TO_HIGH),
    older("gpt-5-nano", MINIMAL_TO_HIGH),
    OpenAi {
        max_output: 100_000,
        ..older("o3", LOW_TO_HIGH)
    },
    plain_openai("gpt-4.1", 32_768),
    plain_openai("gpt-4.1-mini", 32_768),
    plain_openai("gpt-4o", 16_384),
    plain_openai("gpt-4o-mini", 16_384),
];

const ADAPTIVE: &[&str] = &["adaptive"];
const BETWEEN_TOOLS: &[&str] = &["adaptive", "between_tools"];
const ADAPTIVE_OR_NOT: &[&str] = &["adaptive", "disabled"];
const ALL_TYPES: &[&str] = &["adaptive", "enabled", "disabled"];
const BUDGET: &[&str] = &["enabled", "disabled"];

/// A model with adaptive thinking. Those that always think refuse a demanded call, with the exception of fable-5.
const fn adaptive(
    id: &'static str,
    thinking: &'static [&'static str],
    forced: Forced,
) -> Anthropic {
    Anthropic {
        id,
        efforts: LOW_TO_MAX,
        has_sampling: false,
        forced,
        thinking,
        thinks_by_default: true,
        is_bound: false,
        hides_text: false,
        max_output: 128_000,
    }
}

/// A model whose thinking blocks are bound to their prefix.
const fn bound(id: &'static str, thinking: &'static [&'static str], forced: Forced) -> Anthropic {
    Anthropic {
        is_bound: true,
        ..adaptive(id, thinking, forced)
    }
}

/// A model that thinks on request, and then may have a budget.
const fn with_budget(
    id: &'static str,
    efforts: &'static [&'static str],
    thinking: &'static [&'static str],
    max_output: u64,
) -> Anthropic {
    Anthropic {
        efforts,
        has_sampling: true,
        thinks_by_default: false,
        max_output,
        ..adaptive(id, thinking, Forced::WithoutBudget)
    }
}

pub(crate) const ANTHROPIC: [Anthropic; 15] = [
    bound("claude-fable-5-2", ADAPTIVE, Forced::Never),
    bound("claude-fable-5-1", ADAPTIVE, Forced::Never),
    adaptive("claude-fable-5", ADAPTIVE, Forced::Always),
    Anthropic {
        hides_text: true,
        ..bound("claude-opus-5-5", ADAPTIVE, Forced::Never)
    },
    adaptive("claude-opus-5", ADAPTIVE_OR_NOT, Forced::Always),
    bound("claude-sonnet-5-5", BETWEEN_TOOLS, Forced::Never),
    adaptive("claude-sonnet-5", ADAPTIVE_OR_NOT, Forced::Always),
    bound("claude-haiku-5-5", ADAPTIVE_OR_NOT, Forced::Always),
    Anthropic {
        thinks_by_default: false,
        ..adaptive("claude-opus-4-8", ADAPTIVE_OR_NOT, Forced::Always)
    },
    Anthropic {
        thinks_by_default: false,
        ..adaptive("claude-opus-4-7", ADAPTIVE_OR_NOT, Forced::Always)
    },
    with_budget("claude-opus-4-6", LOW_TO_HIGH_AND_MAX, ALL_TYPES, 128_000),
    with_budget("claude-sonnet-4-6", LOW_TO_HIGH_AND_MAX, ALL_TYPES, 128_000),
    with_budget("claude-opus-4-5", LOW_TO_HIGH, BUDGET, 64_000),
    with_budget("claude-sonnet-4-5", NO_EFFORTS, BUDGET, 64_000),
    with_budget("claude-haiku-4-5", NO_EFFORTS, BUDGET, 64_000),
];

/// A model with thinking levels.
const fn levelled(id: &'static str, levels: &'static [&'static str]) -> Google {
    Google {
        id,
        levels,
        budget: None,
        max_output: 65_536,
    }
}

/// A model of Gemini 4, whose answers may be as long as its context.
const fn fourth(id: &'static str, levels: &'static [&'static str]) -> Google {
    Google {
        max_output: 1_048_576,
        ..levelled(id, levels)
    }
}

/// A model of Gemini 2.5, with a thinking budget.
const fn budgeted(id: &'static str, least: u64, most: u64) -> Google {
    Google {
        budget: Some((least, most)),
        ..levelled(id, NO_EFFORTS)
    }
}

pub(crate) const GOOGLE: [Google; 14] = [
    fourth("gemini-4-argon", LOW_TO_HIGH),
    fourth("gemini-4-carbon", LOW_TO_HIGH),
    fourth("gemini-4-hydrogen", LOW_TO_XHIGH),
    levelled("gemini-3.8-flash", LOW_TO_HIGH),
    levelled("gemini-3.7-flash", LOW_TO_HIGH),
    levelled("gemini-3.6-flash", MINIMAL_TO_HIGH),
    levelled("gemini-3.5-flash", MINIMAL_TO_HIGH),
    levelled("gemini-3.5-flash-lite", MINIMAL_TO_HIGH),
    levelled("gemini-3.1-flash-lite", MINIMAL_TO_HIGH),
    levelled("gemini-3.1-pro-preview", LOW_TO_HIGH),
    levelled("gemini-3-flash-preview", MINIMAL_TO_HIGH),
    budgeted("gemini-2.5-pro", 128, 32_768),
    budgeted("gemini-2.5-flash", 0, 24_576),
    budgeted("gemini-2.5-flash-lite", 0, 24_576),
];

/// The providers and the ids of all models.
pub(crate) fn all_models() -> Vec<(&'static str, &'static str)> {
    let openai = OPENAI.iter().map(|model| ("OpenAI", model.id));
    let anthropic = ANTHROPIC.iter().map(|model| ("Anthropic", model.id));
    let google = GOOGLE.iter().map(|model| ("Google", model.id));
    openai.chain(anthropic).chain(google).collect()
}
