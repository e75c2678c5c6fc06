// Checks the page of `agent dev` in Debian's Chromium. Takes the name of a check; leaves pictures in the folder PICTURES.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const GOOD = `[helper:Agent {
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
const BAD = GOOD.replace("currentTime", "curentTime");

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const folder = await mkdtemp(join(process.env.SCRATCH, "dev-"));
const document = join(folder, "helper.gram");
await writeFile(document, GOOD);
const name = process.argv[2];
const options = name === "read only" ? ["--read-only"] : [];
const server = spawn(
  process.env.AGENT,
  ["dev", document, "--offline", "--no-browser", "--journal", join(folder, "runs.db"), ...options],
  { stdio: ["ignore", "pipe", "inherit"] },
);
let address;
for await (const line of createInterface(server.stdout)) {
  address = new URL(/http:\S+/.exec(line)[0]);
  break;
}
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});
const problems = [];

async function open(path = "", options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  context.setDefaultTimeout(20_000);
  context.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol !== "data:" && url.origin !== address.origin) problems.push(`the page asks ${url}`);
  });
  const page = await context.newPage();
  page.on("pageerror", (error) => problems.push(`the page threw ${error.stack}`));
  page.on("console", (message) => {
    // A status of 401 is what the check without a token is about.
    if (message.type() === "error" && !message.text().includes("401")) problems.push(`the page logs ${message.text()}`);
  });
  await page.goto(address.href);
  await page.getByRole("navigation", { name: "Views" }).waitFor();
  assert.ok(!page.url().includes("token"), "the token leaves the address");
  if (path) await page.goto(`${address.origin}/#/${path}`);
  return page;
}

async function say(page, text) {
  await page.getByRole("textbox", { name: /Message|Say|Decide/ }).fill(text);
  await page.keyboard.press("Enter");
}

const picture = (page, title) => page.screenshot({ path: join(process.env.PICTURES, `studio-${title}.png`) });
const card = (page) => page.getByRole("form", { name: "Decide on calculator" });

async function fits(page) {
  const [content, width] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(content <= width, `${content} pixels in a window of ${width}`);
}

/** A run that waits for an approval, in a conversation of its own. */
async function waiting(page) {
  await say(page, "What is 6 * 7?");
  await card(page).waitFor();
}

const checks = {
  async token() {
    const page = await (await browser.newContext()).newPage();
    await page.goto(address.origin);
    await page.getByText("Open the address that").waitFor();
    for (const path of ["/studio/state", "/studio/runs", "/api/conversations"]) {
      for (const headers of [{}, { authorization: "Bearer 0" }, { cookie: `token=${address.hash.slice(7)}` }]) {
        const answer = await fetch(address.origin + path, { headers });
        assert.equal(answer.status, 401, path);
      }
    }
    const authorization = `Bearer ${address.hash.slice(7)}`;
    const elsewhere = await fetch(`${address.origin}/studio/state`, { headers: { authorization, origin: "https://evil.example" } });
    assert.equal(elsewhere.status, 403);
    const wrong = await Promise.all(
      Array.from({ length: 1000 }, (_, at) => fetch(`${address.origin}/studio/state`, { headers: { authorization: `Bearer ${at}` } })),
    );
    assert.ok(wrong.every(({ status }) => status === 401));
  },

  async talk() {
    const page = await open();
    await say(page, "Which time is it?");
    await page.getByText("done", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Open the run" }).waitFor();
    await picture(page, "talk");
    await page.reload();
    await page.getByText("Which time is it?").first().waitFor();
    await fits(page);
  },

  async approve() {
    const page = await open();
    await waiting(page);
    await picture(page, "approve");
    const other = await open("waiting");
    await card(other).waitFor();
    await page.reload();
    await card(page).getByRole("textbox", { name: "expression" }).fill("6 * 8");
    await card(page).getByRole("button", { name: "Approve with changes" }).click();
    await page.getByText("48").locator("visible=true").first().waitFor();
    await other.getByText("Nothing waits for you").waitFor();
    await waiting(page);
    await card(page).getByRole("button", { name: "Deny" }).click();
    await card(page).getByRole("textbox", { name: /Reason/ }).fill("not today");
    await card(page).getByRole("button", { name: "Deny", exact: true }).click();
    await page.getByText("not today").locator("visible=true").first().waitFor();
  },

  async runs() {
    const page = await open();
    await waiting(page);
    await card(page).getByRole("button", { name: "Approve" }).click();
    await page.getByRole("link", { name: "Open the run" }).click();
    const row = page.getByRole("button", { name: /calculator/ });
    await row.click();
    await page.getByRole("complementary", { name: "Step" }).getByText("6 * 7").waitFor();
    await picture(page, "timeline");
    await page.keyboard.press("Escape");
    await page.keyboard.press("ArrowUp");
    await page.getByRole("link", { name: "Runs" }).last().click();
    await page.getByRole("link", { name: /helper/ }).waitFor();
    await page.getByRole("combobox", { name: "State" }).selectOption("failed");
    await page.getByText("No run is like this").waitFor();
    await picture(page, "runs");
  },

  async tools() {
    const page = await open("tools/calculator");
    await page.getByRole("textbox", { name: "expression" }).fill("2 ^ 10");
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.getByText("1024").first().waitFor();
    await page.getByRole("textbox", { name: "expression" }).fill("2 +");
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.getByRole("heading", { name: /^Error/ }).waitFor();
    await picture(page, "tools");
  },

  async findings() {
    const page = await open("findings");
    await page.getByText("Nothing to mend").waitFor();
    await writeFile(document, BAD);
    await page.getByText("The last good version is still running.").waitFor();
    await page.locator("mark", { hasText: "curentTime" }).first().waitFor();
    await picture(page, "findings");
    await page.goto(`${address.origin}/#/talk`);
    await say(page, "Which time is it?");
    await page.getByText("done", { exact: true }).waitFor();
    await writeFile(document, GOOD);
    await page.goto(`${address.origin}/#/findings`);
    await page.getByText("Nothing to mend").waitFor();
  },

  async "read only"() {
    const page = await open();
    await page.getByText("Read-only").waitFor();
    await say(page, "Which time is it?");
    await page.getByText(/--read-only/).waitFor();
    problems.splice(0, problems.length, ...problems.filter((problem) => !problem.includes("403")));
  },

  async axe() {
    const seed = await open();
    await waiting(seed);
    for (const colorScheme of ["light", "dark"]) {
      for (const viewport of [{ width: 1440, height: 900 }, { width: 390, height: 844 }]) {
        for (const view of ["talk", "waiting", "runs", "tools", "findings"]) {
          const page = await open(view, { colorScheme, viewport, reducedMotion: "reduce" });
          await page.getByRole("heading", { level: 1 }).first().waitFor({ state: "attached" });
          await page.getByText("Loading…").waitFor({ state: "detached" });
          await fits(page);
          await page.evaluate(axe);
          const { violations } = await page.evaluate(() => window.axe.run());
          const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
          assert.deepEqual(found, [], `${view}, ${colorScheme}, ${viewport.width}`);
          await picture(page, `${view}-${colorScheme}-${viewport.width}`);
          await page.context().close();
        }
      }
    }
  },
};

try {
  await checks[name]();
  assert.deepEqual(problems, []);
} catch (error) {
  const pages = browser.contexts().flatMap((context) => context.pages());
  for (const [index, page] of pages.entries()) await picture(page, `failed-${name}-${index + 1}`);
  throw error;
} finally {
  await browser.close();
  server.kill();
}
