// What the extension does in a window: which program it starts, what it says when it cannot, and that it
// stops.
"use strict";

const assert = require("node:assert/strict");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { test } = require("node:test");
const { serverCommand } = require("../src/command");
const { root } = require("./tokenize");
const { open } = require("./vscode");

/** A folder with programs of these names, which is the whole PATH for the test. */
function programs(t, ...names) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "gram-agent-"));
  for (const name of names) fs.writeFileSync(path.join(folder, name), "", { mode: 0o755 });
  const before = process.env.PATH;
  process.env.PATH = folder;
  t.after(() => {
    process.env.PATH = before;
    fs.rmSync(folder, { recursive: true });
  });
  return folder;
}

const context = () => ({ subscriptions: [] });

test("the server is the command on the PATH, with the arguments of the settings", async (t) => {
  const folder = programs(t, "agent", "gram-agent");
  const window = open({
    settings: { "gram.agent.arguments": ["--tools", "tools.gram"] },
    folders: [folder],
  });
  await window.extension.activate(context());
  const [client] = window.clients;
  assert.deepEqual(client.server, {
    command: path.join(folder, "agent"),
    args: ["lsp", "--tools", "tools.gram"],
    options: { cwd: folder },
  });
  assert.deepEqual(
    client.options.documentSelector.map(({ language }) => language),
    ["gram", "gram"],
  );
  assert.deepEqual(window.errors, []);
  await window.extension.deactivate();
  assert.equal(client.running, false);
});

test("without `agent` it is `gram-agent`, but only when no other name is asked for", async (t) => {
  const folder = programs(t, "gram-agent");
  const usual = open({});
  await usual.extension.activate(context());
  assert.equal(usual.clients[0].server.command, path.join(folder, "gram-agent"));
  const other = open({ settings: { "gram.agent.path": "my-agent" } });
  await other.extension.activate(context());
  assert.equal(other.clients.length, 0);
  assert.match(other.errors[0].message, /no command `my-agent`/);
});

test("a path is taken from the folder that is open", async (t) => {
  const folder = programs(t, "built");
  process.env.PATH = "";
  const window = open({ settings: { "gram.agent.path": "./built" }, folders: [folder] });
  await window.extension.activate(context());
  assert.equal(window.clients[0].server.command, path.join(folder, "built"));
});

test("a folder of the PATH that is not absolute is no place for programs", async (t) => {
  const folder = programs(t, "agent");
  const bin = path.join(folder, "bin");
  fs.mkdirSync(bin);
  const settings = { path: "agent", arguments: [] };
  for (const relative of ["", ".", "./", "bin", "./bin", "bin/.."]) {
    fs.writeFileSync(path.join(bin, "agent"), "", { mode: 0o755 });
    const found = await serverCommand(settings, folder, { PATH: relative }, "linux");
    assert.deepEqual(found, { missing: "agent" }, relative);
    const both = { PATH: [relative, bin].join(path.delimiter) };
    const { command } = await serverCommand(settings, folder, both, "linux");
    assert.equal(command, path.join(bin, "agent"), relative);
  }
});

test("on Windows a program is a file that ends in `.exe` or `.com`", async (t) => {
  const folder = programs(t, "agent", "agent.cmd", "agent.bat", "gram-agent.cmd");
  const found = async (name) => {
    const environment = { Path: folder, PATHEXT: ".CMD;.EXE" };
    const settings = { path: name, arguments: [] };
    const { command } = await serverCommand(settings, folder, environment, "win32");
    return command && path.basename(command);
  };
  for (const name of ["agent", "agent.cmd", "./agent", "./agent.cmd"]) {
    assert.equal(await found(name), undefined, name);
  }
  fs.writeFileSync(path.join(folder, "agent.com"), "", { mode: 0o755 });
  assert.equal(await found("agent"), "agent.com");
  fs.writeFileSync(path.join(folder, "agent.exe"), "", { mode: 0o755 });
  for (const name of ["agent", "agent.exe", "./agent", path.join(folder, "agent.exe")]) {
    assert.equal(await found(name), "agent.exe", name);
  }
});

test("a setting of a wrong kind is named, with what it should be", async (t) => {
  programs(t, "agent");
  for (const [name, value, said] of [
    ["path", null, "a text, such as `\"agent\"`, but is `null`"],
    ["path", 5, "a text, such as `\"agent\"`, but is `5`"],
    ["arguments", null, 'a list of texts, such as `["--tools", "tools.gram"]`, but is `null`'],
    ["arguments", "--tools x", "but is `\"--tools x\"`"],
    ["arguments", ["--tools", 5], 'but is `["--tools",5]`'],
  ]) {
    const window = open({
      settings: { [`gram.agent.${name}`]: value },
      choices: ["Open settings"],
    });
    await window.extension.activate(context());
    await new Promise(setImmediate);
    assert.equal(window.clients.length, 0);
    const [{ message, buttons }] = window.errors;
    assert.ok(message.startsWith(`The setting \`gram.agent.${name}\` should be`), message);
    assert.ok(message.includes(said), message);
    assert.deepEqual(buttons, ["Open settings", "Try again"]);
    assert.deepEqual(window.executed, [["workbench.action.openSettings", "gram.agent"]]);
  }
});

test("what is no program is not started", async (t) => {
  const folder = programs(t);
  fs.mkdirSync(path.join(folder, "agent"));
  fs.writeFileSync(path.join(folder, "gram-agent"), "", { mode: 0o644 });
  const window = open({});
  await window.extension.activate(context());
  assert.equal(window.clients.length, 0);
  const [{ message, buttons }] = window.errors;
  assert.match(message, /no command `agent`.*cargo install.*gram\.agent\.path/s);
  assert.deepEqual(buttons, ["Open settings", "Try again"]);
});

test("who lacks the command is led to the setting, or can try again", async (t) => {
  const folder = programs(t);
  const led = open({ choices: ["Open settings"] });
  await led.extension.activate(context());
  await new Promise(setImmediate);
  assert.deepEqual(led.executed, [["workbench.action.openSettings", "gram.agent"]]);

  const again = open({ choices: [] });
  await again.extension.activate(context());
  fs.writeFileSync(path.join(folder, "agent"), "", { mode: 0o755 });
  await again.commands["gram.restartServer"]();
  assert.equal(again.clients.length, 1);
});

test("a server that does not answer is reported with the program's path, and the next can start", async (t) => {
  const folder = programs(t, "agent");
  let broken = true;
  const window = open({
    start: async () => {
      if (broken) throw new Error("no answer");
    },
  });
  await window.extension.activate(context());
  assert.match(window.errors[0].message, new RegExp(`${path.join(folder, "agent")} lsp`));
  broken = false;
  await window.commands["gram.restartServer"]();
  assert.deepEqual(
    window.clients.map(({ running }) => running),
    [false, true],
  );
});

test("there is one server, however often it is started anew", async (t) => {
  programs(t, "agent");
  const window = open({});
  await window.extension.activate(context());
  await Promise.all([
    window.commands["gram.restartServer"](),
    window.seen.changed("gram.agent.path"),
    window.commands["gram.restartServer"](),
  ]);
  assert.deepEqual(
    window.clients.map(({ running }) => running),
    [false, false, false, true],
  );
  assert.equal(window.seen.changed("editor.fontSize"), undefined);
  await window.extension.deactivate();
  assert.ok(window.clients.every(({ running }) => !running));
});

test("every command and setting that the code names is in the manifest, and the other way round", () => {
  const { contributes } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
  const window = open({});
  return window.extension.activate(context()).then(() => {
    assert.deepEqual(
      Object.keys(window.commands).sort(),
      contributes.commands.map(({ command }) => command).sort(),
    );
    assert.deepEqual(Object.keys(contributes.configuration.properties).sort(), [
      "gram.agent.arguments",
      "gram.agent.path",
      "gram.trace.server",
    ]);
  });
});

test("names of gram are one word", () => {
  const { wordPattern } = JSON.parse(
    fs.readFileSync(path.join(root, "language-configuration.json"), "utf8"),
  );
  const words = (text) => text.match(new RegExp(wordPattern, "g"));
  assert.deepEqual(words("[a-b.c@d:Agent {top-p: 0.5, t: 10s} |"), [
    "a-b.c@d",
    "Agent",
    "top-p",
    "0.5",
    "t",
    "10s",
  ]);
});
