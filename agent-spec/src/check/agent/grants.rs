//! `grants`: what the agent's tools may touch at most.

use super::settings::items;
use crate::check::Place;
use crate::check::reader::{Quoted, Reader};
use crate::diagnostic::Code;
use crate::grants::{GRANT_KEYS, Grants, check_grant};
use agent_gram::syntax::{Property, Value, ValueKind};
use agent_gram::value::Text;
use std::borrow::Cow;

/// Reads the grants.
pub(super) fn read_grants(reader: &mut Reader<'_>, value: Value<'_>) -> Option<Grants> {
    let ValueKind::Map(record) = value.kind() else {
        let expected = "a record of what the tools may touch, such as `{read: [\"docs\"]}`";
        return reader.wrong(value, "`grants`", expected);
    };
    reader.refuse_duplicate_keys(record.properties());
    let mut grants = Grants::new();
    for property in record.properties() {
        let key = property.key();
        match grants.part_mut(key.text()) {
            Some(part) => *part = Cow::Owned(read_part(reader, property)),
            None => {
                reader.unknown_key(key, Place::Grants.name(), &GRANT_KEYS);
            }
        }
    }
    Some(grants)
}

fn read_part(reader: &mut Reader<'_>, property: Property<'_>) -> Vec<Text> {
    let key = property.key().text();
    let items = items(property.value()).into_iter();
    items
        .filter_map(|item| {
            let text = reader.owned_text(item, Quoted(key))?;
            match check_grant(key, &text) {
                Ok(()) => Some(text),
                Err(reason) => {
                    let message = format!("what `{key}` grants, {:?}, {reason}", text.as_str());
                    reader.error(Code::BadValue, item.span(), message);
                    None
                }
            }
        })
        .collect()
}
