// The extension in a browser's VS Code, seen and used as a person does. What is looked for must come
// within half a minute.
"use strict";

const assert = require("node:assert/strict");
const { execFileSync } = require("node:child_process");
const fs = require("node:fs");
const { chromium } = require("playwright-core");

const { ADDRESS, AGENT, FOLDER, PICTURE, SETTINGS } = process.env;

/** The processes that are language servers of the command. */
function servers() {
  return fs
    .readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .filter((id) => {
      try {
        return fs.readFileSync(`/proc/${id}/cmdline`, "utf8").startsWith(`${AGENT}\0lsp\0`);
      } catch {
        return false;
      }
    });
}

async function eventually(what, condition) {
  const end = Date.now() + 30_000;
  let found;
  while (Date.now() < end) {
    found = await condition();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return assert.fail(`this did not happen: ${what}`);
}

async function session(page) {
  const command = async (title) => {
    await page.keyboard.press("F1");
    const input = page.locator(".quick-input-widget input").first();
    await input.fill(`>${title}`);
    await page.locator(".quick-input-list-row", { hasText: title }).first().waitFor();
    await page.keyboard.press("Enter");
  };
  const lines = () => page.locator(".editor-instance .view-line");
  const shows = (text) =>
    eventually(`the editor shows ${text}`, async () =>
      (await lines().allInnerTexts()).some((line) => line.replaceAll("\u00a0", " ").includes(text)),
    );
  /** Puts the cursor into a word. */
  const into = async (text) => {
    await page.keyboard.press("Escape");
    await page.locator(".view-line span span", { hasText: text }).last().click();
  };
  const problems = (text) => page.locator(`#status\\.problems [aria-label*="${text}"]`).waitFor();
  const color = (text) =>
    page
      .locator(".view-line span span", { hasText: text })
      .first()
      .evaluate((part) => getComputedStyle(part).color);

  const opened = encodeURIComponent(
    JSON.stringify([["openFile", `vscode-remote://${new URL(ADDRESS).host}${FOLDER}/clock.gram`]]),
  );
  await page.goto(`${ADDRESS}/?folder=${FOLDER}&payload=${opened}`);
  await shows("[clock:Agent {");

  // The language, its colours, and the outline above the text.
  await page.locator("#status\\.editor\\.mode", { hasText: "Gram" }).waitFor();
  await eventually("colours", async () => {
    const colors = await Promise.all(["Agent", "description", "Tells the time"].map(color));
    return new Set(colors).size === 3;
  });
  await page.locator(".breadcrumbs-control", { hasText: "clock" }).waitFor();
  const [first] = await eventually("a language server", () => {
    const found = servers();
    return found.length === 1 && found;
  });

  // Findings come and go.
  await into("instruction");
  await page.keyboard.press("Home");
  await page.keyboard.type("x");
  await page.locator(".squiggly-error").first().waitFor();
  await problems("Errors: ");
  await page.keyboard.press("Control+z");
  await problems("No Problems");

  // What a tool is.
  await into("getTime");
  await page.keyboard.press("Control+k");
  await page.keyboard.press("Control+i");
  await page.locator(".monaco-hover", { hasText: "Says what time it is" }).first().waitFor();

  // Another name for it, in the file that defines it as well.
  await into("getTime");
  await page.keyboard.press("F2");
  const box = page.locator(".rename-box input");
  await box.waitFor();
  await box.fill("now");
  await page.keyboard.press("Enter");
  await shows('toolChoice: "now"');
  await page.locator(".explorer-folders-view", { hasText: "tools.gram" }).getByText("tools.gram").dblclick();
  await shows("[now:Tool {");

  // Types are proposed where a type belongs.
  await into("Text");
  await page.keyboard.press("Control+Delete");
  await page.keyboard.press("Control+Backspace");
  await page.keyboard.press("Control+Space");
  for (const type of ["Text", "Int", "Object"])
    await page.locator(".suggest-widget .monaco-list-row", { hasText: type }).first().waitFor();
  await page.screenshot({ path: PICTURE });

  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Control+z");
  await shows("(zone::Text {");

  // One server in place of the other.
  await command("Gram: Restart the language server");
  await eventually("another language server", () => {
    const found = servers();
    return found.length === 1 && found[0] !== first;
  });

  // Whoever has no command is told what to do. The settings are read when the window opens.
  fs.writeFileSync(
    SETTINGS,
    fs.readFileSync(SETTINGS, "utf8").replace(JSON.stringify(AGENT), '"no-such-command"'),
  );
  await page.reload();
  // On a slow machine, VS Code starts extensions before it has read the settings, and tells them later. Then there is another
  // message before this one.
  const message = page.locator(".notification-list-item", { hasText: "There is no command `no-such-command`" });
  await message.waitFor();
  const said = await message.innerText();
  for (const part of ["cargo install", "Open settings", "Try again"])
    assert.ok(said.includes(part), said);
  await eventually("no language server", () => servers().length === 0);
}

(async () => {
  const browser = await chromium.launch({
    executablePath: execFileSync("which", ["chromium"], { encoding: "utf8" }).trim(),
    args: ["--no-sandbox"],
  });
  const page = await browser.newPage({ viewport: { width: 1200, height: 700 } });
  page.setDefaultTimeout(30_000);
  try {
    await session(page);
  } catch (error) {
    await page.screenshot({ path: PICTURE });
    throw error;
  } finally {
    await browser.close();
  }
})().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
