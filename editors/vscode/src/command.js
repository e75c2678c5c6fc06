// Which program is the language server, and with which arguments.
"use strict";

const fs = require("node:fs/promises");
const os = require("node:os");
const path = require("node:path");

const USUAL = "agent";
// The same command, by the name under which the command `gram` finds it.
const EXTENSION_OF_GRAM = "gram-agent";

/**
 * The path of a program as a shell would find it, or undefined. A relative path is taken from `folder`.
 */
async function find(program, folder, environment, platform) {
  const expanded = program.startsWith("~/")
    ? path.join(os.homedir(), program.slice(2))
    : program;
  const folders = /[\\/]/.test(expanded)
    ? [""]
    : (environment.PATH ?? environment.Path ?? "").split(path.delimiter).filter(Boolean);
  const endings =
    platform === "win32" ? ["", ...(environment.PATHEXT ?? ".EXE;.CMD").split(";")] : [""];
  for (const place of folders) {
    for (const ending of endings) {
      const candidate = path.resolve(folder, place, expanded + ending);
      if (await isProgram(candidate)) return candidate;
    }
  }
  return undefined;
}

async function isProgram(file) {
  try {
    await fs.access(file, fs.constants.X_OK);
    return (await fs.stat(file)).isFile();
  } catch {
    return false;
  }
}

/**
 * The command to start for these settings: `{ command, args, cwd }`, or `{ missing }` with the name that
 * could not be found.
 */
async function serverCommand(settings, folder, environment, platform) {
  const named = settings.path.trim() || USUAL;
  const names = named === USUAL ? [USUAL, EXTENSION_OF_GRAM] : [named];
  for (const name of names) {
    const command = await find(name, folder, environment, platform);
    if (command) return { command, args: ["lsp", ...settings.arguments], cwd: folder };
  }
  return { missing: named };
}

module.exports = { serverCommand };
