//! The storage of the syntax tree: its parts in source order in one list, sixteen bytes each.
//!
//! A part is followed by its inner parts, and holds the index after the last of them. So the parser
//! only appends, reading the tree from left to right reads memory in order, and dropping the tree
//! frees two or three blocks of memory. The value of a number, and the content of a text without
//! escapes, are read from the source on demand.

use crate::span::Span;

/// A syntax tree, or the part of it that has been parsed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tape<'s> {
    pub(crate) source: &'s str,
    entries: Vec<Entry>,
    /// The contents of texts that differ from the source between their quotes.
    contents: Vec<Content>,
}

/// A part of the tree.
#[derive(Clone, Copy, Debug)]
struct Entry {
    kind: Kind,
    /// The variant of the kind: the form of a quote, the direction of an arrow, and so on.
    form: u8,
    start: u32,
    end: u32,
    /// For a part with inner parts, the index after the last of them. For a name or text, its
    /// [`ContentIndex`]. For a number, the offset of its unit, or 0.
    link: u32,
}

/// The content of a text.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// A span of the source.
    Source(Span),
    /// A text that differs from the source, because the source has escapes.
    Unescaped(Box<str>),
}

/// The kind of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    // With inner parts:
    Item,
    Annotations,
    Bracket,
    Path,
    Node,
    Arrow,
    Label,
    Record,
    Property,
    Tagged,
    Range,
    Array,
    // Without inner parts:
    Bar,
    Reference,
    Name,
    Number,
    Boolean,
    Symbol,
    String,
    Invalid,
}

impl Kind {
    fn has_parts(self) -> bool {
        (self as u8) < (Kind::Bar as u8)
    }
}

/// The index of the [`Content`] of a name or text, counted from 1, or `PLAIN`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ContentIndex(u32);

impl ContentIndex {
    /// The content is the source between the quotes, or the whole source of the part if it has no
    /// quotes.
    pub(crate) const PLAIN: Self = Self(0);
}

/// Converts an offset or index. Every offset and index fits, because a text has at most
/// [`crate::parser::MAX_BYTES`] bytes.
fn narrow(offset: usize) -> u32 {
    debug_assert!(u32::try_from(offset).is_ok());
    offset as u32
}

/// Writing, for the parser.
impl<'s> Tape<'s> {
    pub(crate) fn new(source: &'s str) -> Self {
        Self {
            source,
            entries: Vec::new(),
            contents: Vec::new(),
        }
    }

    /// Reserves memory for the whole text. Documents of agents and tools have a part for about
    /// every ten bytes. Half of that is rarely too much, and avoids the first reallocations.
    pub(crate) fn reserve_for_all(&mut self) {
        self.entries.reserve(self.source.len() / 20);
    }

    /// Returns the number of parts, which is the index of the next.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Begins a part with inner parts. Returns its index.
    #[inline]
    pub(crate) fn open(&mut self, kind: Kind, start: usize) -> usize {
        let at = self.entries.len();
        self.push(kind, 0, Span::at(start), 0);
        at
    }

    /// Ends a part with inner parts.
    #[inline]
    pub(crate) fn close(&mut self, at: usize, end: usize) {
        let link = narrow(self.entries.len());
        if let Some(entry) = self.entries.get_mut(at) {
            entry.end = narrow(end);
            entry.link = link;
        }
    }

    /// Adds a part without inner parts.
    #[inline]
    pub(crate) fn leaf(&mut self, kind: Kind, form: u8, span: Span) {
        self.push(kind, form, span, 0);
    }

    /// Adds a name or a text.
    #[inline]
    pub(crate) fn text(&mut self, kind: Kind, form: u8, span: Span, content: ContentIndex) {
        self.push(kind, form, span, content.0);
    }

    /// Adds a number. `unit` is the offset of its unit, or 0.
    pub(crate) fn number(&mut self, form: u8, span: Span, unit: usize) {
        self.push(Kind::Number, form, span, narrow(unit));
    }

    fn push(&mut self, kind: Kind, form: u8, span: Span, link: u32) {
        self.entries.push(Entry {
            kind,
            form,
            start: narrow(span.start),
            end: narrow(span.end),
            link,
        });
    }

    /// Adds the content of a text.
    pub(crate) fn add_content(&mut self, content: Content) -> ContentIndex {
        self.contents.push(content);
        ContentIndex(narrow(self.contents.len()))
    }

    /// Changes the kind of a part. Either both kinds have inner parts, or neither has.
    pub(crate) fn turn_into(&mut self, at: usize, kind: Kind) {
        if let Some(entry) = self.entries.get_mut(at) {
            debug_assert_eq!(entry.kind.has_parts(), kind.has_parts());
            entry.kind = kind;
        }
    }

    pub(crate) fn set_form(&mut self, at: usize, form: u8) {
        if let Some(entry) = self.entries.get_mut(at) {
            entry.form = form;
        }
    }

    /// Removes all parts from this index on.
    pub(crate) fn truncate(&mut self, at: usize) {
        self.entries.truncate(at);
    }

    /// Removes all parts and contents.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.contents.clear();
    }

    /// Returns the offset in the source at which a part ends.
    pub(crate) fn end_of(&self, at: usize) -> usize {
        self.entries.get(at).map_or(0, |entry| entry.end as usize)
    }
}

/// A part of the tree.
#[derive(Clone, Copy)]
pub(crate) struct TapePart<'t> {
    tape: &'t Tape<'t>,
    at: u32,
    /// A copy, so that the list is indexed once.
    entry: Entry,
}

impl<'t> Tape<'t> {
    /// Returns the parts between two indices, without their inner parts.
    fn between(&'t self, at: u32, end: u32) -> Parts<'t> {
        Parts {
            tape: self,
            at,
            end,
        }
    }
}

impl<'s> Tape<'s> {
    /// Returns the top-level parts.
    pub(crate) fn top<'t>(&'t self) -> Parts<'t>
    where
        's: 't,
    {
        let tape: &'t Tape<'t> = self;
        tape.between(0, narrow(self.entries.len()))
    }
}

impl<'t> TapePart<'t> {
    #[inline]
    pub(crate) fn kind(&self) -> Kind {
        self.entry.kind
    }

    #[inline]
    pub(crate) fn form(&self) -> u8 {
        self.entry.form
    }

    #[inline]
    pub(crate) fn span(&self) -> Span {
        Span::new(self.entry.start as usize, self.entry.end as usize)
    }

    /// Returns the offset of the unit of a number, or the end of the number if it has no unit.
    pub(crate) fn unit_start(&self) -> usize {
        match self.entry.link {
            0 => self.entry.end as usize,
            start => start as usize,
        }
    }

    /// Returns the inner parts.
    #[inline]
    pub(crate) fn parts(&self) -> Parts<'t> {
        let end = if self.entry.kind.has_parts() {
            self.entry.link
        } else {
            self.at
        };
        self.tape.between(self.at + 1, end)
    }

    /// Returns the first inner part, if it has this kind.
    pub(crate) fn first(&self, kind: Kind) -> Option<TapePart<'t>> {
        self.parts().next().filter(|part| part.kind() == kind)
    }

    /// Returns the source text of the part.
    pub(crate) fn source(&self) -> &'t str {
        self.span().text(self.tape.source)
    }

    /// Returns the content of a name or text. `quote` is the length of the quote on either side.
    #[inline]
    pub(crate) fn content(&self, quote: usize) -> &'t str {
        let plain = || {
            let start = self.entry.start as usize + quote;
            let end = (self.entry.end as usize).saturating_sub(quote);
            self.tape.source.get(start..end).unwrap_or("")
        };
        match self.entry.link {
            0 => plain(),
            content => match self.tape.contents.get(content as usize - 1) {
                Some(Content::Source(span)) => span.text(self.tape.source),
                Some(Content::Unescaped(text)) => text,
                None => plain(),
            },
        }
    }
}

impl std::fmt::Debug for TapePart<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{:?} {:?}", self.kind(), self.source())
    }
}

/// The parts beside each other, from left to right.
#[derive(Clone)]
pub(crate) struct Parts<'t> {
    tape: &'t Tape<'t>,
    at: u32,
    end: u32,
}

impl<'t> Iterator for Parts<'t> {
    type Item = TapePart<'t>;

    #[inline]
    fn next(&mut self) -> Option<TapePart<'t>> {
        if self.at >= self.end {
            return None;
        }
        let at = self.at;
        let entry = *self.tape.entries.get(at as usize)?;
        self.at = if entry.kind.has_parts() {
            entry.link
        } else {
            at + 1
        };
        Some(TapePart {
            tape: self.tape,
            at,
            entry,
        })
    }
}

impl std::fmt::Debug for Parts<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_list().entries(self.clone()).finish()
    }
}
