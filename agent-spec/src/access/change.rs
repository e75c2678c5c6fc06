//! Changing a pattern in place.

use agent_gram::value::{Record, Text};
use agent_gram::{Pattern, Subject, Value, ValueError};

/// Sets or removes a property. The value is a scalar or a list of scalars, so it adds less depth
/// than any pattern lacks to the bound.
pub(super) fn put(pattern: &mut Pattern, key: &'static str, value: Option<Value>) {
    change_subject(pattern, |subject| match value {
        Some(value) => {
            let set = subject.properties.insert(key, value);
            set.expect("a list of scalars fits any record");
        }
        None => {
            subject.properties.remove(key);
        }
    });
}

/// Sets a property to a record, or removes it.
///
/// # Errors
/// When the pattern would nest too deep; it is then as it was.
pub(super) fn set_record(
    pattern: &mut Pattern,
    key: &'static str,
    value: Option<Record>,
) -> Result<(), ValueError> {
    let Some(value) = value else {
        put(pattern, key, None);
        return Ok(());
    };
    let mut subject = pattern.subject().clone();
    subject.properties.insert(key, Value::Map(value))?;
    *pattern = Pattern::new(subject, pattern.elements().to_vec())?;
    Ok(())
}

pub(super) fn set_identity(pattern: &mut Pattern, name: Text) {
    change_subject(pattern, |subject| subject.identity = name);
}

fn change_subject(pattern: &mut Pattern, change: impl FnOnce(&mut Subject)) {
    let (mut subject, elements) = std::mem::take(pattern).into_parts();
    change(&mut subject);
    *pattern = Pattern::new(subject, elements).expect("the outermost record has room for a list");
}

/// Replaces the elements.
///
/// # Errors
/// When the pattern would nest too deep; it is then as it was.
pub(super) fn set_elements(
    pattern: &mut Pattern,
    elements: Vec<Pattern>,
) -> Result<(), ValueError> {
    *pattern = Pattern::new(pattern.subject().clone(), elements)?;
    Ok(())
}
