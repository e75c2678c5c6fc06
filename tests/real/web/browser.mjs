// Checks the page of examples/web-chat in Debian's Chromium. Takes the name of a check and the command of the server;
// leaves pictures in the folder PICTURES.
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { Server, sleep, until } from "./server.mjs";
import { CLERK, CUSTOMER, REFUND, SLOW, TEXT, TOOL } from "./words.mjs";

const [name, ...command] = process.argv.slice(2);
const server = await Server.begin(command);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});
const problems = [];

/** A browser of a user, whose tabs share cookies and channels. */
async function browserOf(user, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  await context.addCookies([{ name: "user", value: user, url: server.address }]);
  context.setDefaultTimeout(30_000);
  context.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol !== "data:" && url.origin !== server.address) problems.push(`the page asks ${url}`);
  });
  return context;
}

async function open(context, address = server.address) {
  const page = await context.newPage();
  page.on("pageerror", (error) => problems.push(`the page threw ${error.stack}`));
  page.on("dialog", (dialog) => {
    problems.push(`the page shows ${dialog.message()}`);
    dialog.dismiss();
  });
  await page.goto(address);
  return page;
}

const picture = (page, title) => page.screenshot({ path: join(process.env.PICTURES ?? tmpdir(), `web-${title}.png`) });
const logOf = (page) => page.locator("#log");
const textOf = async (page) => (await page.locator("#log .text").allTextContents()).join("\n");
const buttons = (page) => page.getByRole("button", { name: "Approve" });

// Returns when the page shows the message: until then it still shows the button of `ends`.
async function say(page, text) {
  const shown = page.locator("#log .user");
  const before = await shown.count();
  await page.fill("#message", text);
  await page.keyboard.press("Enter");
  await shown.nth(before).waitFor();
}

const ends = (page) => page.locator("#send").waitFor();

async function fits(page) {
  const [content, width] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(content <= width, `${content} pixels in a window of ${width}`);
}

const checks = {
  // Two tabs of the clerk have the conversation open, and a tab of the customer asks for it.
  async restart() {
    const [clerk, customer] = [await browserOf(CLERK), await browserOf(CUSTOMER)];
    const first = await open(clerk);
    await say(first, REFUND);
    await buttons(first).waitFor();
    await picture(first, "waiting");
    const second = await open(clerk, first.url());
    await buttons(second).waitFor();
    const third = await open(customer, first.url());
    await third.locator("#problem:not([hidden])").waitFor();
    await picture(third, "other-user");
    assert.equal(await logOf(third).textContent(), "");
    assert.equal(await third.locator("#conversations li").count(), 0);

    await server.restart();
    await second.reload();
    await buttons(second).click();
    await ends(second);
    await ends(first);
    for (const page of [first, second]) {
      assert.equal(await buttons(page).count(), 0);
      assert.equal(await page.locator(".call.done").count(), 1);
    }
    assert.equal(await textOf(first), await textOf(second));
    await picture(second, "approved");
    assert.equal(await logOf(third).textContent(), "");
    await say(third, TEXT);
    await ends(third);
    await until("the conversation is listed", async () => (await third.locator("#conversations li").count()) === 1);
    await first.reload();
    await first.locator("#log .text").first().waitFor();
    assert.equal(await textOf(first), await textOf(second), "the stored conversation is what was streamed");
  },

  async decisions() {
    const [clerk, customer] = [await open(await browserOf(CLERK)), await open(await browserOf(CUSTOMER))];
    await say(clerk, REFUND);
    await clerk.fill(".decide input", "older than thirty days");
    await clerk.getByRole("button", { name: "Deny" }).click();
    await ends(clerk);
    assert.match(await clerk.locator(".call.denied pre").last().textContent(), /older than thirty days/);
    await picture(clerk, "denied");
    await clerk.reload();
    await clerk.locator(".call.denied").waitFor();

    await say(customer, REFUND);
    await buttons(customer).click();
    await customer.locator("#problem:not([hidden])").waitFor();
    assert.equal(await buttons(customer).count(), 1, "the call still waits");
    await picture(customer, "forbidden");
    await customer.click("#stop");
    await ends(customer);
    assert.equal(await buttons(customer).count(), 0);

    // The clerk decides on the customer's call beside the own conversation. The list is read again every three seconds.
    const desk = clerk.locator("#waiting li");
    await until("the stopped call is gone", async () => (await desk.count()) === 0);
    await say(customer, REFUND);
    await clerk.locator("#waiting input").fill("ask again on Monday");
    await picture(clerk, "desk");
    await clerk.locator("#waiting").getByRole("button", { name: "Deny" }).click();
    await ends(customer);
    assert.match(await customer.locator("#log .text").last().textContent(), /ask again on Monday/);
    await until("the denied call is gone", async () => (await desk.count()) === 0);
  },

  async tabs() {
    const context = await browserOf(CUSTOMER, { colorScheme: "dark" });
    const first = await open(context);
    await say(first, TOOL);
    await ends(first);
    await first.locator(".call summary").click();
    assert.match(await first.locator(".call pre").last().textContent(), /\w/);
    const second = await open(context, first.url());
    await say(first, SLOW);
    await until("the other tab shows the text", async () => (await second.locator("#log .text").count()) > 1);
    await picture(second, "streaming-dark");
    await first.reload();
    await until("the text goes on", async () => (await first.locator("#log .text").count()) > 1);
    await Promise.all([ends(first), ends(second)]);
    assert.equal(await textOf(first), await textOf(second));
    assert.equal(await first.locator("#log .user").count(), 2);

    const before = await first.locator("#log .text").count();
    await say(first, SLOW);
    await until("the text begins", async () => (await first.locator("#log .text").count()) > before);
    await second.locator("#stop").click();
    await Promise.all([ends(first), ends(second)]);
    const stopped = await textOf(first);
    await sleep(500);
    assert.equal(await textOf(first), stopped);
    await picture(first, "stopped-dark");
  },

  async crash() {
    const page = await open(await browserOf(CUSTOMER));
    await say(page, SLOW);
    await until("the text begins", async () => (await textOf(page)).length > 10);
    await server.kill();
    await page.getByText("The connection is lost").waitFor();
    await picture(page, "lost");
    await server.start();
    await ends(page);
    const lone = await open(await browserOf(CLERK));
    await say(lone, SLOW);
    await ends(lone);
    assert.equal(await textOf(page), await textOf(lone), "the text is there once, and all of it");
  },

  async phone() {
    const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true };
    const page = await open(await browserOf(CLERK, phone));
    await fits(page);
    await page.click("#menu");
    await page.locator("#users").waitFor({ state: "visible" });
    await sleep(300);
    await picture(page, "phone-menu");
    await page.mouse.click(380, 400);
    // Text of the user stays text, and a word without blanks is broken.
    await say(page, `${REFUND} <img src=x onerror=alert(1)> [x](javascript:alert(1)) ${"long".repeat(60)}`);
    await buttons(page).waitFor();
    assert.equal(await page.locator("#log img, #log a").count(), 0);
    await fits(page);
    await picture(page, "phone-waiting");
  },
};

if (!checks[name]) throw new Error(`there is no check \`${name}\`; there are ${Object.keys(checks).join(", ")}`);
try {
  await checks[name]();
  assert.deepEqual(problems, []);
} catch (error) {
  for (const [index, page] of browser.contexts().flatMap((context) => context.pages()).entries()) {
    console.error(`tab ${index + 1}: ${await page.locator("main").innerText()}`);
    await picture(page, `failed-${name}-${index + 1}`);
  }
  throw error;
} finally {
  await browser.close();
  await server.kill();
}
