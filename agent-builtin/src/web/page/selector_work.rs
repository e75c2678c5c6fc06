//! The work of matching a selector against the elements of a page.

use ego_tree::iter::Edge;
use scraper::Html;

/// The maximum number of steps of a selection.
const MAX_STEPS: u64 = 300_000_000;

/// The parts of a selector that decide how much of a page is compared for one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SelectorWork {
    /// The number of parts that look at other elements.
    parts: u64,
    /// Whether the siblings of an element are compared.
    has_siblings: bool,
    /// Whether the descendants of an element are compared.
    has_descendants: bool,
    /// Whether the descendants of its siblings are compared, too.
    has_relatives: bool,
}

impl SelectorWork {
    /// Reads the parts of a selector.
    pub(super) fn of(selector: &str) -> Self {
        let selector = selector.to_ascii_lowercase();
        // A name can be written in escapes.
        let has = |word: &str| selector.contains('\\') || selector.contains(word);
        let is_part = |c: &char| matches!(c, ':' | '~' | '+' | '>' | '\\') || c.is_whitespace();
        Self {
            parts: selector.chars().filter(is_part).count() as u64,
            has_siblings: has("~") || has("nth") || has("of-type"),
            has_descendants: has("has("),
            has_relatives: has("has(") && (has("~") || has("+")),
        }
    }
}

/// The steps that a selection on a page may still take.
pub(super) struct Budget {
    left: u64,
    work: SelectorWork,
    nodes: Vec<NodeCount>,
}

/// The numbers of nodes around one, in the order of the page.
struct NodeCount {
    parent: usize,
    depth: u64,
    children: u64,
    /// The steps to compare the node and all below it.
    below: u64,
}

impl Budget {
    /// Counts the nodes of a page.
    pub(super) fn new(html: &Html, work: SelectorWork) -> Self {
        let mut nodes: Vec<NodeCount> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        for edge in html.tree.root().traverse() {
            match edge {
                Edge::Open(_) => {
                    let parent = open.last().copied().unwrap_or(0);
                    let node = NodeCount {
                        parent,
                        depth: open.len() as u64,
                        children: 0,
                        below: 0,
                    };
                    open.push(nodes.len());
                    nodes.push(node);
                    nodes[parent].children += 1;
                }
                Edge::Close(_) => {
                    open.pop();
                }
            }
        }
        for at in (1..nodes.len()).rev() {
            let parent = nodes[at].parent;
            let siblings = match work.has_siblings {
                true => nodes[parent].children,
                false => 0,
            };
            nodes[at].below += 1 + siblings;
            nodes[parent].below += nodes[at].below;
        }
        Self {
            left: MAX_STEPS,
            work,
            nodes,
        }
    }

    /// Takes the steps to compare the node with this number in the order of the page. Returns `false` if there are
    /// not enough left.
    pub(super) fn take(&mut self, at: usize) -> bool {
        let (Some(node), work) = (self.nodes.get(at), self.work) else {
            return false;
        };
        let parent = &self.nodes[node.parent];
        let siblings = if work.has_siblings {
            parent.children
        } else {
            0
        };
        let descendants = match work {
            work if work.has_relatives => parent.below,
            work if work.has_descendants => node.below,
            _ => 0,
        };
        let steps = 1 + work.parts * (node.depth + siblings + descendants);
        let left = self.left.checked_sub(steps);
        self.left = left.unwrap_or(0);
        left.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_refused(html: &Html, selector: &str) -> bool {
        let mut budget = Budget::new(html, SelectorWork::of(selector));
        !(0..budget.nodes.len()).all(|at| budget.take(at))
    }

    #[test]
    fn refuses_quadratic_selections() {
        let siblings = Html::parse_document(&"<i>a</i>".repeat(20_000));
        for selector in [
            "i:nth-last-of-type(2n)",
            "i ~ x",
            "i:has(~ x)",
            "i:n\\74h-child(2n)",
        ] {
            assert!(is_refused(&siblings, selector), "{selector}");
        }
        for selector in ["i", "body > i:first-child", "body:has(i)", "i + i"] {
            assert!(!is_refused(&siblings, selector), "{selector}");
        }
        let rows = "<tr><td>a<td>b<td>c</tr>".repeat(3_000);
        let table = Html::parse_document(&format!("<table>{rows}</table>"));
        for selector in ["tr:nth-child(2n)", "tr:has(td:nth-child(2))", "tr:has(b)"] {
            assert!(!is_refused(&table, selector), "{selector}");
        }
    }
}
