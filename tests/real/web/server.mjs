// The server of a check. Each check starts its own, with a journal of its own.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Waits until the condition returns a true value, and returns it. */
export async function until(what, condition, seconds = 30) {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(20)) {
    const found = await condition();
    if (found) return found;
  }
  throw new Error(`waited ${seconds} seconds until ${what}`);
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

export class Server {
  /** Starts the command with a free port and a new journal. */
  static async begin(command) {
    const server = new Server();
    server.command = command;
    server.port = await freePort();
    server.address = `http://127.0.0.1:${server.port}`;
    server.journal = join(mkdtempSync(join(process.env.SCRATCH ?? tmpdir(), "web-")), "journal");
    await server.start();
    return server;
  }

  /** Starts the command, at the same port and with the same journal each time. */
  async start() {
    const [program, ...given] = this.command;
    const args = [...given, "--port", String(this.port), "--journal", this.journal, "--offline"];
    this.process = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"] });
    await until("the server answers", async () => {
      if (this.process.exitCode !== null) throw new Error(`the server ended with ${this.process.exitCode}`);
      return (await fetch(this.address).catch(() => null))?.ok;
    });
  }

  /** Kills the server with SIGKILL, as a crash does. */
  async kill() {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    this.process.kill("SIGKILL");
    await once(this.process, "exit");
  }

  async restart() {
    await this.kill();
    await this.start();
  }
}
