// A client for `agent lsp` of the parts that VS Code's own is made of.
"use strict";

const { spawn, spawnSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const lsp = require("vscode-languageserver-protocol/node");

const agent = process.env.AGENT;

/** A text with `▮` at a place: the text without it, and the place. */
function marked(text) {
  const offset = text.indexOf("▮");
  const before = text.slice(0, offset);
  const line = before.split("\n").length - 1;
  const character = before.length - (before.lastIndexOf("\n") + 1);
  return { text: before + text.slice(offset + 1), position: { line, character } };
}

/** A text after edits as the protocol has them, which do not overlap. */
function edited(text, edits) {
  const starts = [0];
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", end + 1)) starts.push(end + 1);
  const at = ({ line, character }) => Math.min((starts[line] ?? text.length) + character, text.length);
  return edits
    .map(({ range, newText }) => ({ start: at(range.start), end: at(range.end), newText }))
    .sort((a, b) => b.start - a.start)
    .reduce((sofar, { start, end, newText }) => sofar.slice(0, start) + newText + sofar.slice(end), text);
}

/** A folder with files, a server in it, and the documents that are open. */
class Session {
  static async start(t, { files = {}, args = [] } = {}) {
    const session = new Session();
    session.folder = fs.mkdtempSync(path.join(os.tmpdir(), "agent-lsp-"));
    for (const [name, text] of Object.entries(files))
      fs.writeFileSync(path.join(session.folder, name), text);
    session.child = spawn(agent, ["lsp", "--stdio", ...args], {
      cwd: session.folder,
      stdio: ["pipe", "pipe", "inherit"],
    });
    session.ended = new Promise((resolve) => session.child.on("exit", resolve));
    session.connection = lsp.createProtocolConnection(
      new lsp.StreamMessageReader(session.child.stdout),
      new lsp.StreamMessageWriter(session.child.stdin),
    );
    session.versions = new Map();
    session.published = new Map();
    session.waiting = [];
    session.connection.onNotification(lsp.PublishDiagnosticsNotification.type, (params) => {
      session.published.set(params.uri, params);
      session.waiting.forEach((look) => look());
    });
    session.connection.onRequest(lsp.RegistrationRequest.type, () => undefined);
    session.connection.listen();
    const folder = pathToFileURL(session.folder).href;
    session.initialized = await session.connection.sendRequest(lsp.InitializeRequest.type, {
      processId: process.pid,
      rootUri: folder,
      workspaceFolders: [{ uri: folder, name: "test" }],
      capabilities: {
        workspace: { workspaceEdit: {}, didChangeWatchedFiles: { dynamicRegistration: true } },
        textDocument: {
          publishDiagnostics: { relatedInformation: true, versionSupport: true },
          hover: { contentFormat: ["markdown"] },
          documentSymbol: { hierarchicalDocumentSymbolSupport: true },
          rename: { prepareSupport: true },
        },
      },
    });
    await session.connection.sendNotification(lsp.InitializedNotification.type, {});
    t.after(() => {
      session.connection.dispose();
      session.child.kill();
      fs.rmSync(session.folder, { recursive: true });
    });
    return session;
  }

  uri(name) {
    return pathToFileURL(path.join(this.folder, name)).href;
  }

  async open(name, text) {
    const uri = this.uri(name);
    this.versions.set(uri, 1);
    await this.connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, {
      textDocument: { uri, languageId: "gram", version: 1, text },
    });
    return uri;
  }

  async change(uri, contentChanges) {
    const version = this.versions.get(uri) + 1;
    this.versions.set(uri, version);
    await this.connection.sendNotification(lsp.DidChangeTextDocumentNotification.type, {
      textDocument: { uri, version },
      contentChanges,
    });
  }

  /** What the server has found in the text as it is now. */
  async findings(uri) {
    const current = () => this.published.get(uri)?.version === this.versions.get(uri);
    if (!current()) {
      await new Promise((resolve, reject) => {
        const late = setTimeout(() => reject(new Error("no findings for the text as it is")), 30_000);
        const look = () => {
          if (!current()) return;
          clearTimeout(late);
          this.waiting.splice(this.waiting.indexOf(look), 1);
          resolve();
        };
        this.waiting.push(look);
      });
    }
    return this.published.get(uri).diagnostics;
  }

  ask(type, uri, position, more = {}) {
    return this.connection.sendRequest(type, { textDocument: { uri }, position, ...more });
  }

  /** Ends the server as editors do, and gives its exit code. */
  async end() {
    await this.connection.sendRequest(lsp.ShutdownRequest.type);
    await this.connection.sendNotification(lsp.ExitNotification.type);
    return this.ended;
  }
}

/** What `agent check` finds in a text, with places as the protocol has them. */
function checked(text, args = []) {
  const { stdout } = spawnSync(agent, ["check", "--format", "json", ...args, "-"], {
    input: text,
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  const lines = text.split("\n");
  // The command counts characters from one, the protocol units of UTF-16 from nought.
  const place = (line, column) => ({
    line: line - 1,
    character: [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length,
  });
  return JSON.parse(stdout).diagnostics.map((found) => ({
    code: found.code,
    severity: found.severity === "error" ? 1 : 2,
    message: found.message + (found.help === null ? "" : `\nhelp: ${found.help}`),
    range: {
      start: place(found.line, found.column),
      end: place(found.endLine, found.endColumn),
    },
  }));
}

/** Findings of the server in the same form. */
const comparable = (findings) =>
  findings.map(({ code, severity, message, range }) => ({ code, severity, message, range }));

module.exports = { Session, agent, checked, comparable, edited, lsp, marked };
