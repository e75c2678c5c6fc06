// Servers, browsers and pages for the checks and measurements of this folder.
//
// Environment: AGENT is the command, SCRATCH a folder for temporary files, PICTURES a folder for screenshots. PAGE=DIR serves the
// page from that build instead of the one embedded in the command.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { chromium } from "playwright-core";

const { AGENT, SCRATCH, PICTURES = SCRATCH, PAGE } = process.env;

/** The timeout of one step, in milliseconds. It only ends runs that hang, because CI machines are slow. */
export const PATIENCE = 60_000;

/** A document with one agent, whose calculator requires approval. */
export const HELPER = `[helper:Agent {
  description: "Computes, and asks before it does",
  instruction: "Help with sums.",
  model: "OpenAI/gpt-6-luna"
} |
  [calculator:Tool {description: "Evaluates mathematical expressions.", requiresApproval: true} |
    (expression::Text {description: "Math expression like '2 + 2'"})==>(::Object {
      fields: [{name: "result", type: "Double", optional: true}, {name: "exact", type: "Text", optional: true}]
    })
  ],
  currentTime
]
`;

// Servers

const servers = new Set();

/** A running `agent dev`. */
class Server {
  constructor(child, folder) {
    this.child = child;
    this.folder = folder;
    this.output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => (this.output += text));
    }
  }

  /** Returns the address of the page, including the token. */
  get address() {
    return new URL(/The page is at (http:\S+)/.exec(this.output)[1]);
  }

  get origin() {
    return this.address.origin;
  }

  get port() {
    return Number(this.address.port);
  }

  get token() {
    return this.address.hash.replace("#token=", "");
  }

  file(name) {
    return join(this.folder, name);
  }

  /** Kills the process, and waits for its exit. SIGINT lets it close the journal. */
  async stop(signal = "SIGKILL") {
    servers.delete(this);
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, "exit");
    this.child.kill(signal);
    await ended;
  }

  /** Sends a request with the token. A `body` makes it a POST of JSON. */
  ask(path, { headers = {}, body, ...options } = {}) {
    const json = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const type = body === undefined ? {} : { "content-type": "application/json" };
    return fetch(this.origin + path, {
      ...json,
      ...options,
      headers: { authorization: `Bearer ${this.token}`, ...type, ...headers },
    });
  }

  async json(path, options) {
    const answer = await this.ask(path, options);
    const text = await answer.text();
    assert.ok(answer.ok, `${path}: ${answer.status} ${text}`);
    return JSON.parse(text);
  }
}

/**
 * Starts `agent dev`. `documents` are written into its working directory, which is a new folder unless `folder` is set. Rejects
 * with the output of the command if it exits.
 */
export async function startServer({
  documents = { "helper.gram": HELPER },
  files = ["helper.gram"],
  options = ["--offline"],
  journal = "runs.db",
  folder,
  env = {},
} = {}) {
  folder ??= await mkdtemp(join(SCRATCH, "dev-"));
  for (const [name, text] of Object.entries(documents)) await writeIn(folder, name, text);
  const child = spawn(AGENT, ["dev", ...files, "--no-browser", "--journal", journal, ...options], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, XDG_DATA_HOME: folder, NO_PROXY: "*", ...env },
  });
  const server = new Server(child, folder);
  servers.add(server);
  const printed = new Promise((done) => {
    child.stdout.on("data", () => /The page is at http:\S+\n/.test(server.output) && done());
  });
  await Promise.race([printed, once(child, "exit")]);
  if (!server.output.includes("The page is at")) {
    if (child.exitCode === null) await once(child, "close");
    servers.delete(server);
    throw new Error(server.output);
  }
  return server;
}

async function writeIn(folder, name, content) {
  await mkdir(dirname(join(folder, name)), { recursive: true });
  await writeFile(join(folder, name), content);
}

/** Returns an unused port. */
export async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** Returns a function that calls `make` once, at first use. A check that runs alone starts only the servers that it needs. */
export function shared(make) {
  let made;
  return () => (made ??= make());
}

// Browsers

const launched = [];

export async function launch(...args) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync", ...args],
  });
  launched.push(browser);
  return browser;
}

export const browser = shared(() => launch());

/** Exceptions, logged errors and foreign requests of all pages since the last check. */
const problems = [];
const expected = [];
const contexts = [];

/** Ignores problems that match, until the end of the check. A request that the check wants to be refused logs its status. */
export function expect(...patterns) {
  expected.push(...patterns);
}

function report(problem) {
  if (!expected.some((pattern) => pattern.test(problem))) problems.push(problem);
}

/** Closes all pages, and returns their problems. With a title, takes a screenshot of each page first. */
export async function closePages(title) {
  const pages = title ? contexts.flatMap((context) => context.pages()) : [];
  for (const [index, page] of pages.entries()) await picture(page, `${title}-${index + 1}`).catch(() => {});
  await Promise.all(contexts.splice(0).map((context) => context.close()));
  expected.length = 0;
  return problems.splice(0);
}

/** Closes all browsers, and kills all servers. */
export async function closeAll() {
  await Promise.all(launched.map((browser) => browser.close()));
  await Promise.all([...servers].map((server) => server.stop()));
}

/** Opens a view of the page, in a new session unless `session` is set. */
export async function open(server, view = "", { session, ...options } = {}) {
  const context = session ?? (await newSession(server, options));
  const page = await context.newPage();
  page.on("pageerror", (error) => report(`the page threw ${error.stack}`));
  page.on("console", (message) => {
    if (message.type() === "error") report(`the page logs ${message.text()} (${message.location().url})`);
  });
  await page.goto(server.address.href);
  await page.getByRole("navigation", { name: "Views" }).waitFor();
  assert.ok(!page.url().includes("token"), "the token leaves the address");
  if (view) await go(page, view);
  return page;
}

/** Returns a browser session. Requests of its pages to other origins than the server's are problems. */
export async function newSession(server, options = {}) {
  const { within = await browser(), ...rest } = options;
  const context = await within.newContext({ viewport: { width: 1440, height: 900 }, ...rest });
  context.setDefaultTimeout(PATIENCE);
  context.on("request", (request) => {
    const url = new URL(request.url());
    if (!["data:", "blob:"].includes(url.protocol) && url.origin !== server.origin) report(`the page asks ${url}`);
  });
  if (PAGE) await context.route(/\/(studio\.(js|css))?$/, fromBuild);
  contexts.push(context);
  return context;
}

/** Answers with a file of the build in PAGE, with the headers of the server's answer. */
async function fromBuild(route) {
  const { pathname } = new URL(route.request().url());
  const response = await route.fetch();
  const body = await readFile(join(PAGE, pathname === "/" ? "index.html" : pathname.slice(1)), "utf8");
  await route.fulfill({ response, body });
}

/** Navigates to a view by the fragment, without a reload. Resolves after the view was rendered. */
export async function go(page, view) {
  await page.evaluate(async (hash) => {
    if (location.hash === hash) return;
    const changed = new Promise((done) => addEventListener("hashchange", done, { once: true }));
    location.hash = hash;
    await changed;
    // Preact renders in a microtask after the event.
    await new Promise((done) => setTimeout(done));
  }, `#/${view}`);
}

/** Polls a function until it returns a truthy value, and returns that value. */
export async function until(what, find) {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const found = await find();
    if (found) return found;
    assert.ok(Date.now() < end, `not in ${PATIENCE} ms: ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

export async function picture(page, title) {
  await page.screenshot({ path: join(PICTURES, `studio-${title.replace(/[^\w-]+/g, "-")}.png`) });
}

// Steps that several files use

/** Sends a message. Resolves when the page shows it as a turn or as a queued message, or shows why it was refused. */
export async function say(page, text) {
  const box = page.getByRole("textbox", { name: /^(Message|Say|Decide)/ });
  await box.fill(text);
  const turns = await page.locator(".turn").count();
  await box.press("Enter");
  const next = page.locator(".turn").nth(turns);
  const queued = page.locator(".queued").filter({ hasText: text });
  await next.or(queued).or(page.locator(".composer .problem")).first().waitFor();
}

/** Returns the approval card of a tool. */
export const card = (page, tool = "calculator") => page.getByRole("form", { name: `Decide on ${tool}` });

/** Starts a run that waits for approval, with an agent of `HELPER`. */
export async function waiting(page) {
  await say(page, "What is 6 * 7?");
  await card(page).waitFor();
}

/** Waits until the run of the last message has ended. */
export async function ended(page) {
  await page.locator(".turn").last().getByRole("link", { name: "Open the run" }).waitFor();
}

/** Opens each step of the displayed run, and yields its detail pane. */
export async function* steps(page) {
  await page.getByRole("region", { name: "Steps of the run" }).waitFor();
  const count = await page.locator("[data-row]").count();
  for (let index = 0; index < count; index++) {
    const row = page.locator("[data-row]").nth(index);
    await row.click();
    await page.locator("[data-row][aria-expanded=true]").and(row).waitFor();
    yield page.getByRole("complementary", { name: "Step" });
  }
}

export async function fits(page, what = "") {
  const [content, width] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(content <= width, `${what}: ${content} pixels in a window of ${width}`);
}
