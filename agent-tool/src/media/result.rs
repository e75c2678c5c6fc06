//! Reading the result of a tool whose type is media.

use super::check::true_media_type;
use super::kept::KeptMedia;
use super::{Media, MediaForm, Part, part_from_json, part_to_json};
use agent_spec::{Kind, MediaKind, Type};
use serde_json::Value;

/// The maximum number of bytes of all media in one result of a tool: the most that any provider accepts in a request. A
/// tool of somebody else, such as an MCP server, could fill the memory.
const MAX_BYTES: usize = 100 << 20;

/// The maximum number of parts in one result of a tool. A tool of somebody else, such as an MCP server, can send a
/// million parts, each of which takes memory in every request.
const MAX_PARTS: usize = 1000;

/// Returns the kind of media of a type, or `None` for any other type.
pub(crate) fn media_kind(ty: &Type) -> Option<MediaKind> {
    match ty.kind() {
        Kind::Media(kind) => Some(*kind),
        _ => None,
    }
}

/// Reads the parts of a result of the type `ty`, with the bytes that are kept for the result. Bytes in the
/// result itself are moved to the kept bytes and replaced by their digest. A result of a type other than
/// media stays unchanged and has no parts. An optional result that is missing has no parts, either. A result
/// of the type `Any` has parts if the call marked it.
///
/// # Errors
/// The reason for which a part does not satisfy the type.
pub fn read_media_result(
    ty: &Type,
    result: &mut Value,
    kept: &KeptMedia,
) -> Result<Vec<Part>, String> {
    let kind = match media_kind(ty) {
        Some(kind) => kind,
        None if is_marked(ty, result, kept) => MediaKind::Parts,
        None => return Ok(Vec::new()),
    };
    let parts = match result {
        Value::Null if ty.is_optional() => return Ok(Vec::new()),
        Value::Array(items) if kind == MediaKind::Parts => read_list(items, kept)?,
        part if kind != MediaKind::Parts => vec![read_one(part, kept)?],
        _ => return Err("`Parts` is a list of parts".to_owned()),
    };
    let label = kind.label().to_ascii_lowercase();
    if kind != MediaKind::Parts && parts.iter().any(|part| part.kind() != label) {
        return Err(format!("it is no part of the type `{label}`"));
    }
    let sizes = parts.iter().filter_map(|part| part.media()?.bytes());
    let total: usize = sizes.map(<[u8]>::len).sum();
    if total > MAX_BYTES {
        return Err(format!(
            "its media have {} MiB; the most is {} MiB",
            total.div_ceil(1 << 20),
            MAX_BYTES >> 20
        ));
    }
    Ok(parts)
}

/// Whether a result of the type `Any` is the list of parts that the call marked. A hook may have replaced the list by
/// another value, which then is an ordinary result.
fn is_marked(ty: &Type, result: &Value, kept: &KeptMedia) -> bool {
    let is_part = |item: &Value| item.get("type").is_some_and(Value::is_string);
    matches!(ty.kind(), Kind::Any)
        && kept.is_of_parts()
        && matches!(result, Value::Array(items) if items.iter().all(is_part))
}

fn read_list(items: &mut [Value], kept: &KeptMedia) -> Result<Vec<Part>, String> {
    if items.len() > MAX_PARTS {
        let count = items.len();
        return Err(format!("it has {count} parts; the most is {MAX_PARTS}"));
    }
    let mut parts = Vec::with_capacity(items.len());
    for item in items {
        let part = read_one(item, kept);
        parts.push(part.map_err(|problem| format!("part {}: {problem}", parts.len() + 1))?);
    }
    Ok(parts)
}

fn read_one(json: &mut Value, kept: &KeptMedia) -> Result<Part, String> {
    let part = part_from_json(json).map_err(|error| error.to_string())?;
    let part = kept.filled(part);
    if matches!(part, Part::Thinking(_) | Part::Provider(_)) {
        return Err(format!(
            "a tool returns no part of the type `{}`",
            part.kind()
        ));
    }
    if let Some(media) = part.media() {
        check(media, &part)?;
        if media.bytes().is_some() {
            kept.keep([media.clone()]);
            *json = part_to_json(&part, MediaForm::Digest);
        }
    }
    Ok(part)
}

/// Checks that bytes are of the kind of their part. The check is needed because providers reject wrong bytes
/// with an error that ends the run, while the model reads the error of this check.
fn check(media: &Media, part: &Part) -> Result<(), String> {
    let kind = part.kind();
    if media.is_missing() {
        return Err(format!(
            "only the digest of the {kind} is known, and its bytes were not kept; return the {kind} itself"
        ));
    }
    true_media_type(part.kind(), media).map(drop)
}
