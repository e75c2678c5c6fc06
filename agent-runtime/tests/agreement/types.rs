//! The types that are compared, each with a tool that gives back its argument.

use agent_runtime::serde::{Deserialize, Serialize};
use agent_runtime::{GramType, tool};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::Ipv4Addr;
use std::num::{NonZeroI8, NonZeroU8};
use std::time::Duration;

macro_rules! types {
    ($($(#[$meta:meta])* $tool:ident: $ty:ty;)+) => {$(
        /// Gives back its argument
        #[tool(inline)]
        $(#[$meta])*
        pub(super) fn $tool(value: $ty) -> $ty {
            value
        }
    )+};
}

types! {
    person: Person;
    stars: Stars;
    page: Page<Mode>;
    request: Request;
    options: Options;
    numbers: Numbers;
    lists: Lists;
    plan: Plan;
    mode: Mode;
    internal: Internal;
    adjacent: Adjacent;
    same: Same;
    external: External;
    pages: Pages;
    sized: Sized;
    mixed: Mixed;
    untagged: Untagged;
    tail: Tail;
    pairs: Pairs;
}

/// Gives back its argument, unless it breaks what narrows the fields of its variant
#[tool(inline)]
pub(super) fn merged(value: Merged<Vec<Stars>>) -> Result<Merged<Vec<Stars>>, String> {
    let stars = |stars: &Stars| (1..=5).contains(&stars.0);
    let narrowed = match &value {
        Merged::Held(_) => true,
        Merged::Flat { page, stars: of } => page.items.iter().all(stars) && stars(of),
        Merged::Kept { more, .. } => more.iter().all(stars),
        Merged::Stated { mode, stars, .. } => {
            ["dry-run", "all"].contains(&mode.as_str()) && (1..=5).contains(stars)
        }
    };
    narrowed.then_some(value).ok_or(super::LOST.to_owned())
}

#[derive(Clone, Debug, Deserialize, Serialize, GramType)]
#[serde(crate = "agent_runtime::serde", rename_all = "camelCase")]
pub(super) struct Person {
    full_name: String,
    #[serde(rename = "years")]
    age: Option<u8>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    #[gram(minimum = 0.5, maximum = 2.5)]
    height: f64,
    #[gram(default = "en", min_length = 2, max_length = 2)]
    language: String,
    #[gram(enum = [1, 2, 3])]
    level: i64,
    stars: Stars,
    mode: Mode,
    #[serde(skip)]
    _cache: u8,
}

pub(super) fn any_person() -> impl Strategy<Value = Person> {
    let mode = prop_oneof![Just(Mode::DryRun), Just(Mode::Everything)];
    let parts = (
        ".*",
        any::<Option<u8>>(),
        proptest::collection::vec(".*", 0..3),
        0.5..2.5f64,
    );
    (parts, "[a-z]{2}", 1..4i64, 1..6u8, mode).prop_map(
        |((full_name, age, tags, height), language, level, stars, mode)| Person {
            full_name,
            age,
            tags,
            height,
            language,
            level,
            stars: Stars(stars),
            mode,
            _cache: 0,
        },
    )
}

#[derive(Clone, Debug, Deserialize, Serialize, GramType)]
#[serde(crate = "agent_runtime::serde")]
#[gram(minimum = 1, maximum = 5)]
pub(super) struct Stars(u8);

#[derive(Deserialize, Serialize, GramType)]
#[serde(crate = "agent_runtime::serde")]
pub(super) struct Page<T> {
    items: Vec<T>,
    next: Option<u32>,
}

#[derive(Deserialize, Serialize, GramType)]
#[serde(crate = "agent_runtime::serde")]
pub(super) struct Request {
    id: u8,
    #[serde(flatten)]
    page: Page<Stars>,
}

#[derive(Default, Deserialize, Serialize, GramType)]
#[serde(crate = "agent_runtime::serde", default)]
pub(super) struct Options {
    verbose: bool,
    #[gram(type = "[Int]", max_items = 2)]
    levels: Vec<i64>,
    depth: u8,
}

#[derive(Deserialize, Serialize, GramType)]
#[serde(crate = "agent_runtime::serde")]
pub(super) struct Numbers {
    small: u8,
    above: NonZeroU8,
    other: NonZeroI8,
    wide: Option<i64>,
    ratio: f64,
    letter: char,
    address: Option<Ipv4Addr>,
}

#[derive(Deserialize, Serialize, GramType)]
#[serde(crate = "agent_runtime::serde")]
pub(super) struct Lists {
    pair: [u8; 2],
    set: BTreeSet<u8>,
    queue: VecDeque<Option<bool>>,
    map: BTreeMap<String, Vec<f64>>,
    boxed: Box<[String]>,
}

#[derive(Deserialize, Serialize, GramType)]
#[serde(crate = "agent_runtime::serde")]
pub(super) struct Plan {
    every: Duration,
    #[gram(default = "1h")]
    within: Duration,
    breaks: Vec<Duration>,
    named: BTreeMap<String, Duration>,
}

#[derive(Clone, Debug, Deserialize, Serialize, GramType)]
#[serde(crate = "agent_runtime::serde", rename_all = "kebab-case")]
pub(super) enum Mode {
    DryRun,
    #[serde(rename = "all")]
    Everything,
}

#[derive(Deserialize, Serialize, GramType)]
#[serde(crate = "agent_runtime::serde")]
pub(super) struct Circle {
    radius: f64,
    name: Option<String>,
}

#[derive(Deserialize, Serialize, GramType)]
#[serde(crate = "agent_runtime::serde", tag = "kind", rename_all = "lowercase")]
pub(super) enum Internal {
    Circle(Circle),
    Square { side: f64, name: String },
    Nothing,
}

#[derive(Deserialize, Serialize, GramType)]
#[serde(crate = "agent_runtime::serde", tag = "t", content = "c")]
pub(super) enum Adjacent {
    Circle(Circle),
    Square { side: f64, radius: f64 },
    Nothing,
}

#[derive(Deserialize, Serialize, GramType)]
#[serde(crate = "agent_runtime::serde", tag = "t", content = "c")]
pub(super) enum Same {
    A(Stars),
    B(Stars),
}

#[derive(Deserialize, Serialize, GramType)]
#[serde(crate = "agent_runtime::serde", rename_all = "snake_case")]
pub(super) enum External {
    Plain(String),
    Both { a: u8, b: bool },
}

#[derive(Deserialize, Serialize, GramType)]
#[serde(crate = "agent_runtime::serde", tag = "t", content = "c")]
pub(super) enum Pages {
    First(Sizes),
    Last(Sizes),
    None,
}

#[derive(Deserialize, Serialize, GramType)]
#[serde(crate = "agent_runtime::serde")]
pub(super) struct Sizes {
    #[gram(default = 10, minimum = 1)]
    size: u8,
    stars: Stars,
}

#[derive(Deserialize, Serialize, GramType)]
#[serde(crate = "agent_runtime::serde", rename_all = "snake_case")]
pub(super) enum Sized {
    Held(Sizes),
    Own {
        #[gram(default = 5, maximum = 9)]
        size: u8,
    },
}

#[derive(Deserialize, Serialize, GramType)]
#[serde(crate = "agent_runtime::serde", rename_all = "snake_case")]
pub(super) enum Mixed {
    Nothing,
    Sized(Sizes),
    Pair(u8, String),
    Every(Duration),
    All,
}

#[derive(Deserialize, Serialize, GramType)]
#[serde(crate = "agent_runtime::serde", untagged)]
pub(super) enum Untagged {
    Number(u8),
    Circle { radius: f64, name: Option<String> },
    Square { side: f64 },
    List(Vec<bool>),
    Mode(Mode),
    Name(String),
}

#[derive(Deserialize, Serialize, GramType)]
#[serde(crate = "agent_runtime::serde", rename_all = "snake_case")]
pub(super) enum Tail {
    Nothing,
    Both {
        a: u8,
        b: bool,
    },
    #[serde(untagged)]
    Number(i64),
    #[serde(untagged)]
    Named(BTreeMap<String, u8>),
}

#[derive(Deserialize, Serialize, GramType)]
#[serde(crate = "agent_runtime::serde")]
pub(super) struct Pairs(Vec<(u8, bool)>, #[gram(maximum = 9)] u8, Option<Duration>);

/// One record of all: fields of one name that are held, flattened and written, whose types say the
/// same in different ways.
#[derive(Deserialize, Serialize, GramType)]
#[serde(crate = "agent_runtime::serde", tag = "kind")]
pub(super) enum Merged<T> {
    /// A round one
    Held(Circle),
    Flat {
        #[serde(flatten)]
        page: Page<Stars>,
        stars: Stars,
    },
    Kept {
        mode: Mode,
        many: Vec<u8>,
        more: T,
    },
    Stated {
        #[gram(enum = ["dry-run", "all"])]
        mode: String,
        many: Vec<i64>,
        #[gram(minimum = 1, maximum = 5)]
        stars: i64,
    },
}
