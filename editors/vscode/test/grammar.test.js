// The grammar for highlighting: golden tokens of snippets, what holds for every file, and whether the
// command's own parser sees the same names.
"use strict";

const assert = require("node:assert/strict");
const { execFileSync, spawnSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { test } = require("node:test");
const { kind, root, tokenize } = require("./tokenize");

const snippets = path.join(__dirname, "snippets");
const repository = path.join(root, "../..");

/** The gram files of a folder of snippets. */
function files(folder) {
  return fs
    .readdirSync(path.join(snippets, folder))
    .filter((name) => name.endsWith(".gram"))
    .map((name) => path.join(snippets, folder, name));
}

/** All gram files of the repository, snippets included. */
function allFiles() {
  return execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.gram"], {
    cwd: repository,
    encoding: "utf8",
  })
    .split("\0")
    .filter(Boolean)
    .map((name) => path.join(repository, name));
}

const invalid = ({ scopes }) => scopes.some((scope) => scope.startsWith("invalid"));

/** Whether the command takes the text as gram; without the command, undefined. */
function isGram(file) {
  if (!process.env.AGENT) return undefined;
  return spawnSync(process.env.AGENT, ["check", "--as", "gram", file]).status === 0;
}

for (const file of [...files("valid"), ...files("invalid")]) {
  test(`the tokens of ${path.relative(snippets, file)}`, async () => {
    const { tokens } = await tokenize(fs.readFileSync(file, "utf8"));
    const written = tokens
      .filter(({ text }) => text.trim())
      .map((token) => `${kind(token).padEnd(40)} ${token.text.trim()}\n`)
      .join("");
    const golden = file.replace(/\.gram$/, ".tokens");
    if (process.env.UPDATE_TOKENS) fs.writeFileSync(golden, written);
    assert.equal(written, fs.readFileSync(golden, "utf8"), "UPDATE_TOKENS=1 writes it anew");
  });
}

test("what is not gram is marked, and nothing else", async () => {
  for (const [folder, expected] of [
    ["valid", false],
    ["invalid", true],
  ]) {
    for (const file of files(folder)) {
      const { tokens } = await tokenize(fs.readFileSync(file, "utf8"));
      assert.equal(tokens.some(invalid), expected, file);
      assert.notEqual(isGram(file), expected, `${file}, as the command reads it`);
    }
  }
});

test("every token of a value has a kind", async () => {
  const { tokens } = await tokenize("(n {a: [x, 1, 1.5, 1kg, 0x1, 07, 1..2, true, 'a', \"b\", `c`, t`d`]})");
  for (const token of tokens.filter(({ text }) => text.trim())) assert.notEqual(kind(token), "", token.text);
});

test("a text ends where it ends, whatever is in it", async () => {
  const nasty = ["", " ", "[", "(", "{", "//", "/**", "|", "@@a", "{{", "''", "md", "\\\\", "-->", "#{"];
  for (const inside of nasty) {
    for (const [open, close] of [
      ['"', '"'],
      ["'", "'"],
      ["`", "`"],
      ["md`", "`"],
      ["```\n", "\n```"],
      ["```\n", "```"],
      ["```md\n", "\n  ```"],
    ]) {
      if (open === "'" && inside.includes("'")) continue;
      const text = `(n {a: ${open}${inside}${close}, b: 1}) [c:D | e]`;
      const { tokens, top } = await tokenize(text);
      const behind = tokens.slice(-12).filter((token) => token.text.trim());
      assert.deepEqual(
        behind.slice(-7).map((token) => [token.text, kind(token)]),
        [
          ["[", "punctuation.section.pattern.begin"],
          ["c", "entity.name.pattern"],
          [":", "punctuation.separator.label"],
          ["D", "entity.name.type"],
          ["|", "punctuation.separator.elements"],
          ["e", "variable.other.reference"],
          ["]", "punctuation.section.pattern.end"],
        ],
        text,
      );
      assert.ok(top, text);
    }
  }
});

test("a quote that is not closed ends with its line", async () => {
  for (const quote of ['"', "'", "`", "md`"]) {
    const { tokens } = await tokenize(`(n {a: ${quote}text,\n  b: 1})\n[c]`);
    const kinds = tokens.filter(({ text }) => text.trim()).map(kind);
    assert.ok(kinds.includes("constant.numeric.integer"), quote);
    assert.equal(kinds.at(-2), "entity.name.pattern", quote);
  }
});

test("Windows line ends change nothing", async () => {
  for (const file of files("valid")) {
    const text = fs.readFileSync(file, "utf8");
    assert.deepEqual(await tokenize(text.replaceAll("\n", "\r\n")), await tokenize(text));
  }
});

/** The names in the patterns that the command prints: identifiers, labels and keys. */
function namesOfPatterns(patterns) {
  const names = { identifiers: new Set(), labels: new Set(), keys: new Set() };
  const special = ["symbol", "tagged", "range", "measurement", "integer"];
  const value = (of) => {
    if (Array.isArray(of)) of.forEach(value);
    else if (of !== null && typeof of === "object") {
      if (special.includes(of.type)) return;
      for (const [key, inner] of Object.entries(of.type === "map" ? of.entries : of)) {
        names.keys.add(key);
        value(inner);
      }
    }
  };
  const pattern = ({ subject, elements }) => {
    if (subject.identity) names.identifiers.add(subject.identity);
    subject.labels.forEach((label) => names.labels.add(label));
    for (const [key, inner] of Object.entries(subject.properties)) {
      names.keys.add(key);
      value(inner);
    }
    elements.forEach(pattern);
  };
  patterns.forEach(pattern);
  return names;
}

/** The names in the tokens of a text, by their scopes. */
function namesOfTokens(tokens) {
  const names = { identifiers: new Set(), labels: new Set(), keys: new Set() };
  const unquoted = (text) => text.replace(/^[`"]|[`"]$/g, "");
  for (const token of tokens) {
    const said = kind(token);
    const text = unquoted(token.text);
    if (text === "") continue;
    if (/^(entity\.name\.pattern|variable\.other\.reference)/.test(said)) names.identifiers.add(text);
    else if (/^(entity\.name\.type|support\.type$)/.test(said)) names.labels.add(text);
    else if (/^(support\.type\.property-name|entity\.other\.attribute-name)/.test(said)) names.keys.add(text);
  }
  return names;
}

test("every gram file here is read as the command reads it", {
  skip: process.env.AGENT ? false : "AGENT does not say where the command is",
}, async () => {
  let read = 0;
  for (const file of allFiles()) {
    if (!isGram(file)) continue;
    const { tokens, top } = await tokenize(fs.readFileSync(file, "utf8"));
    assert.ok(!tokens.some(invalid), file);
    assert.ok(top, `${file} ends inside of something`);
    const printed = execFileSync(process.env.AGENT, ["parse", file], { encoding: "utf8" });
    assert.deepEqual(namesOfTokens(tokens), namesOfPatterns(JSON.parse(printed)), file);
    read += 1;
  }
  assert.ok(read > 50, `${read} files`);
});
