// `agent lsp` as VS Code talks to it.
"use strict";

const assert = require("node:assert/strict");
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { test } = require("node:test");
const { Session, agent, checked, comparable, edited, lsp, marked } = require("./client");

const examples = path.join(__dirname, "../../../examples");
const example = (name) => fs.readFileSync(path.join(examples, name), "utf8");

// Two files, of which the second names the tool of the first.
const TOOLS = fs.readFileSync(path.join(__dirname, "tools.gram"), "utf8");
const CLOCK = fs.readFileSync(path.join(__dirname, "clock.gram"), "utf8");

/** Numbers that are the same whenever the test runs. */
function random(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test("a good file has no findings, and the server ends when asked to", async (t) => {
  const session = await Session.start(t);
  assert.equal(session.initialized.serverInfo.name, "agent");
  const uri = await session.open("hello.gram", example("agents/hello.gram"));
  assert.deepEqual(await session.findings(uri), []);
  assert.equal(await session.end(), 0);
});

test("findings are those of the command after each of a hundred edits", async (t) => {
  const session = await Session.start(t);
  let text = example("custom-tool/agents/forecaster.gram");
  const uri = await session.open("forecaster.gram", text);
  const below = random(7);
  const typed = ["x", ":", "::", "Txt", '"', "`", "{", "}", "[", "]", "|", "(", "==>", "\n", "\r\n", "🦀", "é", "//"];
  let broken = 0;
  for (let count = 0; count < 100; count += 1) {
    const lines = text.split("\n");
    const line = below(lines.length);
    const units = lines[line].replace(/\r$/, "");
    // An editor does not put the cursor into the middle of a character.
    const columns = [...units].reduce((all, one) => [...all, all.at(-1) + one.length], [0]);
    const from = below(columns.length);
    const to = Math.min(from + below(3), columns.length - 1);
    const change = {
      range: {
        start: { line, character: columns[from] },
        end: { line, character: columns[to] },
      },
      text: below(3) === 0 ? "" : typed[below(typed.length)],
    };
    text = edited(text, [{ range: change.range, newText: change.text }]);
    await session.change(uri, [change]);
    // A text with a hundred faults is dull: it is mended from time to time.
    if (count % 10 === 9) {
      text = example("custom-tool/agents/forecaster.gram");
      await session.change(uri, [{ text }]);
    }
    const expected = checked(text);
    broken += expected.length > 0;
    assert.deepEqual(comparable(await session.findings(uri)), expected, text);
  }
  assert.ok(broken > 50, `${broken} texts had findings`);
});

test("a hundred edits at once end in the findings of the last text", async (t) => {
  const session = await Session.start(t);
  let text = TOOLS + CLOCK;
  const uri = await session.open("clock.gram", text);
  const start = { line: 1, character: "  (zone::".length };
  let now = "Text";
  for (const next of [...Array(99).keys()].map((count) => (count % 2 === 0 ? "Txt" : "Text"))) {
    const range = { start, end: { line: 1, character: start.character + now.length } };
    await session.change(uri, [{ range, text: next }]);
    text = edited(text, [{ range, newText: next }]);
    now = next;
  }
  const found = await session.findings(uri);
  assert.deepEqual(found.map(({ code }) => code), ["agent::unknown-type"]);
  assert.deepEqual(comparable(found), checked(text));
});

test("hovering over a tool shows its signature and its schema", async (t) => {
  const session = await Session.start(t);
  const { text, position } = marked(TOOLS + CLOCK.replace("  getTime", "  get▮Time"));
  const uri = await session.open("clock.gram", text);
  const { contents } = await session.ask(lsp.HoverRequest.type, uri, position);
  assert.match(contents.value, /Says what time it is/);
  assert.match(contents.value, /\(zone::Text \{default: "UTC"\}\)==>\(::String\)/);
  assert.match(contents.value, /"zone"/);
});

test("a reference leads to the definition, and the definition to its references", async (t) => {
  const session = await Session.start(t);
  const { text, position } = marked(TOOLS + CLOCK.replace("  getTime", "  get▮Time"));
  const uri = await session.open("clock.gram", text);
  const definitions = await session.ask(lsp.DefinitionRequest.type, uri, position);
  const [definition] = Array.isArray(definitions) ? definitions : [definitions];
  assert.equal(definition.uri, uri);
  assert.deepEqual(definition.range.start, { line: 0, character: 1 });
  const references = await session.ask(lsp.ReferencesRequest.type, uri, definition.range.start, {
    context: { includeDeclaration: true },
  });
  assert.deepEqual(
    references.map(({ range }) => range.start.line).sort((a, b) => a - b),
    [0, 7, 9],
  );
});

test("labels, keys and types are completed where they belong", async (t) => {
  const session = await Session.start(t);
  for (const [place, expected, other] of [
    ["[a:▮]", ["Agent", "Tool"], "Text"],
    ['[a:Agent {▮}]', ["instruction", "model", "temperature"], "Agent"],
    ["[t:Tool | (a::▮)==>(::String)]", ["Text", "Int", "Array"], "Tool"],
  ]) {
    const { text, position } = marked(place);
    const uri = await session.open(`${expected[0]}.gram`, text);
    const answer = await session.ask(lsp.CompletionRequest.type, uri, position);
    const labels = (answer.items ?? answer).map(({ label }) => label);
    for (const label of expected) assert.ok(labels.includes(label), `${place}: ${labels}`);
    assert.ok(!labels.includes(other), `${place}: ${labels}`);
  }
});

test("the outline has agents and tools", async (t) => {
  const session = await Session.start(t);
  const uri = await session.open("hello.gram", example("agents/hello.gram"));
  const symbols = await session.connection.sendRequest(lsp.DocumentSymbolRequest.type, {
    textDocument: { uri },
  });
  const names = (all) => all.flatMap(({ name, children }) => [name, ...names(children ?? [])]);
  assert.ok(names(symbols).includes("hello_world_agent"), names(symbols).join());
  assert.ok(names(symbols).includes("sayHello"), names(symbols).join());
});

test("formatting does what the command does", async (t) => {
  const session = await Session.start(t);
  const text = `// 🕰️\n${TOOLS.replace(" |\n  ", "|").replace("==>", "  ==>\r\n")}${CLOCK}`;
  const uri = await session.open("clock.gram", text);
  const edits = await session.connection.sendRequest(lsp.DocumentFormattingRequest.type, {
    textDocument: { uri },
    options: { tabSize: 2, insertSpaces: true },
  });
  const { stdout } = spawnSync(agent, ["fmt", "-"], { input: text, encoding: "utf8" });
  assert.notEqual(stdout, text);
  assert.equal(edited(text, edits), stdout);
});

test("a tool is renamed in the file that defines it and in the one that names it", async (t) => {
  const files = { "tools.gram": TOOLS, "clock.gram": CLOCK };
  const session = await Session.start(t, { files, args: ["--tools", "tools.gram"] });
  const tools = await session.open("tools.gram", TOOLS);
  const { position } = marked(CLOCK.replace("  getTime", "  get▮Time"));
  const clock = await session.open("clock.gram", CLOCK);
  assert.deepEqual(await session.findings(clock), []);
  const prepared = await session.ask(lsp.PrepareRenameRequest.type, clock, position);
  assert.equal(prepared.placeholder, "getTime");
  const { changes } = await session.ask(lsp.RenameRequest.type, clock, position, { newName: "now" });
  assert.deepEqual(Object.keys(changes).sort(), [clock, tools].sort());
  assert.equal(edited(TOOLS, changes[tools]), TOOLS.replaceAll("getTime", "now"));
  assert.equal(edited(CLOCK, changes[clock]), CLOCK.replaceAll("getTime", "now"));
  await assert.rejects(
    session.ask(lsp.RenameRequest.type, clock, position, { newName: "not a name" }),
    /not a name/,
  );
  assert.equal(await session.end(), 0);
});
