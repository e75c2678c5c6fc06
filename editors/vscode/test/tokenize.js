// Tokens of a text, as VS Code makes them: its own engine with our grammar.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const oniguruma = require("vscode-oniguruma");
const { INITIAL, Registry } = require("vscode-textmate");

const root = path.join(__dirname, "..");

async function load() {
  const wasm = fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () =>
      JSON.parse(fs.readFileSync(path.join(root, "syntaxes/gram.tmLanguage.json"), "utf8")),
  });
  return registry.loadGrammar("source.gram");
}

const grammar = load();

/**
 * The tokens of a text, `{ text, scopes }` with the scopes that say what it is and not where it stands,
 * and whether the text ends outside of everything, at `top`.
 */
async function tokenize(text) {
  const tokens = [];
  let state = INITIAL;
  for (const line of text.replace(/\r?\n$/, "").split(/\r?\n/)) {
    const result = (await grammar).tokenizeLine(line, state);
    state = result.ruleStack;
    for (const { startIndex, endIndex, scopes } of result.tokens) {
      tokens.push({ text: line.slice(startIndex, endIndex), scopes: scopes.slice(1) });
    }
  }
  // The grammar's own rule is the only one that is still open.
  return { tokens, top: state.depth === 1 };
}

/** The innermost scope of a token that says what it is. */
function kind({ scopes }) {
  const said = scopes.filter((scope) => !scope.startsWith("meta."));
  return (said.at(-1) ?? "").replace(/\.gram$/, "");
}

module.exports = { kind, root, tokenize };
