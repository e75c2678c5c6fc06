//! The tools that an agent or a library is given, as constants.

use super::compare::same_text;
use crate::tool::ToolDescriptor;

/// Tools that are known when they are compiled: one, or the tools of several sets.
///
/// It is a tree, since a `const` cannot join lists whose lengths depend on a type.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum ToolSet {
    /// One tool.
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

/// A tool of a list, ready to be found: names are compared by their hash first, since the steps of
/// a `const` are counted.
#[derive(Clone, Copy, Debug)]
pub struct ListedTool {
    hash: u64,
    element: usize,
    tool: &'static ToolDescriptor,
}

impl ListedTool {
    /// The tool.
    #[must_use]
    pub const fn tool(&self) -> &'static ToolDescriptor {
        self.tool
    }
}

/// The tools of several sets in one list; `N` is the [length](ToolSet::len) of all together.
#[must_use]
pub const fn list_tools<const N: usize>(sets: &[ToolSet]) -> [ListedTool; N] {
    let mut list = [ListedTool {
        hash: 0,
        element: 0,
        tool: super::BROKEN_TOOL,
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
            list[len] = listed(tool, element);
            len += 1;
        }
        ToolSet::List(tools) => {
            let mut at = 0;
            while at < tools.len() {
                list[len] = listed(tools[at], element);
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

const fn listed(tool: &'static ToolDescriptor, element: usize) -> ListedTool {
    ListedTool {
        hash: name_hash(tool.name()),
        element,
        tool,
    }
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
    let hash = name_hash(name);
    let mut at = 0;
    while at < tools.len() {
        if tools[at].hash == hash && same_text(tools[at].tool.name(), name) {
            return Some(tools[at].tool);
        }
        at += 1;
    }
    None
}

/// The first two tools of one name of which the second is of an element and the other before it.
pub(super) const fn first_double(
    tools: &[ListedTool],
    element: usize,
) -> Option<(&'static ToolDescriptor, &'static ToolDescriptor)> {
    let mut first_of = 0;
    while first_of < tools.len() && tools[first_of].element < element {
        first_of += 1;
    }
    let mut at = first_of;
    while at < tools.len() && tools[at].element == element {
        let second = tools[at];
        let mut before = 0;
        while before < first_of {
            let first = tools[before];
            // A tool with mistakes has no name, and was reported where it stands.
            if first.hash == second.hash
                && same_text(first.tool.name(), second.tool.name())
                && !second.tool.name().is_empty()
            {
                return Some((first.tool, second.tool));
            }
            before += 1;
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Returns, Signature, ToolSettings, Type};

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
    fn a_set_counts_and_gives_the_tools_of_all_its_sets() {
        const INNER: &[ToolSet] = &[ToolSet::List(&[&B, &C]), ToolSet::EMPTY];
        const SET: ToolSet = ToolSet::Sets(&[ToolSet::Tool(&A), ToolSet::Sets(INNER)]);
        assert_eq!((SET.len(), INNER[1].is_empty()), (3, true));
        assert_eq!(names(&SET), ["a", "b", "c"]);
        assert!(SET.get(3).is_none() && INNER[1].get(0).is_none());
    }

    #[test]
    fn tools_are_found_by_name_in_every_set() {
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
    fn a_double_is_found_at_the_second_element() {
        const SETS: &[ToolSet] = &[
            ToolSet::Tool(&B),
            ToolSet::List(&[&C, &A]),
            ToolSet::Tool(&OTHER_A),
        ];
        let list = list_tools::<4>(SETS);
        assert!(first_double(&list, 0).is_none() && first_double(&list, 1).is_none());
        let (first, second) = first_double(&list, 2).expect("both are called `a`");
        assert!(std::ptr::eq(first, &A) && std::ptr::eq(second, &OTHER_A));
    }

    #[test]
    fn the_hash_is_that_of_the_reference() {
        // From the test vectors of the FNV reference code.
        assert_eq!(name_hash(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(name_hash("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(name_hash("foobar"), 0x8594_4171_f739_67e8);
    }
}
