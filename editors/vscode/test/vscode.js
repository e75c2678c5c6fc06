// A window of VS Code that has just what the extension asks of it, and keeps what it does.
"use strict";

const Module = require("node:module");
const path = require("node:path");
const { root } = require("./tokenize");

/**
 * The extension in a window with these settings: what it shows, the clients it starts, its commands.
 * Clients do what `start` does; errors are answered with the next of `choices`.
 */
function open({ settings = {}, folders = [], start = async () => {}, choices = [] }) {
  const seen = { errors: [], clients: [], commands: {}, executed: [], changed: undefined };
  const disposable = { dispose() {} };
  class LanguageClient {
    constructor(id, name, server, options) {
      Object.assign(this, { id, name, server, options, running: false });
      seen.clients.push(this);
    }
    async start() {
      await start(this);
      this.running = true;
    }
    async dispose() {
      if (!this.running) throw new Error("the client is not running");
      this.running = false;
    }
  }
  const nothing = () => {};
  const vscode = {
    window: {
      createOutputChannel: () => ({ info: nothing, warn: nothing, error: nothing, show: nothing, ...disposable }),
      showErrorMessage: async (message, ...buttons) => {
        seen.errors.push({ message, buttons });
        return choices.shift();
      },
    },
    workspace: {
      workspaceFolders: folders.map((fsPath) => ({ uri: { scheme: "file", fsPath } })),
      getConfiguration: (section) => ({
        // What somebody set counts, `null` too.
        get: (key, usual) => {
          const set = settings[`${section}.${key}`];
          return set === undefined ? usual : set;
        },
      }),
      onDidChangeConfiguration: (listener) => {
        seen.changed = (section) =>
          listener({ affectsConfiguration: (asked) => section.startsWith(asked) });
        return disposable;
      },
      onDidGrantWorkspaceTrust: () => disposable,
    },
    commands: {
      registerCommand: (name, run) => {
        seen.commands[name] = run;
        return disposable;
      },
      executeCommand: async (...call) => void seen.executed.push(call),
    },
  };
  const modules = { vscode, "vscode-languageclient/node": { LanguageClient } };
  const load = Module._load;
  Module._load = (name, ...rest) => modules[name] ?? load(name, ...rest);
  const file = path.join(root, "src/extension.js");
  delete require.cache[require.resolve(file)];
  try {
    return { ...seen, seen, extension: require(file), settings };
  } finally {
    Module._load = load;
  }
}

module.exports = { open };
