//! Elements that count the steps of matching a selector.

use super::html::MAX_NODES;
use agent_tool::ToolError;
use ego_tree::NodeRef;
use html5ever::Namespace;
use scraper::selector::{CssLocalName, CssString, NonTSPseudoClass, PseudoElement, Simple};
use scraper::{CaseSensitivity, ElementRef, Node};
use selectors::attr::{AttrSelectorOperation, AttrSelectorOperator, NamespaceConstraint};
use selectors::bloom::BloomFilter;
use selectors::matching::{ElementSelectorFlags, MatchingContext};
use selectors::{Element, OpaqueElement};
use std::cell::Cell;
use std::fmt;

/// The maximum number of steps of a selection: comparisons of names, and moves from one node to the next. A model's
/// selector with `~` or `:has` takes quadratic time on a large page, and would occupy a thread for hours. A step takes
/// ten times as long in programs that are not optimized.
const MAX_STEPS: u64 = match cfg!(debug_assertions) {
    true => 10_000_000,
    false => 100_000_000,
};

/// The number of moves to siblings that are allowed after the last step, so that a count of siblings is
/// completed. With debug assertions, `selectors` panics if two counts of the same siblings differ. It counts
/// siblings up to three times.
const RESERVE: u64 = 3 * MAX_NODES as u64;

/// The number of steps between two checks for cancellation.
const CHECK_AFTER: u64 = 4096;

/// The steps that a selection may still take.
pub(super) struct Steps<'s> {
    /// The number of steps that are left, plus the reserve.
    left: Cell<u64>,
    was_cancelled: Cell<bool>,
    is_cancelled: &'s dyn Fn() -> bool,
}

impl<'s> Steps<'s> {
    pub(super) fn new(is_cancelled: &'s dyn Fn() -> bool) -> Self {
        Self {
            left: Cell::new(MAX_STEPS + RESERVE),
            was_cancelled: Cell::default(),
            is_cancelled,
        }
    }

    fn are_spent(&self) -> bool {
        self.left.get() <= RESERVE
    }

    /// Takes steps. Returns `false` if none are left, or if the selection was cancelled.
    fn take(&self, steps: usize) -> bool {
        if self.are_spent() {
            return false;
        }
        let before = self.left.get();
        let mut left = before.saturating_sub(steps as u64).max(RESERVE);
        if before / CHECK_AFTER != left / CHECK_AFTER && (self.is_cancelled)() {
            self.was_cancelled.set(true);
            left = RESERVE;
        }
        self.left.set(left);
        left > RESERVE
    }

    /// Takes a step, or one step of the reserve if no other step is left. Returns `false` if the reserve is
    /// empty, too.
    fn take_of_reserve(&self) -> bool {
        if self.are_spent() {
            self.left.set(self.left.get().saturating_sub(1));
        } else {
            self.take(1);
        }
        self.left.get() > 0
    }

    /// Checks that there are steps left. If not, the last match means nothing.
    ///
    /// # Errors
    /// Timeout when cancelled; Execution when the selection took too many steps.
    pub(super) fn check(&self, selector: &str) -> Result<(), ToolError> {
        if self.was_cancelled.get() {
            return Err(ToolError::Timeout);
        }
        if self.are_spent() {
            return Err(ToolError::Execution(format!(
                "`{selector}` takes too many steps on this page; write a selector without `:has`, `~` and nested \
                 `:is`, or leave `selector` out to read the whole page"
            )));
        }
        Ok(())
    }
}

/// An element of a page. When no steps are left, the element matches nothing and returns no relatives.
#[derive(Clone)]
pub(super) struct CountedElement<'a> {
    element: ElementRef<'a>,
    steps: &'a Steps<'a>,
}

impl<'a> CountedElement<'a> {
    pub(super) fn new(element: ElementRef<'a>, steps: &'a Steps<'a>) -> Self {
        Self { element, steps }
    }

    /// Returns the first element of the given relatives.
    fn relative(&self, nodes: impl IntoIterator<Item = NodeRef<'a, Node>>) -> Option<Self> {
        let mut nodes = nodes.into_iter().take_while(|_| self.steps.take(1));
        let element = nodes.find_map(ElementRef::wrap)?;
        Some(Self::new(element, self.steps))
    }

    /// Returns the first element of the given siblings.
    fn sibling(&self, nodes: impl Iterator<Item = NodeRef<'a, Node>>) -> Option<Self> {
        let mut nodes = nodes.take_while(|_| self.steps.take_of_reserve());
        let element = nodes.find_map(ElementRef::wrap)?;
        Some(Self::new(element, self.steps))
    }
}

impl fmt::Debug for CountedElement<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.element.fmt(out)
    }
}

impl Element for CountedElement<'_> {
    type Impl = Simple;

    fn opaque(&self) -> OpaqueElement {
        self.element.opaque()
    }

    fn parent_element(&self) -> Option<Self> {
        self.relative(self.element.parent())
    }

    fn parent_node_is_shadow_root(&self) -> bool {
        false
    }

    fn containing_shadow_host(&self) -> Option<Self> {
        None
    }

    fn is_pseudo_element(&self) -> bool {
        false
    }

    fn prev_sibling_element(&self) -> Option<Self> {
        self.sibling(self.element.prev_siblings())
    }

    fn next_sibling_element(&self) -> Option<Self> {
        self.sibling(self.element.next_siblings())
    }

    fn first_element_child(&self) -> Option<Self> {
        self.relative(self.element.children())
    }

    fn is_html_element_in_html_document(&self) -> bool {
        self.element.is_html_element_in_html_document()
    }

    fn has_local_name(&self, name: &CssLocalName) -> bool {
        self.steps.take(1) && self.element.has_local_name(name)
    }

    fn has_namespace(&self, namespace: &Namespace) -> bool {
        self.steps.take(1) && self.element.has_namespace(namespace)
    }

    fn is_same_type(&self, other: &Self) -> bool {
        // The result is ignored, because this comparison is part of a count of siblings, which must be
        // completed.
        self.steps.take(1);
        self.element.is_same_type(&other.element)
    }

    fn attr_matches(
        &self,
        namespace: &NamespaceConstraint<&Namespace>,
        name: &CssLocalName,
        operation: &AttrSelectorOperation<&CssString>,
    ) -> bool {
        let mut attributes = self.element.value().attrs.iter();
        attributes.any(|(key, value)| {
            let is_other = matches!(namespace, NamespaceConstraint::Specific(of) if **of != key.ns);
            self.steps.take(1)
                && !is_other
                && key.local == name.0
                && self.steps.take(steps_of_value(operation, value))
                && operation.eval_str(value)
        })
    }

    fn match_non_ts_pseudo_class(
        &self,
        class: &NonTSPseudoClass,
        _: &mut MatchingContext<'_, Simple>,
    ) -> bool {
        match *class {}
    }

    fn match_pseudo_element(
        &self,
        element: &PseudoElement,
        _: &mut MatchingContext<'_, Simple>,
    ) -> bool {
        match *element {}
    }

    fn apply_selector_flags(&self, _: ElementSelectorFlags) {}

    fn is_link(&self) -> bool {
        self.element.is_link()
    }

    fn is_html_slot_element(&self) -> bool {
        self.element.is_html_slot_element()
    }

    fn has_id(&self, id: &CssLocalName, case: CaseSensitivity) -> bool {
        self.steps.take(1) && self.element.has_id(id, case)
    }

    fn has_class(&self, name: &CssLocalName, case: CaseSensitivity) -> bool {
        let mut classes = self.element.value().classes();
        classes.any(|class| self.steps.take(1) && case.eq(class.as_bytes(), name.0.as_bytes()))
    }

    fn has_custom_state(&self, _: &CssLocalName) -> bool {
        false
    }

    fn imported_part(&self, _: &CssLocalName) -> Option<CssLocalName> {
        None
    }

    fn is_part(&self, _: &CssLocalName) -> bool {
        false
    }

    fn is_empty(&self) -> bool {
        let mut nodes = self.element.children().take_while(|_| self.steps.take(1));
        !nodes.any(|node| node.value().is_element() || node.value().is_text())
    }

    fn is_root(&self) -> bool {
        self.steps.take(1) && self.element.is_root()
    }

    fn ignores_nth_child_selectors(&self) -> bool {
        self.steps.are_spent()
    }

    fn add_element_unique_hashes(&self, _: &mut BloomFilter) -> bool {
        false
    }
}

/// Returns the steps to compare the value of an attribute.
fn steps_of_value(operation: &AttrSelectorOperation<&CssString>, value: &str) -> usize {
    match operation {
        AttrSelectorOperation::Exists => 1,
        AttrSelectorOperation::WithValue {
            operator: AttrSelectorOperator::Substring,
            case_sensitivity: CaseSensitivity::AsciiCaseInsensitive,
            value: part,
        } => 1 + value.len() * part.0.len(),
        AttrSelectorOperation::WithValue { .. } => 1 + value.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::web::page::{CssSelector, PageText};

    fn is_refused(html: &str, selector: &str) -> bool {
        let read = PageText::extract(html.as_bytes(), Some("text/html"), Some(selector));
        read.is_err_and(|error| error.to_string().contains("takes too many steps"))
    }

    #[test]
    fn refuses_selections_of_too_many_steps() {
        let siblings = "<i>a</i>".repeat(8_000);
        let deep = "<div>".repeat(450) + "x";
        let breaks = "<br>".repeat(10_000);
        let classes: String = (0..10_000).map(|at| format!("c{at} ")).collect();
        let words = "a".repeat(100_000);
        let attributes: String = (0..900).map(|at| format!(" a{at}")).collect();
        let alternatives = "[x],".repeat(120) + "[x]";
        let many = format!("<b{attributes}>x</b>").repeat(500);
        for (html, selector) in [
            (&siblings, "x ~ i"),
            (&siblings, "i:has(~ x)"),
            (&siblings, "i:n\\74h-child(2n) ~ x ~ i"),
            (&siblings, ":is(x ~ i)"),
            (&deep, ":is(:is(:is(x div) div) div)"),
            (&deep, ":is(:is(:is(:is(x div) div) div) div)"),
            (&format!("<div class='{classes}'>{breaks}"), ".zz br"),
            (&format!("<div title={words}>{breaks}"), "[title*=aaaab] br"),
            (
                &format!("<div title={words}>{}", &breaks[..800]),
                "[title*=aaaaaaaaaaaaaaaab i] br",
            ),
            (&many, &alternatives),
            (
                &format!("<div>{}<p>{breaks}</p>", siblings),
                "div:has(zz) br",
            ),
        ] {
            assert!(is_refused(html, selector), "{selector}");
        }
    }

    #[test]
    fn stops_when_cancelled_within_one_match() {
        let html = "<div>".repeat(450) + "x";
        let selector = CssSelector::parse(":is(:is(:is(x div) div) div)").expect("a selector");
        let checks = Cell::new(0);
        let is_cancelled = || {
            checks.set(checks.get() + 1);
            // More checks than the page has tags and elements.
            checks.get() > 3000
        };
        let page = PageText::extract_until(
            html.as_bytes(),
            Some("text/html"),
            Some(&selector),
            &is_cancelled,
        );
        assert_eq!(page, Err(ToolError::Timeout));
        assert_eq!(checks.get(), 3001);
    }

    #[test]
    fn accepts_ordinary_selections_of_large_pages() {
        let siblings = "<i>a</i>".repeat(1500);
        let rows = "<tr><td>a<td>b<td>c</tr>".repeat(1500);
        let table = format!("<table class='big wide'><tr><th>h</tr>{rows}</table>");
        let image = format!("<p><img src='data:{}'>", "a".repeat(1_000_000));
        for (html, selector) in [
            (&siblings, "i"),
            (&siblings, "i ~ x, i"),
            (&siblings, "i:nth-child(2n)"),
            (&siblings, "i:nth-last-of-type(2n)"),
            (&siblings, "body > i:first-child"),
            (&siblings, "body:has(i)"),
            (&siblings, "i + i"),
            (&table, "tr:nth-child(2n)"),
            (&table, "table.big tr:has(td:nth-child(2))"),
            (&table, "table:has(th) td"),
            (&image, "p:has(img[src^='data:'])"),
        ] {
            assert!(CssSelector::parse(selector).is_ok(), "{selector}");
            assert!(!is_refused(html, selector), "{selector}");
        }
    }
}
