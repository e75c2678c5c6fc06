//! What stands at an offset in a value.

use super::{Search, Site};
use agent_gram::syntax::{Value, ValueKind};
use agent_spec::check::Place;

impl Search<'_> {
    /// What stands in the value of a key.
    pub(super) fn value<'t>(
        self,
        value: Value<'t>,
        place: Place,
        key: &'t str,
    ) -> Option<Site<'t>> {
        if !self.is_in(value.span()) {
            return None;
        }
        match (place, key) {
            (Place::Tool, _) => {}
            (Place::Agent, "grants") => {
                if let ValueKind::Map(record) = value.kind() {
                    return self.record(record, Place::Grants);
                }
            }
            (Place::Agent | Place::Grants, _) => {}
            (_, "type" | "elementType" | "valueType") => {
                return self.type_value(value, Place::Type);
            }
            (_, "fields") => return self.fields(value),
            _ => {}
        }
        self.item_of_value(value, place, key)
    }

    /// The value, or the item of a list that it is.
    fn item_of_value<'t>(self, value: Value<'t>, place: Place, key: &'t str) -> Option<Site<'t>> {
        match value.kind() {
            ValueKind::Map(_) => None,
            ValueKind::Array(array) => {
                let value = array.items().find(|item| self.is_in(item.span()))?;
                let is_leaf = !matches!(value.kind(), ValueKind::Map(_) | ValueKind::Array(_));
                is_leaf.then_some(Site::Value { place, key, value })
            }
            _ => Some(Site::Value { place, key, value }),
        }
    }

    /// What stands for a type: a text, or a map with keys of its own.
    fn type_value<'t>(self, value: Value<'t>, place: Place) -> Option<Site<'t>> {
        match value.kind() {
            ValueKind::Map(record) => self.record(record, place),
            _ => Some(Site::Type { value }),
        }
    }

    /// A list of fields, or a map from name to type.
    fn fields<'t>(self, value: Value<'t>) -> Option<Site<'t>> {
        match value.kind() {
            ValueKind::Array(array) => {
                let item = array.items().find(|item| self.is_in(item.span()))?;
                match item.kind() {
                    ValueKind::Map(record) => self.record(record, Place::Field),
                    _ => None,
                }
            }
            ValueKind::Map(record) => {
                let mut values = record.properties().map(|property| property.value());
                let value = values.find(|value| self.is_in(value.span()))?;
                self.type_value(value, Place::Entry)
            }
            _ => None,
        }
    }
}
