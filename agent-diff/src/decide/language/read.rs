//! Reading a pattern as the validator does.
//!
//! The validator's engine is `regex-lite`: its `\d`, `\w` and `\s` are those of ASCII, and all else is as
//! in `regex-syntax`. What could be read in two ways is not read at all.

use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{
    AssertionKind, Ast, ClassAscii, ClassAsciiKind, ClassBracketed, ClassPerl, ClassPerlKind,
    ClassSet, ClassSetItem, GroupKind,
};
use regex_syntax::hir::Hir;
use regex_syntax::hir::translate::Translator;

/// The pattern as an expression; nothing when it is not sure to mean the same here and there.
pub(super) fn read(pattern: &str) -> Option<Hir> {
    let mut ast = Parser::new().parse(pattern).ok()?;
    narrow(&mut ast)?;
    Translator::new().translate(pattern, &ast).ok()
}

/// Makes the classes those of ASCII. Stops at what may mean something else.
fn narrow(ast: &mut Ast) -> Option<()> {
    match ast {
        Ast::Empty(_) | Ast::Literal(_) | Ast::Dot(_) => {}
        Ast::Flags(_) | Ast::ClassUnicode(_) => return None,
        Ast::Assertion(assertion) => match assertion.kind {
            AssertionKind::StartLine
            | AssertionKind::EndLine
            | AssertionKind::StartText
            | AssertionKind::EndText => {}
            _ => return None,
        },
        Ast::ClassPerl(class) => {
            let item = ClassSetItem::Ascii(ascii(class));
            *ast = Ast::class_bracketed(ClassBracketed {
                span: *item.span(),
                negated: false,
                kind: ClassSet::Item(item),
            });
        }
        Ast::ClassBracketed(class) => match &mut class.kind {
            ClassSet::Item(item) => narrow_item(item)?,
            ClassSet::BinaryOp(_) => return None,
        },
        Ast::Repetition(repetition) => narrow(&mut repetition.ast)?,
        Ast::Group(group) => {
            if matches!(&group.kind, GroupKind::NonCapturing(flags) if !flags.items.is_empty()) {
                return None;
            }
            narrow(&mut group.ast)?;
        }
        Ast::Alternation(parts) => parts.asts.iter_mut().try_for_each(narrow)?,
        Ast::Concat(parts) => parts.asts.iter_mut().try_for_each(narrow)?,
    }
    Some(())
}

fn narrow_item(item: &mut ClassSetItem) -> Option<()> {
    match item {
        ClassSetItem::Empty(_)
        | ClassSetItem::Literal(_)
        | ClassSetItem::Range(_)
        | ClassSetItem::Ascii(_) => Some(()),
        ClassSetItem::Perl(class) => {
            *item = ClassSetItem::Ascii(ascii(class));
            Some(())
        }
        ClassSetItem::Union(union) => union.items.iter_mut().try_for_each(narrow_item),
        ClassSetItem::Unicode(_) | ClassSetItem::Bracketed(_) => None,
    }
}

fn ascii(class: &ClassPerl) -> ClassAscii {
    ClassAscii {
        span: class.span,
        kind: match class.kind {
            ClassPerlKind::Digit => ClassAsciiKind::Digit,
            ClassPerlKind::Space => ClassAsciiKind::Space,
            ClassPerlKind::Word => ClassAsciiKind::Word,
        },
        negated: class.negated,
    }
}
