//! JSON objects whose members keep their order.

use agent_gram::value::Text;
use agent_spec::json::Ordered;

/// An object being put together.
#[derive(Default)]
pub(in crate::model) struct Object(Vec<(Text, Ordered)>);

impl Object {
    pub(in crate::model) fn add(&mut self, key: &'static str, value: Ordered) {
        self.0.push((key.into(), value));
    }

    pub(in crate::model) fn text(&mut self, key: &'static str, text: impl Into<String>) {
        self.add(key, Ordered::text(text.into()));
    }

    pub(in crate::model) fn list(
        &mut self,
        key: &'static str,
        items: impl IntoIterator<Item = Ordered>,
    ) {
        self.add(key, Ordered::Array(items.into_iter().collect()));
    }

    /// The same object with a text.
    pub(in crate::model) fn with_text(
        mut self,
        key: &'static str,
        text: impl Into<String>,
    ) -> Self {
        self.text(key, text);
        self
    }

    /// The same object with a value.
    pub(in crate::model) fn with(mut self, key: &'static str, value: Ordered) -> Self {
        self.add(key, value);
        self
    }

    pub(in crate::model) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(in crate::model) fn into_value(self) -> Ordered {
        Ordered::Object(self.0)
    }
}
