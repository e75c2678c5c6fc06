//! The agents and tools that every reader reads: made up, and the same in each run.

/// How many agents there are.
pub(crate) const AGENTS: usize = 1_000;

/// How many tools each of them has.
pub(crate) const TOOLS_OF_AN_AGENT: usize = 10;

/// An agent with its tools.
pub(crate) struct Agent {
    pub name: String,
    pub description: String,
    pub instruction: String,
    pub model: &'static str,
    /// In tenths, so that it is written in one way.
    pub temperature: usize,
    pub tools: Vec<Tool>,
}

/// A tool with its signature.
pub(crate) struct Tool {
    pub name: String,
    pub description: String,
    pub params: Vec<Param>,
    pub returns: &'static str,
}

/// A parameter. Its type goes with its name: a document that uses one name for two types gets a
/// warning from the checker, and there are none here.
#[derive(Clone, Copy)]
pub(crate) struct Param {
    pub name: &'static str,
    pub label: &'static str,
    /// What the record says besides the default and the description.
    pub detail: Detail,
    /// As written in gram and in JSON alike.
    pub default: Option<&'static str>,
    pub description: Option<&'static str>,
}

/// What a parameter's type says beyond its label.
#[derive(Clone, Copy)]
pub(crate) enum Detail {
    Nothing,
    /// Fields of a record: a name and a type expression each.
    Fields(&'static [(&'static str, &'static str)]),
    ElementType(&'static str),
    OneOf(&'static [&'static str]),
}

const fn param(name: &'static str, label: &'static str) -> Param {
    Param {
        name,
        label,
        detail: Detail::Nothing,
        default: None,
        description: None,
    }
}

const PARAMS: &[Param] = &[
    param("query", "Text"),
    param("userId", "Int"),
    Param {
        default: Some("\"world\""),
        ..param("personName", "Text")
    },
    Param {
        default: Some("25"),
        description: Some("How many results at most"),
        ..param("limit", "Int")
    },
    Param {
        default: Some("0.75"),
        ..param("threshold", "Double")
    },
    Param {
        default: Some("false"),
        description: Some("Whether to look into folders"),
        ..param("recursive", "Bool")
    },
    Param {
        detail: Detail::ElementType("Text"),
        ..param("tags", "Array")
    },
    Param {
        detail: Detail::OneOf(&["\"asc\"", "\"desc\""]),
        default: Some("\"asc\""),
        ..param("order", "Text")
    },
    Param {
        detail: Detail::Fields(&[("street", "Text"), ("city", "Text"), ("zip", "Maybe Text")]),
        ..param("address", "Object")
    },
    Param {
        detail: Detail::Fields(&[("from", "Text"), ("to", "Text")]),
        description: Some("The days to look at, both included"),
        ..param("period", "Object")
    },
];

const VERBS: &[&str] = &[
    "find", "list", "create", "update", "remove", "count", "export", "check", "send", "plan",
];

const NOUNS: &[&str] = &[
    "Orders",
    "Customers",
    "Invoices",
    "Messages",
    "Files",
    "Meetings",
    "Reports",
    "Tickets",
    "Routes",
    "Products",
];

const MANNERS: &[&str] = &[
    "by name, in the order they were made",
    "of the last quarter",
    "and says \\\"done\\\" when there are none",
    "for one customer",
    "without asking again",
    "as a caf\u{e9} owner would",
];

const RETURNS: &[&str] = &["String", "Int", "Bool", "Object"];

const MODELS: &[&str] = &[
    "OpenAI/gpt-6-luna",
    "Anthropic/claude-sonnet-5-5",
    "Google/gemini-3.8-flash",
    "Ollama/llama3.2",
];

/// Numbers that look random: a linear congruential generator, whose high bits are good enough here.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// The agents, one after another, without end.
pub(crate) fn agents() -> impl Iterator<Item = Agent> {
    let mut dice = Dice(2_024);
    (0..).map(move |number| agent(&mut dice, number))
}

fn agent(dice: &mut Dice, number: usize) -> Agent {
    let noun = dice.pick(NOUNS);
    Agent {
        name: format!("agent{number}"),
        description: format!("Looks after {noun}, and answers what people ask about them"),
        instruction: format!(
            "You are a careful assistant for {noun}. Use the tools that you have; \
             when none of them fits, say so."
        ),
        model: dice.pick(MODELS),
        temperature: dice.below(10),
        tools: (0..TOOLS_OF_AN_AGENT)
            .map(|index| tool(dice, number * TOOLS_OF_AN_AGENT + index))
            .collect(),
    }
}

fn tool(dice: &mut Dice, number: usize) -> Tool {
    let verb = dice.pick(VERBS);
    let noun = dice.pick(NOUNS);
    let first = dice.below(PARAMS.len());
    Tool {
        name: format!("{verb}{noun}{number}"),
        description: format!("Will {verb} {noun} {}", dice.pick(MANNERS)),
        // Neighbours in the list, so that no tool has a parameter twice.
        params: (0..1 + dice.below(4))
            .map(|index| PARAMS[(first + index) % PARAMS.len()])
            .collect(),
        returns: dice.pick(RETURNS),
    }
}
