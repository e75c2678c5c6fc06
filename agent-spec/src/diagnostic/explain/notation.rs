//! Findings about the notation, whatever is written in it.

use super::Examples::{Documents, Gram, ShortGram, Signatures};
use super::Explanation;

pub(super) const UNEXPECTED: Explanation = Explanation::of(
    Documents,
    "\
The text cannot be read on from here: what stands here has no meaning in this place. The message
says what was found and what could stand there instead.

The mistake is often one character earlier. Between a key and its value goes `:` or `::`,
between properties and between elements a `,`, and before the elements of a bracket a `|`. There
is no comma after the last property or element. Nothing around the mistake is judged before it
is mended, so mending it can bring up findings that were there all along.",
    r#"[greet:Tool {description "Greets a person"} |
  (personName::Text)==>(::String)
]"#,
    r#"[greet:Tool {description: "Greets a person"} |
  (personName::Text)==>(::String)
]"#,
);

pub(super) const UNCLOSED: Explanation = Explanation::of(
    Documents,
    "\
A `[`, `(` or `{` has no partner: the text ends, or another bracket closes, where it should have
been closed first. The finding shows where the partner was missed, and which bracket waits for
it.

Brackets close in the reverse of the order in which they opened. Where exactly the partner
belongs only you can know; what the message shows is the first place where it was certain that
one is missing, and the right place may be before it.",
    r#"[greet:Tool {description: "Greets a person"} |
  (personName::Text)==>(::String)
"#,
    r#"[greet:Tool {description: "Greets a person"} |
  (personName::Text)==>(::String)
]"#,
);

pub(super) const UNTERMINATED: Explanation = Explanation::of(
    Documents,
    "\
A string, a fence or a doc comment begins here and never ends. A string in quotes ends with the
same quote on the same line: it cannot go on in the next one.

Put the closing quote where it was forgotten. A text of several lines is written with `\\n`
between them, or as a fence: three backticks and a line end, the text as it is, and three
backticks again. Inside a fence nothing needs a backslash. A doc comment ends with `*/`.",
    r#"[hello:Agent {model: "OpenAI/gpt-4o-mini", instruction: "Greet the user.
}]"#,
    r#"[hello:Agent {model: "OpenAI/gpt-4o-mini", instruction: ```
Greet the user.
Be brief.
```}]"#,
);

pub(super) const BAD_ESCAPE: Explanation = Explanation::of(
    Documents,
    r#"In a string a backslash means something only before a few characters: before the quote that
encloses the string, and in `\\`, `\/`, `\b`, `\f`, `\n`, `\r` and `\t`. Before any other
character it is a mistake, since somebody meant something by it, and leaving it out or in would
be a guess.

For a backslash itself write two. Regular expressions and paths need this most. A quote of
another kind needs no backslash: `"it's"`. Characters beyond ASCII are written as they are;
there is no `\u`. In a fence a backslash is an ordinary character."#,
    r#"[dial:Tool {description: "Dials a number"} |
  (number::Text {pattern: "^\d+$"})==>(::Null)
]"#,
    r#"[dial:Tool {description: "Dials a number"} |
  (number::Text {pattern: "^\\d+$"})==>(::Null)
]"#,
);

pub(super) const BAD_NUMBER: Explanation = Explanation::of(
    Documents,
    "\
This begins like a number and is none. Numbers are written `7`, `-7` and `0.5`: with a digit on
both sides of the point, without `+`, without an exponent, and without zeros in front, since
those make a number octal (`0755`). A number with a unit, such as `10s`, has letters only after
its digits. Whole numbers have at most 128 bits.

Ranges are written `1..10`, `1...` and `...10`: two dots between two ends, three where one is
open.",
    r#"[hello:Agent {
  instruction: "Greet the user.", model: "OpenAI/gpt-4o-mini", temperature: .5
}]"#,
    r#"[hello:Agent {
  instruction: "Greet the user.", model: "OpenAI/gpt-4o-mini", temperature: 0.5
}]"#,
);

pub(super) const BAD_ARROW: Explanation = Explanation::of(
    Signatures,
    "\
Arrows come in three styles, and each takes two strokes: `-->`, `==>` and `~~>`, to the left
`<--`, without a head `--`, with two heads `<-->`. An arrow with one stroke, as in many other
languages, or with three does not exist, nor one that mixes styles.

In a signature every style means the same; `==>` is the usual one. Between the two halves of an
arrow a bracket may stand, `=[r]=>`, which a signature has no use for.",
    "(personName::Text)=>(::String)",
    "(personName::Text)==>(::String)",
);

pub(super) const BAD_CHARACTER: Explanation = Explanation::of(
    Documents,
    "\
This character has no use in the notation. Inside quotes and comments any character may stand,
but outside of them only ASCII letters, digits, and the brackets and signs of gram do.

Most such characters were put there by a program that means to help: curly quotes, long dashes,
arrows drawn as one character, blanks that do not break. Write the plain ones. A name with other
letters goes in backticks; what is no name goes in quotes; and a comment begins with `//`.",
    r#"[greet:Tool {description: “Greets a person”} |
  (personName::Text)==>(::String)
]"#,
    r#"[greet:Tool {description: "Greets a person"} |
  (personName::Text)==>(::String)
]"#,
);

pub(super) const TOO_DEEP: Explanation = Explanation::of(
    Gram,
    "\
Brackets, braces and parentheses are nested deeper than 128. Everything that works on a document
goes down into it, and needs some memory for each level. The bound makes sure that no document,
by mistake or on purpose, brings a program down; documents written by people stay far below it.

Nothing after this place was read. Give an inner part a name and refer to it, or let a list hold
its items side by side in place of one inside the other.",
    "(grid {rows:
  [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
  [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
  1
  ]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
  ]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
})",
    "(grid {rows: [[1, 2], [3, 4]]})",
);

pub(super) const TOO_LONG: Explanation = Explanation::of(
    ShortGram,
    "\
The text has more bytes than are read: 1 GiB, or fewer where a program has set a lower bound (in the
example 40). What is read takes a few times the memory of its text, and places in it are kept in
numbers of 32 bits; a document written for agents comes nowhere near.

Nothing of the text was read. Divide it into several documents.",
    "(greeting {text: \"Hello, hello and hello\"})",
    "(greeting {text: \"Hello\"})",
);

pub(super) const DUPLICATE_KEY: Explanation = Explanation::of(
    Gram,
    "\
A record or a map gives one key twice. The notation allows it, and the last value wins, as in
most formats of this kind; but whoever wrote the first value surely meant something by it.

This warning is given where only the notation is checked. In agents and tools it is an error of
its own, `agent::duplicate-key`. Keep one of the two, or make a list of both:
`phone: [\"1\", \"2\"]`.",
    "(ada:Person {born: 1815, born: 1816})",
    "(ada:Person {born: 1815})",
);
