//! What stands at an offset in a value.

use super::{Holder, Search, Site};
use agent_gram::syntax::{Value, ValueKind};
use agent_spec::check::Place;

impl Search<'_> {
    /// What stands in the value of a key.
    pub(super) fn value<'t>(
        self,
        value: Value<'t>,
        of: Holder<'t>,
        key: &'t str,
    ) -> Option<Site<'t>> {
        if !self.is_in(value.span()) {
            return None;
        }
        match (of.place, key) {
            (Place::Tool, _) => {}
            (Place::Agent, "grants") => {
                if let ValueKind::Map(record) = value.kind() {
                    return self.record(record, Holder::of(Place::Grants));
                }
            }
            (Place::Agent | Place::Grants, _) => {}
            (_, "type" | "elementType" | "valueType") => {
                return self.type_value(value, Place::Type);
            }
            (_, "fields") => return self.fields(value),
            _ => {}
        }
        self.item_of_value(value, of, key)
    }

    /// The value, or the item of a list that it is.
    fn item_of_value<'t>(self, value: Value<'t>, of: Holder<'t>, key: &'t str) -> Option<Site<'t>> {
        match value.kind() {
            ValueKind::Map(_) => None,
            ValueKind::Array(array) => {
                let value = array.items().find(|item| self.is_in(item.span()))?;
                let is_leaf = !matches!(value.kind(), ValueKind::Map(_) | ValueKind::Array(_));
                is_leaf.then_some(Site::Value { of, key, value })
            }
            _ => Some(Site::Value { of, key, value }),
        }
    }

    /// What stands for a type: a text, or a map with keys of its own.
    fn type_value<'t>(self, value: Value<'t>, place: Place) -> Option<Site<'t>> {
        match value.kind() {
            ValueKind::Map(record) => self.record(record, Holder::of_record(place, record)),
            _ => Some(Site::Type { value }),
        }
    }

    /// A list of fields, or a map from name to type.
    fn fields<'t>(self, value: Value<'t>) -> Option<Site<'t>> {
        match value.kind() {
            ValueKind::Array(array) => {
                let item = array.items().find(|item| self.is_in(item.span()))?;
                let ValueKind::Map(record) = item.kind() else {
                    return None;
                };
                let mut properties = record.properties();
                let name = properties.find(|property| property.key().text() == "name");
                match name.map(|name| name.value().span()) {
                    Some(name) if self.is_in(name) => Some(Site::Field {
                        name,
                        whole: item.span(),
                        listed: true,
                    }),
                    _ => self.record(record, Holder::of_record(Place::Field, record)),
                }
            }
            ValueKind::Map(record) => {
                let mut properties = record.properties();
                let property = properties.find(|property| self.is_in(property.span()))?;
                let name = property.key().span();
                if self.is_in(name) {
                    return Some(Site::Field {
                        name,
                        whole: property.span(),
                        listed: false,
                    });
                }
                self.type_value(property.value(), Place::Entry)
            }
            _ => None,
        }
    }
}
