#!/usr/bin/env node
// Starts the program of the package for this system, which npm installs beside this package.
"use strict";

const { spawn } = require("node:child_process");

const system = `gramwork-cli-${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "agent.exe" : "agent";

let program;
try {
  program = require.resolve(`${system}/bin/${file}`);
} catch {
  console.error(
    `error: the package ${system} is not installed. Either npm left optional dependencies out (--omit=optional), ` +
      "or there is no program for this system; build it with `cargo install gramwork-cli`.",
  );
  process.exit(2);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });

// The terminal sends Ctrl-C to both. This process waits, because the program decides what Ctrl-C does.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}

child.on("error", (error) => {
  console.error(`error: ${program}: ${error.message}`);
  process.exit(2);
});
child.on("exit", (code, signal) => {
  if (signal) {
    // Ends by the same signal, so that a shell sees it.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else {
    process.exit(code);
  }
});
