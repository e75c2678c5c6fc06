// Starts `agent lsp` for the gram files of a window, and stops it with the window.
"use strict";

const os = require("node:os");
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const { serverCommand } = require("./command");

const OPEN_SETTINGS = "Open settings";
const TRY_AGAIN = "Try again";

/** What one window has: the client, when a server could be started, and where it writes. */
class Server {
  constructor() {
    this.output = vscode.window.createOutputChannel("Gram", { log: true });
    this.client = undefined;
    // Starting and stopping take their turns, so that there is never more than one server.
    this.turn = Promise.resolve();
  }

  restart() {
    return this.next(async () => {
      await this.stopNow();
      await this.startNow();
    });
  }

  stop() {
    return this.next(() => this.stopNow());
  }

  next(work) {
    this.turn = this.turn.then(work, work);
    return this.turn;
  }

  async startNow() {
    const settings = vscode.workspace.getConfiguration("gram.agent");
    const found = await serverCommand(
      { path: settings.get("path", "agent"), arguments: settings.get("arguments", []) },
      vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file")?.uri.fsPath ??
        os.homedir(),
      process.env,
      process.platform,
    );
    if (found.wrong) {
      this.output.error(found.wrong);
      void this.tell(found.wrong);
      return;
    }
    if (found.missing) {
      this.output.error(`there is no command ${found.missing}`);
      // Not awaited: the question may stay there for as long as the window does.
      void this.tellMissing(found.missing);
      return;
    }
    this.output.info(`starting ${[found.command, ...found.args].join(" ")}`);
    const client = new LanguageClient(
      "gram",
      "Gram",
      { command: found.command, args: found.args, options: { cwd: found.cwd } },
      {
        documentSelector: [
          { language: "gram", scheme: "file" },
          { language: "gram", scheme: "untitled" },
        ],
        outputChannel: this.output,
      },
    );
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      this.output.error(String(error));
      void this.tellFailed(found);
    }
  }

  async stopNow() {
    const client = this.client;
    this.client = undefined;
    try {
      await client?.dispose();
    } catch (error) {
      // One that never got as far as running cannot be asked to stop; its process is ended all the same.
      this.output.warn(String(error));
    }
  }

  tellMissing(name) {
    const onWindows = process.platform === "win32" ? " It is a file that ends in `.exe`." : "";
    return this.tell(
      `There is no command \`${name}\`, which tells what is wrong in gram files.${onWindows} Install ` +
        "it with `cargo install --path agent-cli` in a checkout of agent-runtime, or say in the " +
        "setting `gram.agent.path` where it is. Files are highlighted without it.",
    );
  }

  tellFailed({ command }) {
    return this.tell(
      `\`${command} lsp\` does not answer as a language server: it may be another program of that ` +
        "name, or an argument of `gram.agent.arguments` may be wrong. What it said is in the output " +
        "`Gram`.",
    );
  }

  /** Says what is amiss, and does what is chosen. */
  async tell(message) {
    const choice = await vscode.window.showErrorMessage(message, OPEN_SETTINGS, TRY_AGAIN);
    await this.follow(choice);
  }

  async follow(choice) {
    if (choice === OPEN_SETTINGS) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "gram.agent");
    } else if (choice === TRY_AGAIN) {
      await this.restart();
    }
  }
}

let server;

async function activate(context) {
  server = new Server();
  context.subscriptions.push(
    server.output,
    vscode.commands.registerCommand("gram.restartServer", () => server.restart()),
    vscode.commands.registerCommand("gram.showOutput", () => server.output.show()),
    vscode.workspace.onDidChangeConfiguration((change) =>
      change.affectsConfiguration("gram.agent") ? server.restart() : undefined,
    ),
    vscode.workspace.onDidGrantWorkspaceTrust(() => server.restart()),
  );
  await server.restart();
}

async function deactivate() {
  await server?.stop();
  server = undefined;
}

module.exports = { activate, deactivate };
