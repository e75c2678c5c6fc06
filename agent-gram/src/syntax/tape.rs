//! How the tree is kept: its parts in source order in one list, sixteen bytes each.
//!
//! A part is followed by the parts in it, and knows where the part after all of those is. So the
//! parser only ever appends, reading from left to right is reading memory in order, and dropping a
//! tree frees two or three blocks, whatever its size. What a number is, and what a text without
//! escapes says, is read from the source again when somebody asks.

use crate::span::Span;

/// A tree, or as much of it as was read so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tape<'s> {
    pub(crate) source: &'s str,
    entries: Vec<Entry>,
    /// What is content by contents that say something else than what stands between their quotes.
    contents: Vec<Content>,
}

/// A part of the tree.
#[derive(Clone, Copy, Debug)]
struct Entry {
    kind: Kind,
    /// What the kind has variants of: how a name is quoted, where an arrow points, ….
    form: u8,
    start: u32,
    end: u32,
    /// Of a part that has parts: the place after the last of them. Of a name or text: the place of
    /// what it says in `contents`, counted from 1, or 0. Of a number: where its unit begins, or 0.
    link: u32,
}

/// What a text says.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// This part of the source.
    Source(Span),
    /// Something that is not in the source, because the source has escapes.
    Unescaped(Box<str>),
}

/// What a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    // With parts:
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
    // Without:
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

/// What [`Content`] a name or text has: its place in the list, or that it says what stands between its
/// quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ContentIndex(u32);

impl ContentIndex {
    /// The text says what stands between its quotes, or all of it when it has none.
    pub(crate) const PLAIN: Self = Self(0);
}

/// Texts are at most [`crate::parser::MAX_BYTES`] long, so every offset fits.
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

    /// Makes room for the whole text. Agents and tools have a part for every ten bytes or so; half
    /// of that is seldom too much, and spares the list its first moves.
    pub(crate) fn reserve_for_all(&mut self) {
        self.entries.reserve(self.source.len() / 20);
    }

    /// The number of parts: the place of the next.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Begins a part that has parts.
    #[inline]
    pub(crate) fn open(&mut self, kind: Kind, start: usize) -> usize {
        let at = self.entries.len();
        self.push(kind, 0, Span::at(start), 0);
        at
    }

    /// Ends a part that has parts.
    #[inline]
    pub(crate) fn close(&mut self, at: usize, end: usize) {
        let link = narrow(self.entries.len());
        if let Some(entry) = self.entries.get_mut(at) {
            entry.end = narrow(end);
            entry.link = link;
        }
    }

    /// Adds a part without parts.
    #[inline]
    pub(crate) fn leaf(&mut self, kind: Kind, form: u8, span: Span) {
        self.push(kind, form, span, 0);
    }

    /// Adds a name or a text.
    #[inline]
    pub(crate) fn text(&mut self, kind: Kind, form: u8, span: Span, content: ContentIndex) {
        self.push(kind, form, span, content.0);
    }

    /// Adds a number. `unit` is where its unit begins, or 0.
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

    /// Keeps what a text says.
    pub(crate) fn add_content(&mut self, content: Content) -> ContentIndex {
        self.contents.push(content);
        ContentIndex(narrow(self.contents.len()))
    }

    /// Makes a part something else, which has parts if and only if the part has.
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

    /// Takes back all parts from this place on.
    pub(crate) fn truncate(&mut self, at: usize) {
        self.entries.truncate(at);
    }

    /// Takes back everything.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.contents.clear();
    }

    /// Where the part at this place ends in the text.
    pub(crate) fn end_of(&self, at: usize) -> usize {
        self.entries.get(at).map_or(0, |entry| entry.end as usize)
    }
}

/// A part of the tree, to read.
#[derive(Clone, Copy)]
pub(crate) struct Part<'t> {
    tape: &'t Tape<'t>,
    at: u32,
    /// A copy, so that the list is looked up once.
    entry: Entry,
}

impl<'t> Tape<'t> {
    /// The parts between two places, leaving out the parts in them.
    fn between(&'t self, at: u32, end: u32) -> Parts<'t> {
        Parts {
            tape: self,
            at,
            end,
        }
    }
}

impl<'s> Tape<'s> {
    /// The parts at the top.
    pub(crate) fn top<'t>(&'t self) -> Parts<'t>
    where
        's: 't,
    {
        let tape: &'t Tape<'t> = self;
        tape.between(0, narrow(self.entries.len()))
    }
}

impl<'t> Part<'t> {
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

    /// Where a number's unit begins; the end of the number when it has none.
    pub(crate) fn unit_start(&self) -> usize {
        match self.entry.link {
            0 => self.entry.end as usize,
            start => start as usize,
        }
    }

    /// The parts in this one.
    #[inline]
    pub(crate) fn parts(&self) -> Parts<'t> {
        let end = if self.entry.kind.has_parts() {
            self.entry.link
        } else {
            self.at
        };
        self.tape.between(self.at + 1, end)
    }

    /// The first part in this one, if it is of this kind.
    pub(crate) fn first(&self, kind: Kind) -> Option<Part<'t>> {
        self.parts().next().filter(|part| part.kind() == kind)
    }

    /// The source text of the part.
    pub(crate) fn source(&self) -> &'t str {
        self.span().text(self.tape.source)
    }

    /// What a name or text says. `quote` is how many bytes its quotes have on either side.
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

impl std::fmt::Debug for Part<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{:?} {:?}", self.kind(), self.source())
    }
}

/// Parts that stand next to each other, from left to right.
#[derive(Clone)]
pub(crate) struct Parts<'t> {
    tape: &'t Tape<'t>,
    at: u32,
    end: u32,
}

impl<'t> Iterator for Parts<'t> {
    type Item = Part<'t>;

    #[inline]
    fn next(&mut self) -> Option<Part<'t>> {
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
        Some(Part {
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
