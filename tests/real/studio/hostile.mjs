// Hostile content: texts that try to load a resource, to run a script, or to mislead the reader.

/** Characters that hide or reorder text: bidirectional controls, zero-width characters, tags, fillers, variation selectors. */
export const MARKS = [
  "\u202Edlrow\u202C \u2066x\u2069 a\u200Bb\u200Ec\u200Fd\u061Ce\u2028f\u2060g\uFEFF",
  "h\u{E0041}\u{E0100}i\u00ADj\u034Fk\u180El\u3164m\uFFA0n\u115Fo\uFFF9p",
].join("");

export const HOSTILE_NAME = "<b>bold</b>\u202Emarg\u200B\u2067name";

const DEFAULT_IGNORABLE = /[\p{Default_Ignorable_Code_Point}\u2028\u2029\u200E\u200F\u061C\u202A-\u202E\uFFF9-\uFFFB]/gu;
/** Joiners and variation selectors that scripts and emoji need. */
const NEEDED = new Set(["\u200C", "\u200D", "\uFE0E", "\uFE0F"]);
const CONTROLS = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g;

/** Returns the characters of a text that hide or reorder text, such as `U+202E`. */
export function hiddenIn(text) {
  const found = [...text.matchAll(DEFAULT_IGNORABLE), ...text.matchAll(CONTROLS)].map(([char]) => char);
  const hex = (char) => char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
  return found.filter((char) => !NEEDED.has(char)).map((char) => `U+${hex(char)}`);
}

export const HOSTILE_TEXTS = [
  "![tracker](https://evil.example/pixel.png) ![x](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+)",
  "[![nested](https://evil.example/a.png)](https://evil.example/b)",
  "![ref][1]\n\n[1]: https://evil.example/ref.png",
  "<img src=https://evil.example/i.png onerror=pwned=1><script>pwned=1</script><iframe src=https://evil.example></iframe>",
  "<svg onload=pwned=1><style>@import url(https://evil.example/a.css)</style><base href=https://evil.example/>",
  "<a href='javascript:pwned=1'>click</a> <form action=https://evil.example><button>go</button></form>",
  "[script](javascript:pwned=1) [SCRIPT](JaVaScRiPt:pwned=1) [tab](java\tscript:pwned=1) [space]( javascript:pwned=1)",
  "[data](data:text/html,<script>pwned=1</script>) [vb](vbscript:pwned) [file](file:///etc/passwd)",
  "[blob](blob:https://evil.example/1) [about](about:blank) [chrome](chrome://settings)",
  "[entity](&#106;avascript:pwned=1) [null](java\u0000script:pwned=1) [rel](//evil.example/x) [path](/studio/state) [hash](#/runs)",
  "[https://bank.example](https://evil.example/login) [bank.example](https://evil.example/login)",
  "[user](https://bank.example@evil.example/) [idn](https://b\u0430nk.example/) [port](https://evil.example:8443/)",
  "<https://evil.example/auto> https://evil.example/bare. www.evil.example mailto:evil@evil.example",
  "[title](https://evil.example/ \"x' onmouseover='pwned=1\") [quote](https://evil.example/\"onmouseover=pwned=1)",
  "`<script>pwned=1</script>`\n\n```html\n<img src=x onerror=pwned=1>\n```\n\n```\"><script>pwned=1</script>\ntext\n```",
  "| a | b |\n| --- | --- |\n| <script>pwned=1</script> | ![x](https://evil.example/t.png) |",
  "# <img src=x onerror=pwned=1>\n\n> <script>pwned=1</script>\n\n- [x](javascript:pwned=1)",
  "\u001B[31mred\u001B[0m \u001B]0;title\u0007 \u001B]8;;https://evil.example\u0007link\u001B]8;;\u0007",
  "\u009B31m \b\b\bback \rreturn",
  `Marks: ${MARKS}`,
  `Code: \`${MARKS}\``,
  "&lt;img src=x&gt; &amp; &#x3C;script&#x3E;pwned=1&#x3C;/script&#x3E;",
  "{{7*7}} ${7*7} <%= 7*7 %> __proto__ constructor",
  "e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301".repeat(20),
];
