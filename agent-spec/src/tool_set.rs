//! The tools that an agent or a library is given, as constants.

use crate::tool::{ToolDescriptor, ToolSettings};
use agent_types::__private::same_text;
use agent_types::{Returns, Signature, Type};

/// The placeholder for a tool whose macro reported a mistake. Its name is empty, unlike the name of every
/// other tool.
pub const BROKEN_TOOL: &ToolDescriptor = &ToolDescriptor::from_static(
    "",
    "",
    Signature::from_static(&[], Returns::from_static(Type::ANY, None)),
    ToolSettings::DEFAULT,
);

/// The placeholder for a function without `#[tool]`. It is broken, too, so that a check of an agent does not
/// report follow-up errors.
pub const FUNCTION_WITHOUT_TOOL: &ToolDescriptor = &ToolDescriptor::from_static(
    "",
    "a function without `#[tool]`",
    Signature::from_static(&[], Returns::from_static(Type::ANY, None)),
    ToolSettings::DEFAULT,
);

/// The placeholder for a function that is private where it is listed, which is broken, too.
pub const PRIVATE_FUNCTION: &ToolDescriptor = &ToolDescriptor::from_static(
    "",
    PRIVATE,
    Signature::from_static(&[], Returns::from_static(Type::ANY, None)),
    ToolSettings::DEFAULT,
);

const PRIVATE: &str = "a function that is private";

/// Tools that are known when they are compiled: one, or the tools of several sets.
///
/// The sets form a tree, because a `const` cannot join lists whose lengths depend on a type.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum ToolSet {
    /// A set of one tool.
    Tool(&'static ToolDescriptor),
    /// Tools in a list, such as the methods of a toolbox.
    List(&'static [&'static ToolDescriptor]),
    /// The tools of several sets.
    Sets(&'static [ToolSet]),
}

impl ToolSet {
    /// No tools.
    pub const EMPTY: Self = Self::List(&[]);

    /// The number of tools.
    #[must_use]
    pub const fn len(&self) -> usize {
        match self {
            Self::Tool(_) => 1,
            Self::List(tools) => tools.len(),
            Self::Sets(sets) => {
                let mut len = 0;
                let mut at = 0;
                while at < sets.len() {
                    len += sets[at].len();
                    at += 1;
                }
                len
            }
        }
    }

    /// Whether there are no tools.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The tool at a place, counted through all sets in order.
    #[must_use]
    pub const fn get(&self, at: usize) -> Option<&'static ToolDescriptor> {
        match self {
            Self::Tool(tool) if at == 0 => Some(tool),
            Self::List(tools) if at < tools.len() => Some(tools[at]),
            Self::Sets(sets) => {
                let mut left = at;
                let mut set = 0;
                while set < sets.len() {
                    let len = sets[set].len();
                    if left < len {
                        return sets[set].get(left);
                    }
                    left -= len;
                    set += 1;
                }
                None
            }
            _ => None,
        }
    }

    /// The tools in order.
    pub fn iter(&self) -> impl Iterator<Item = &'static ToolDescriptor> {
        let set = *self;
        (0..self.len()).filter_map(move |at| set.get(at))
    }
}

/// A tool of a list, prepared for a search by name. The list is also a hash table, with as many chains as it
/// has tools, because the steps of a `const` are limited.
#[derive(Clone, Copy, Debug)]
pub struct ListedTool {
    hash: u64,
    element: usize,
    tool: &'static ToolDescriptor,
    /// The first tool of the chain whose number is this tool's position.
    chain: Option<usize>,
    /// The next tool of the chain that this tool is in.
    next: Option<usize>,
    /// A tool of the same name in an element before this one's.
    double: Option<usize>,
}

impl ListedTool {
    /// The tool.
    #[must_use]
    pub const fn tool(&self) -> &'static ToolDescriptor {
        self.tool
    }

    /// The position of the element that the tool belongs to.
    pub(crate) const fn element(&self) -> usize {
        self.element
    }

    /// Whether this is the placeholder for a function that cannot be listed: one without `#[tool]`, or a private one.
    pub(crate) const fn is_untagged(&self) -> bool {
        self.tool.is_broken() && !self.tool.description().is_empty()
    }

    /// Whether this is the placeholder for a private function.
    pub(crate) const fn is_private(&self) -> bool {
        self.is_untagged() && same_text(self.tool.description(), PRIVATE)
    }

    /// The place of a tool of the same name in an element before this one's.
    pub(crate) const fn double(&self) -> Option<usize> {
        self.double
    }
}

/// The tools of several sets in one list; `N` is the [length](ToolSet::len) of all together.
#[must_use]
pub const fn list_tools<const N: usize>(sets: &[ToolSet]) -> [ListedTool; N] {
    let mut list = [ListedTool {
        hash: 0,
        element: 0,
        tool: BROKEN_TOOL,
        chain: None,
        next: None,
        double: None,
    }; N];
    let mut len = 0;
    let mut element = 0;
    while element < sets.len() {
        len = put(&mut list, len, &sets[element], element);
        element += 1;
    }
    list
}

const fn put(list: &mut [ListedTool], from: usize, set: &ToolSet, element: usize) -> usize {
    let mut len = from;
    match set {
        ToolSet::Tool(tool) => {
            put_tool(list, len, tool, element);
            len += 1;
        }
        ToolSet::List(tools) => {
            let mut at = 0;
            while at < tools.len() {
                put_tool(list, len, tools[at], element);
                len += 1;
                at += 1;
            }
        }
        ToolSet::Sets(sets) => {
            let mut at = 0;
            while at < sets.len() {
                len = put(list, len, &sets[at], element);
                at += 1;
            }
        }
    }
    len
}

const fn put_tool(
    list: &mut [ListedTool],
    at: usize,
    tool: &'static ToolDescriptor,
    element: usize,
) {
    let hash = name_hash(tool.name());
    list[at].hash = hash;
    list[at].element = element;
    list[at].tool = tool;
    match find(list, tool.name(), hash) {
        // A search by name finds the first tool of that name.
        Some(first) => {
            // The macro of a broken tool reported its mistake at the tool.
            if list[first].element < element && !tool.is_broken() {
                list[at].double = Some(first);
            }
        }
        None => {
            let chain = chain_of(hash, list.len());
            list[at].next = list[chain].chain;
            list[chain].chain = Some(at);
        }
    }
}

const fn chain_of(hash: u64, chains: usize) -> usize {
    (hash % chains as u64) as usize
}

/// The place of the first tool of a name.
const fn find(list: &[ListedTool], name: &str, hash: u64) -> Option<usize> {
    if list.is_empty() {
        return None;
    }
    let mut next = list[chain_of(hash, list.len())].chain;
    while let Some(at) = next {
        if list[at].hash == hash && same_text(list[at].tool.name(), name) {
            return Some(at);
        }
        next = list[at].next;
    }
    None
}

/// The 64-bit FNV-1a hash of a name.
#[must_use]
pub const fn name_hash(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut at = 0;
    while at < bytes.len() {
        hash ^= bytes[at] as u64;
        hash = hash.wrapping_mul(0x0000_0100_0000_01b3);
        at += 1;
    }
    hash
}

/// The tool of a name, if it is there.
#[must_use]
pub const fn find_tool(name: &str, tools: &[ListedTool]) -> Option<&'static ToolDescriptor> {
    match find(tools, name, name_hash(name)) {
        Some(at) => Some(tools[at].tool),
        None => None,
    }
}

/// Whether a list has a function that cannot be listed, or a tool of one element has the name of a tool of an
/// element before it.
#[must_use]
pub const fn has_mistakes(tools: &[ListedTool]) -> bool {
    let mut at = 0;
    while at < tools.len() {
        if tools[at].double.is_some() || tools[at].is_untagged() {
            return true;
        }
        at += 1;
    }
    false
}

/// The place of the first tool of an element that has the name of a tool of an element before it.
pub(crate) const fn first_double(tools: &[ListedTool], element: usize) -> Option<usize> {
    let mut at = first_of(tools, element);
    while at < tools.len() && tools[at].element == element {
        if tools[at].double.is_some() {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// Returns the position of the first tool of an element; tools are in the order of the elements.
pub(crate) const fn first_of(tools: &[ListedTool], element: usize) -> usize {
    let (mut low, mut high) = (0, tools.len());
    while low < high {
        let middle = low + (high - low) / 2;
        if tools[middle].element < element {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn tool(name: &'static str) -> ToolDescriptor {
        let signature = Signature::from_static(&[], Returns::from_static(Type::ANY, None));
        ToolDescriptor::from_static(name, "d", signature, ToolSettings::DEFAULT)
    }

    static A: ToolDescriptor = tool("a");
    static B: ToolDescriptor = tool("b");
    static C: ToolDescriptor = tool("c");
    static OTHER_A: ToolDescriptor = tool("a");

    fn names(set: &ToolSet) -> Vec<&str> {
        set.iter().map(ToolDescriptor::name).collect()
    }

    #[test]
    fn set_counts_and_returns_the_tools_of_nested_sets() {
        const INNER: &[ToolSet] = &[ToolSet::List(&[&B, &C]), ToolSet::EMPTY];
        const SET: ToolSet = ToolSet::Sets(&[ToolSet::Tool(&A), ToolSet::Sets(INNER)]);
        assert_eq!((SET.len(), INNER[1].is_empty()), (3, true));
        assert_eq!(names(&SET), ["a", "b", "c"]);
        assert!(SET.get(3).is_none() && INNER[1].get(0).is_none());
    }

    #[test]
    fn prints_all_tools_with_blank_lines_between_them() {
        const SET: ToolSet = ToolSet::List(&[&A, &B]);
        let [first, second] = [&A, &B].map(|tool| tool.to_gram().expect("it has a signature"));
        assert_eq!(SET.to_gram(), format!("{first}\n\n{second}\n"));
    }

    #[test]
    fn finds_tools_by_name_in_every_set() {
        const SETS: &[ToolSet] = &[
            ToolSet::Sets(&[ToolSet::EMPTY, ToolSet::Tool(&B)]),
            ToolSet::List(&[&A, &C]),
        ];
        let list = list_tools::<3>(SETS);
        for name in ["a", "b", "c"] {
            assert_eq!(find_tool(name, &list).map(ToolDescriptor::name), Some(name));
        }
        assert!(find_tool("d", &list).is_none());
    }

    #[test]
    fn finds_a_duplicate_at_the_second_element() {
        const SETS: &[ToolSet] = &[
            ToolSet::Tool(&B),
            ToolSet::List(&[&C, &A]),
            ToolSet::Tool(&OTHER_A),
        ];
        let list = list_tools::<4>(SETS);
        assert!(has_mistakes(&list) && !has_mistakes(&list_tools::<3>(&SETS[..2])));
        assert!(first_double(&list, 0).is_none() && first_double(&list, 1).is_none());
        let second = first_double(&list, 2).expect("both are called `a`");
        let first = list[second].double().expect("there is one before");
        assert!(std::ptr::eq(list[first].tool(), &A) && list[first].element() == 1);
        assert!(std::ptr::eq(list[second].tool(), &OTHER_A));
    }

    #[test]
    fn finds_all_tools_of_one_chain() {
        static TOOLS: [ToolDescriptor; 3] = [tool("a"), tool("b"), tool("c")];
        let sets: Vec<ToolSet> = TOOLS.iter().map(ToolSet::Tool).collect();
        // With one tool fewer, the list also has one chain fewer.
        let lists = [&list_tools::<3>(&sets)[..], &list_tools::<2>(&sets[..2])];
        for list in lists {
            for tool in &TOOLS[..list.len()] {
                let found = find_tool(tool.name(), list).expect("it is in the list");
                assert!(std::ptr::eq(found, tool));
            }
        }
    }

    #[test]
    fn hash_equals_the_reference_values() {
        // From the test vectors of the FNV reference code.
        assert_eq!(name_hash(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(name_hash("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(name_hash("foobar"), 0x8594_4171_f739_67e8);
    }
}
