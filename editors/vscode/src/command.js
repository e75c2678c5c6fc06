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
 *
 * Folders of the PATH count when they are absolute only: a relative one would be a folder of what is
 * open, which might not be trusted, and so would choose the program.
 */
async function find(program, folder, environment, platform) {
  const expanded = program.startsWith("~/")
    ? path.join(os.homedir(), program.slice(2))
    : program;
  const isPath = (platform === "win32" ? /[\\/]/ : /\//).test(expanded);
  const folders = isPath
    ? [folder]
    : (environment.PATH ?? environment.Path ?? "")
        .split(path.delimiter)
        .filter((place) => path.isAbsolute(place));
  for (const place of folders) {
    for (const ending of endings(expanded, platform)) {
      const candidate = path.resolve(place, expanded + ending);
      if (await isProgram(candidate)) return candidate;
    }
  }
  return undefined;
}

/**
 * What may be behind a program's name. Windows says by the ending what is a program, and of those that a
 * shell starts Node starts these alone without one: no `.cmd`, and no script without an ending.
 */
function endings(program, platform) {
  return platform !== "win32" || /\.(exe|com)$/i.test(program) ? [""] : [".exe", ".com"];
}

async function isProgram(file) {
  try {
    await fs.access(file, fs.constants.X_OK);
    return (await fs.stat(file)).isFile();
  } catch {
    return false;
  }
}

/** What is wrong with the settings, in a sentence, or undefined. They are whatever somebody wrote. */
function wrong(settings) {
  const found = (value) => `but is \`${JSON.stringify(value)}\`.`;
  if (typeof settings.path !== "string") {
    return `The setting \`gram.agent.path\` should be a text, such as \`"agent"\`, ${found(settings.path)}`;
  }
  const list = settings.arguments;
  if (!Array.isArray(list) || !list.every((argument) => typeof argument === "string")) {
    return (
      "The setting `gram.agent.arguments` should be a list of texts, such as " +
      `\`["--tools", "tools.gram"]\`, ${found(list)}`
    );
  }
  return undefined;
}

/**
 * The command to start for these settings: `{ command, args, cwd }`; or `{ missing }` with the name that
 * could not be found; or `{ wrong }` with a sentence about a setting.
 */
async function serverCommand(settings, folder, environment, platform) {
  const mistake = wrong(settings);
  if (mistake) return { wrong: mistake };
  const named = settings.path.trim() || USUAL;
  const names = named === USUAL ? [USUAL, EXTENSION_OF_GRAM] : [named];
  for (const name of names) {
    const command = await find(name, folder, environment, platform);
    if (command) return { command, args: ["lsp", ...settings.arguments], cwd: folder };
  }
  return { missing: named };
}

module.exports = { serverCommand };
