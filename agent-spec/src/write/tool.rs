//! Tools.

use super::entries::{Entries, Layout};
use super::signature::write_signature_line;
use crate::signature::Signature;
use agent_gram::print::layout::MAX_COLUMNS;
use agent_gram::print::writer::Writer;

/// Writes a tool in the canonical layout, without a final line end.
pub const fn write_tool(
    writer: &mut Writer<'_>,
    name: &str,
    description: &str,
    signature: &Signature,
) {
    let mut measure = Writer::new(&mut []);
    write_tool_head(&mut measure, name, description, false);
    let fits = measure.columns() <= MAX_COLUMNS && !measure.wants_fence();
    write_tool_head(writer, name, description, !fits);
    writer.line(2);
    write_signature_line(writer, signature, 2, 0);
    writer.line(0);
    writer.byte(b']');
}

/// Writes a tool up to its bar, with the record on one line or a property a line.
pub const fn write_tool_head(writer: &mut Writer<'_>, name: &str, description: &str, lines: bool) {
    writer.byte(b'[');
    writer.identity(name);
    writer.text(":Tool");
    let mut entries = Entries::after_head(if lines {
        Layout::Lines(0)
    } else {
        Layout::Inline
    });
    entries.text(writer, "description", description);
    entries.close(writer);
    writer.text(" |");
}
