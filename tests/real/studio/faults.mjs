// Failures: broken documents, model errors, lost connections, a restarted server, very large content, and hostile content.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { check } from "./check.mjs";
import {
  card, ended, expect, fits, freePort, go, HELPER, newSession, open, PATIENCE, picture, say, startServer, steps, until, waiting,
} from "./harness.mjs";
import { HOSTILE_NAME, HOSTILE_TEXTS, hiddenIn, MARKS } from "./hostile.mjs";
import { agentOf, ASKING_CALCULATOR, gate, MODEL_ENV, modelOptions, startModel } from "./model.mjs";
import { startWire } from "./wire.mjs";

/** Starts `agent dev` with a mock model server. */
const startWith = (model, tools, { documents = {}, options = [], ...more } = {}) =>
  startServer({
    documents: { "helper.gram": agentOf(tools), ...documents },
    options: [...modelOptions(model), ...options],
    env: MODEL_ENV,
    ...more,
  });

// Documents

check("a document with errors at the start: the page says so, and the agent comes when it is mended", async () => {
  const server = await startServer({ documents: { "helper.gram": HELPER.replace("currentTime", "curentTime") } });
  expect(/503/);
  const page = await open(server);
  await page.getByText("The documents have 1 error.").waitFor();
  await picture(page, "no-agent");
  await page.getByRole("link", { name: "See the documents" }).click();
  await page.locator("mark", { hasText: "curentTime" }).first().waitFor();
  await writeFile(server.file("helper.gram"), HELPER);
  await page.getByText("Documents without findings").waitFor();
  await go(page, "talk");
  await say(page, "Which time is it?");
  await ended(page);
});

check("a document that goes, becomes a folder, and comes back: the last good version runs meanwhile", async () => {
  const server = await startServer();
  const page = await open(server);
  const document = server.file("helper.gram");
  const banner = page.locator(".banner.red");

  await rename(document, server.file("kept.gram"));
  await banner.filter({ hasText: "helper.gram" }).waitFor();
  await picture(page, "deleted");
  await say(page, "Which time is it?");
  await ended(page);

  await mkdir(document);
  await until("the state of a folder", async () => (await server.json("/studio/state")).version >= 3);
  await page.reload();
  await page.getByRole("navigation", { name: "Views" }).waitFor();
  await go(page, "findings");
  await page.getByRole("heading", { name: "Findings" }).waitFor();
  await picture(page, "folder");

  await rm(document, { recursive: true });
  await rename(server.file("kept.gram"), document);
  await page.getByText("Documents without findings").waitFor();
  await banner.waitFor({ state: "detached" });
  await go(page, "talk");
  await say(page, "Which time is it?");
  await ended(page);
});

check("an empty folder at the start: the page says what to do, and takes the first document", async () => {
  const folder = await mkdtemp(join(process.env.SCRATCH, "empty-"));
  await mkdir(join(folder, "agents"));
  const server = await startServer({ folder, documents: {}, files: ["agents"] });
  expect(/503/);
  const page = await open(server);
  await page.getByText("No agent yet").waitFor();
  for (const view of ["waiting", "runs", "tools", "findings"]) {
    await go(page, view);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    await fits(page, view);
  }
  await writeFile(server.file("agents/helper.gram"), HELPER);
  await page.getByText("Documents without findings").waitFor();
  await go(page, "talk");
  await say(page, "Which time is it?");
  await ended(page);
});

check("addresses that lead nowhere show a view that says so", async () => {
  const page = await open(await startServer());
  expect(/404/);
  for (const [address, text] of [
    ["talk/no-such-conversation", "Nothing here"],
    ["runs/no-such-run", "no run"],
    ["runs/no-such-run/replay", "no run"],
    ["tools/no-such-tool", "Tools"],
    ["no-such-view", "Write a message below"],
    ["talk/%E0%A4%A", "Write a message below"],
    ["runs/..%2F..%2Fstate", "no run"],
    ["////", "Write a message below"],
  ]) {
    await go(page, address);
    await page.locator("#main").getByText(text).locator("visible=true").first().waitFor();
  }
});

check("a list that arrives between the drawing of its view and the effects of that drawing is shown", async () => {
  const server = await startServer();
  await waiting(await open(server));

  const session = await newSession(server);
  await session.addInitScript(() => {
    const drawn = new Promise((done) => {
      const observer = new MutationObserver(() => document.querySelector("h1")?.textContent === "Runs" && done());
      observer.observe(document, { childList: true, subtree: true });
    });
    const { fetch } = window;
    // Holds the list for which Talk asks until the runs are drawn. Effects wait for a task, and all of this happens before one.
    window.fetch = async (path, ask) => {
      const response = await fetch(path, ask);
      if (path !== "/studio/runs" || window.held) return response;
      const list = await response.json();
      window.held = true;
      await drawn;
      return { ok: true, status: 200, json: async () => list };
    };
  });
  const page = await open(server, "", { session });
  await page.waitForFunction(() => window.held);
  await go(page, "runs");
  await page.getByRole("link", { name: /waiting/ }).waitFor();
});

check("a journal of a newer version is refused with an error that says so", async () => {
  const server = await startServer();
  const { folder } = server;
  await server.stop("SIGINT");
  // agent-store keeps the version of its tables in this pragma.
  const set = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('PRAGMA user_version = 99')";
  await promisify(execFile)("python3", ["-c", set, join(folder, "runs.db")]);
  await assert.rejects(startServer({ folder, documents: {} }), /runs\.db.* was written by a newer version of this program/);
});

// Models and runs

check("a run that fails says why, and can be tried again", async () => {
  const model = await startModel();
  let requests = 0;
  model.when(/sum/, async (answer) => {
    requests += 1;
    if (requests === 1) return answer.fail(400, "this model is out of order");
    await answer.text("The sum is 4.");
  });
  const server = await startWith(model);
  const page = await open(server);
  await say(page, "What is the sum?");
  await ended(page);
  const turn = page.locator(".turn").last();
  await picture(page, "failed-run");
  await turn.getByText("this model is out of order").waitFor();
  await turn.getByRole("button", { name: "Try again" }).click();
  await page.getByText("The sum is 4.").locator("visible=true").first().waitFor();
  await ended(page);
});

check("a run that failed stays in its conversation when the page is loaded anew", async () => {
  // A conversation whose only run failed is not stored.
  expect(/404/);
  const model = await startModel();
  model.when(/fail/, (answer) => answer.fail(400, "this model is out of order"));
  const page = await open(await startWith(model));
  // The failed message is the first of its conversation, then the second.
  for (const questions of [["Now fail"], ["Hello", "And fail"]]) {
    await go(page, "talk");
    for (const question of questions) {
      await say(page, question);
      await ended(page);
    }
    await page.reload();
    const turn = page.locator(".turn").nth(questions.length - 1);
    await turn.getByText(questions.at(-1)).waitFor();
    await turn.getByText(/failed/).first().waitFor();
  }
});

check("a model that is away, busy, cut off or silent: the run goes on, or says what happened", async () => {
  const model = await startModel();
  const counts = {};
  const counted = (name) => (counts[name] = (counts[name] ?? 0) + 1);
  model.when(/busy/, async (answer) => {
    if (counted("busy") < 3) return answer.fail(503, "try later");
    await answer.text("At last.");
  });
  model.when(/cut/, async (answer) => {
    if (counted("cut") < 2) {
      await answer.text("Half of an ");
      return answer.drop();
    }
    await answer.text("A whole answer.");
  });
  model.when(/silent/, () => {});
  const server = await startWith(model);
  const page = await open(server);
  await say(page, "Are you busy?");
  await page.getByText("At last.").locator("visible=true").first().waitFor();
  await ended(page);
  await say(page, "Is it cut?");
  await ended(page);
  const cut = page.locator(".turn").last();
  // Either a retry replaces the partial answer, or the turn shows an error.
  const text = await cut.locator(".answer").innerText();
  assert.ok(!text.includes("Half of an") || /failed|cut|ended|error/i.test(text), text);
  assert.ok(!/Half of an A whole/.test(text), text);
  await say(page, "Are you silent?");
  await ended(page);
  await picture(page, "models");
  assert.notEqual(await page.locator(".turn").last().locator(".answer").innerText(), "");
});

check("a call with wrong arguments, of an unknown tool, and one that fails are shown as what they are", async () => {
  const model = await startModel();
  model.when(/calls/, async (answer, { isAfterCalls }) => {
    if (isAfterCalls) return answer.text("That was nothing.");
    answer.call("calculator", { expression: "1 / 0" });
    answer.call("calculator", { wrong: true });
    answer.call("noSuchTool", {});
  });
  const page = await open(await startWith(model, "calculator"));
  await say(page, "Make calls");
  await page.getByText("That was nothing.").locator("visible=true").first().waitFor();
  await ended(page);
  assert.equal(await page.locator(".turn").last().getByText("failed", { exact: true }).count(), 3);
  await picture(page, "calls-that-fail");
});

check("a run is stopped in the middle of an answer, and gets a message while it works", async () => {
  const model = await startModel();
  const held = gate();
  model.when(/story/, async (answer) => {
    await answer.text("Once upon a time");
    await held.opened;
    await answer.text(" it ended.");
  });
  const page = await open(await startWith(model));
  await say(page, "Tell a story");
  await page.getByText("Once upon a time").locator("visible=true").first().waitFor();
  await say(page, "make it short");
  await page.getByText("The model reads this with its next request.").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("Stopped.", { exact: true }).waitFor();
  await page.getByText("The run ended before the model read this.").waitFor();
  held.open();
  await say(page, "Something else");
  await page.getByText("Fine.").locator("visible=true").first().waitFor();
});

// Connections

check("a connection that is cut in the middle of an answer loses nothing and repeats nothing", async () => {
  const model = await startModel();
  const held = [gate(), gate(), gate()];
  model.when(/count/, async (answer) => {
    for (let number = 1; number <= 400; number++) {
      await answer.text(`${number} `);
      if (number % 100 === 0 && number < 400) await held[number / 100 - 1].opened;
    }
  });
  const wire = await startWire(await startWith(model));
  expect(/Failed to load/);
  const page = await open(wire.server);
  const answer = page.locator(".turn").last().locator(".prose");
  await say(page, "Please count");
  for (const [index, { open }] of held.entries()) {
    await answer.getByText(`${(index + 1) * 100}`).waitFor();
    wire.cut();
    await page.getByText("The server is gone").waitFor();
    open();
    wire.mend();
  }
  await ended(page);
  await page.getByText("The server is gone").waitFor({ state: "detached" });
  const numbers = (await answer.innerText()).trim().split(/\s+/).map(Number);
  assert.deepEqual(numbers, Array.from({ length: 400 }, (_, index) => index + 1));
});

check("a server that is killed and started again: nothing is lost, and the page says what to do", async () => {
  const model = await startModel();
  const held = gate();
  let requests = 0;
  model.when(/story/, async (answer) => {
    requests += 1;
    await answer.text(`Attempt ${requests} `);
    if (requests === 1) await held.opened;
    else await answer.text("ended.");
  });
  const options = ["--port", String(await freePort())];
  const first = await startWith(model, undefined, { options });
  expect(/Failed to load/);
  const page = await open(first);
  await say(page, "Tell a story");
  await page.getByText("Attempt 1").locator("visible=true").first().waitFor();
  const address = page.url();
  const box = page.getByRole("textbox", { name: /Say something/ });
  await box.fill("what I was about to say");
  await first.stop();
  await page.getByText("The server is gone").waitFor();
  // The partial answer stays readable while the server is down.
  await page.getByText("Attempt 1").locator("visible=true").first().waitFor();
  await picture(page, "server-gone");

  const second = await startWith(model, undefined, { options, folder: first.folder });
  held.open();
  // The second server has another token, so the page must ask for the new address.
  await page.getByText(/address that agent dev printed/).first().waitFor();
  await picture(page, "server-restarted");
  await page.goto(second.address.href);
  await page.getByRole("navigation", { name: "Views" }).waitFor();
  assert.ok(!page.url().includes("token"), "the new token leaves the address");
  assert.equal(page.url(), address, "the page is where it was");
  await page.getByText("Attempt 2 ended.").locator("visible=true").first().waitFor();
  assert.equal(await page.getByRole("textbox", { name: /Message|Say/ }).inputValue(), "what I was about to say");
});

check("two tabs decide at the same time: one decision counts, and the other tab says so", async () => {
  const model = await startModel();
  model.when(/sum/, async (answer, { isAfterCalls, result }) => {
    if (isAfterCalls) await answer.text(`It says ${result}`);
    else answer.call("calculator", { expression: "6 * 7" });
  });
  const server = await startWith(model, ASKING_CALCULATOR);
  expect(/409/);
  const one = await open(server);
  await say(one, "What is the sum?");
  await card(one).waitFor();
  const two = await open(server, "waiting");
  await card(two).waitFor();
  await card(two).getByRole("button", { name: "Deny" }).click();
  await card(two).getByRole("textbox", { name: /Reason/ }).fill("not today");
  // Both requests are held until both buttons were clicked, because the first decision removes the card of the other tab.
  const decided = gate();
  const sent = [one, two].map((page) => new Promise((done) => page.route("**/decisions", async (route) => {
    done();
    await decided.opened;
    await route.continue();
  })));
  await card(one).getByRole("button", { name: "Approve" }).click();
  await card(two).getByRole("button", { name: "Deny", exact: true }).click();
  await Promise.all(sent);
  decided.open();
  await ended(one);
  await two.getByText("Nothing waits for you").waitFor();
  const [{ run }] = await server.json("/studio/runs");
  const recorded = await server.json(`/studio/runs/${run}`);
  const decisions = recorded.steps.filter(({ kind }) => kind === "decided");
  assert.equal(decisions.length, 1);
  const isApproved = decisions[0].decision === "approve";
  await one.getByText(isApproved ? /It says.*42/ : /It says.*not today/).locator("visible=true").first().waitFor();
  const slower = isApproved ? two : one;
  await slower.getByText("This call was already decided").waitFor();
});

// Large content

check("10,000 pieces at once on a slow machine: nothing is lost, and the page takes clicks and keys meanwhile", async () => {
  const model = await startModel();
  const count = 10_000;
  const half = gate();
  model.when(/fast/, async (answer) => {
    for (let number = 0; number < count; number++) {
      await answer.text(`${number} `);
      if (number === count / 2) await half.opened;
    }
  });
  const page = await open(await startWith(model));
  const debug = await page.context().newCDPSession(page);
  await debug.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await say(page, "Be fast");
  const box = page.getByRole("textbox", { name: /Say something/ });
  await box.fill("I can still write");
  // The second half is streamed while the page is used.
  half.open();
  await page.getByRole("link", { name: "Tools" }).first().click();
  await page.getByRole("heading", { name: "Tools", exact: true }).waitFor({ state: "attached" });
  await page.goBack();
  // The machine is slow in earnest, so that this may take longer than other steps.
  await page.locator(".turn").last().getByRole("link", { name: "Open the run" }).waitFor({ timeout: 4 * PATIENCE });
  await debug.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  const text = await page.locator(".turn").last().locator(".prose").evaluate((prose) => prose.textContent);
  const numbers = text.trim().split(/\s+/).map(Number);
  assert.equal(numbers.length, count);
  assert.ok(numbers.every((number, index) => number === index), "the pieces are in order");
});

/** The maximum number of characters in the DOM of a view. A browser lays out as many without a noticeable pause. */
const DRAWN = 300_000;

check("a text and a result of many megabytes are shown in parts, in Talk and in the timeline", async () => {
  const model = await startModel();
  const megabytes = Number(process.env.MEGABYTES ?? 3);
  model.when(/large file/, async (answer, { isAfterCalls }) => {
    if (isAfterCalls) await answer.text("I have read it.");
    else answer.call("readFile", { path: "large.txt" });
  });
  model.when(/long text/, async (answer) => {
    await answer.text("The beginning. ");
    for (let piece = 0; piece < megabytes * 16; piece++) await answer.text("0123456789 abcdef\n".repeat(3641));
    await answer.text("The end.");
  });
  const large = "a line of a large file\n".repeat((megabytes * 1_000_000) / 23);
  const server = await startWith(model, "readFile", { documents: { "large.txt": large } });
  const page = await open(server);
  const tooMuch = [];
  const measure = async (where, element) => {
    const drawn = await element.evaluate((element) => element.textContent.length);
    if (drawn > DRAWN) tooMuch.push(`${where} draws ${drawn} characters`);
  };
  for (const [question, beginning] of [["Read the large file", "I have read it."], ["Write a long text", "The beginning."]]) {
    await go(page, "talk");
    await page.getByText("Write a message below").waitFor();
    await say(page, question);
    await ended(page);
    await page.getByText(beginning).locator("visible=true").first().waitFor();
    await measure(`Talk of “${question}”`, page.locator("#main"));
    await page.reload();
    await page.getByText(question).locator("visible=true").first().waitFor();
    await page.getByRole("link", { name: "Runs" }).first().click();
    await page.getByRole("link", { name: /helper/ }).first().click();
    for await (const detail of steps(page)) {
      const whole = detail.getByText("Only the beginning is here");
      if (await whole.count()) {
        await detail.getByRole("button", { name: "Show all", exact: true }).click();
        await whole.waitFor({ state: "detached" });
      }
      await measure(`a step of “${question}”`, detail);
    }
    await picture(page, `large-${question}`);
  }
  assert.deepEqual(tooMuch, []);
});

// Hostile content

check("hostile texts of models, tools and documents load nothing, run nothing and hide nothing", async () => {
  const model = await startModel();
  const everything = HOSTILE_TEXTS.join("\n\n");
  model.when(/hostile/, async (answer, { isAfterCalls }) => {
    if (!isAfterCalls) {
      answer.thought(everything);
      for (const text of HOSTILE_TEXTS) await answer.text(`${text}\n\n`);
      answer.call("readFile", { path: "hostile.txt" });
      answer.call("readFile", { path: `${HOSTILE_NAME}.txt` });
      answer.call("calculator", { expression: everything });
      return;
    }
    await answer.text(everything);
  });
  model.when(/fail/, (answer) => answer.fail(400, everything));
  const description = JSON.stringify(`Hostile ${MARKS} <img src=x onerror=pwned=1> ${HOSTILE_NAME}`);
  const name = `${HOSTILE_NAME}.gram`;
  const document = agentOf(`readFile, ${ASKING_CALCULATOR}`).replace('"Answers as it is told"', description);
  const server = await startWith(model, undefined, {
    documents: { "hostile.txt": everything, [name]: document },
    files: [name],
  });
  expect(/40\d/);
  const page = await open(server);
  const look = async (where) => {
    await page.evaluate(() => document.querySelectorAll("#main details").forEach((details) => (details.open = true)));
    await fits(page, where);
    await checkHostile(page, where);
  };
  await page.locator(".agent-more summary").click();
  await look("the agent");
  await say(page, "Be hostile");
  await card(page).waitFor();
  await look("a call that waits");
  await picture(page, "hostile");
  await go(page, "waiting");
  await card(page).waitFor();
  await look("Waiting");
  await card(page).getByRole("button", { name: "Approve" }).click();
  await page.getByText("Nothing waits for you").waitFor();
  await page.goBack();
  await ended(page);
  await look("Talk");
  await go(page, "talk");
  await say(page, "Now fail");
  await ended(page);
  await look("a run that failed");

  for (const { run } of await server.json("/studio/runs")) {
    await go(page, `runs/${run}`);
    for await (const detail of steps(page)) {
      await look("a step");
      for (const pane of ["Request", "Answer"]) {
        const button = detail.getByRole("button", { name: pane, exact: true });
        if ((await button.count()) === 0) continue;
        await button.click();
        await detail.getByRole("region", { name: pane }).waitFor();
        await page.evaluate(() => document.querySelectorAll(".tree-fold[aria-expanded=false]").forEach((fold) => fold.click()));
        await look(`the ${pane} of a step`);
        const text = detail.getByRole("button", { name: "Exact text" });
        if (await text.count()) await text.click();
        await look(`the text of the ${pane}`);
      }
    }
    await go(page, `runs/${run}/replay`);
    await page.getByRole("heading", { name: /Replay/ }).first().waitFor();
    await page.getByText("Comparing…").waitFor({ state: "detached" });
    await look("a replay");
  }
  await go(page, "tools/readFile");
  await page.getByRole("textbox", { name: "path" }).fill("hostile.txt");
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.getByRole("heading", { name: /^Result/ }).waitFor();
  await look("Tools");
  const broken = document
    .replace("Help with", `${MARKS}<img src=x onerror=pwned=1> [`)
    .replace("readFile,", `readFil, // ${MARKS}\n`);
  await writeFile(server.file(name), broken);
  await go(page, "findings");
  await page.locator(".finding, mark, .excerpt").first().waitFor();
  await look("Findings");
});

/** Checks that hostile content added no active element, no misleading link and no invisible character to the DOM. */
async function checkHostile(page, where) {
  const found = await page.evaluate(() => {
    const elements = [...document.querySelectorAll("#page *")];
    const wrong = elements.filter((element) => {
      const name = element.localName;
      if (["script", "iframe", "object", "embed", "style", "link", "base", "meta", "video", "math"].includes(name)) return true;
      if (name === "img" && !/^(data|blob):image\//.test(element.src)) return true;
      const isActive = ({ name, value }) => name.startsWith("on") || /^\s*(javascript|vbscript):/i.test(value);
      if ([...element.attributes].some(isActive)) return true;
      return name === "a" && !/^(https?:|#\/|#main$)/.test(element.getAttribute("href"));
    });
    const texts = elements.flatMap((element) => [
      ...[...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data),
      ...[...element.attributes].map(({ value }) => value),
    ]);
    // A link must show the host to which it leads.
    const links = [...document.querySelectorAll("#main a[href^=http]")];
    const lying = links.filter((link) => !link.textContent.includes(link.host));
    const htmlOf = ({ outerHTML }) => outerHTML.slice(0, 200);
    return { wrong: wrong.map(htmlOf), lying: lying.map(htmlOf), texts, pwned: window.pwned };
  });
  assert.deepEqual(found.wrong, [], where);
  assert.deepEqual(found.lying, [], where);
  assert.equal(found.pwned, undefined, where);
  const hidden = found.texts.flatMap((text) => hiddenIn(text));
  assert.deepEqual([...new Set(hidden)], [], `${where}: characters that hide or reorder text`);
}

check("a model may write any nesting, table and length: the page draws it, and takes clicks", async () => {
  const model = await startModel();
  const texts = {
    quotes: `${">".repeat(20_000)} deep`,
    lists: Array.from({ length: 500 }, (_, depth) => `${" ".repeat(depth * 2)}- item`).join("\n"),
    brackets: "[".repeat(50_000),
    links: "[a](".repeat(10_000),
    stars: "*a **b ".repeat(10_000),
    ticks: "`".repeat(19_999),
    escapes: "\\".repeat(50_000),
    headings: "# a\n".repeat(5_000),
    table: `${"|a".repeat(100)}|\n${"|-".repeat(100)}|\n${`${"|cell".repeat(100)}|\n`.repeat(300)}`,
    divider: `${"|-".repeat(30_000)}\n${"|-".repeat(30_000)}`,
    rule: `${"- ".repeat(30_000)}x`,
    fences: "```a\n".repeat(5_000),
    word: "w".repeat(90_000),
    breaks: "\n".repeat(90_000),
  };
  for (const [name, text] of Object.entries(texts)) {
    model.when(new RegExp(`Write ${name}`), async (answer) => {
      await answer.text(text);
      await answer.text("\n\nThe end.");
    });
  }
  const page = await open(await startWith(model));
  for (const name of Object.keys(texts)) {
    await go(page, "talk");
    await page.getByText("Write a message below").waitFor();
    await say(page, `Write ${name}`);
    await ended(page);
    await page.getByRole("textbox", { name: /Message/ }).fill("I can still write");
    await fits(page, name);
  }
});

check("names of conversations and files of strangers are shown as text", async () => {
  const server = await startServer();
  // Another client of the journal can choose any name that the store accepts.
  const names = ["<img src=x onerror=pwned=1>", HOSTILE_NAME, "a".repeat(100), "..%2f..%2fstate", "javascript:alert(1)", "%00"];
  const taken = [];
  for (const name of names) {
    const answer = await server.ask("/api/helper/runs", { body: { message: "Hello", conversation: name } });
    await answer.text();
    if (answer.ok) taken.push(name);
  }
  const page = await open(server);
  const entries = page.getByRole("navigation", { name: "Conversations" }).getByRole("listitem");
  if (taken.length > 0) await entries.first().waitFor();
  await checkHostile(page, `conversations ${JSON.stringify(taken)}`);
  await fits(page);
  await go(page, "runs");
  await page.getByRole("heading", { name: "Runs" }).waitFor();
  await checkHostile(page, "Runs");
  await go(page, "talk");
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Attach files" }).click();
  await (await chooser).setFiles(["<img src=x onerror=pwned=1>.txt", `${HOSTILE_NAME}.txt`, "\u202Egnp.txt"].map((name) => ({
    name,
    mimeType: "text/plain",
    buffer: Buffer.from("text"),
  })));
  await page.getByRole("list", { name: "Attached files" }).getByRole("listitem").nth(2).waitFor();
  await checkHostile(page, "attached files");
  await fits(page);
  await picture(page, "hostile-names");
  await say(page, "Read these");
  await ended(page);
  await checkHostile(page, "sent files");
  await page.reload();
  await page.getByText("Read these").locator("visible=true").first().waitFor();
  await checkHostile(page, "stored files");
});
