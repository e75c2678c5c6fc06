// The features of each view: Talk, Waiting, Runs with timeline, wire, replay and cassette, Tools, Findings.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { check } from "./check.mjs";
import { card, ended, fits, go, HELPER, newSession, open, picture, say, shared, startServer, steps, waiting } from "./harness.mjs";
import { agentOf, CALCULATOR, gate, IMAGE, MODEL_ENV, modelOptions, startModel } from "./model.mjs";

const offline = shared(() => startServer());

check("a conversation is streamed, and loaded again", async () => {
  const page = await open(await offline());
  await say(page, "Which time is it?");
  await ended(page);
  await page.getByText("done", { exact: true }).waitFor();
  await picture(page, "talk");
  await page.reload();
  await page.getByText("Which time is it?").first().waitFor();
  await fits(page);
});

check("a call is approved with changes or denied with a reason, and other tabs see it", async () => {
  const page = await open(await offline());
  await waiting(page);
  await picture(page, "approve");
  const other = await open(await offline(), "waiting");
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
});

check("a run is shown as a timeline, and opens step by step", async () => {
  const page = await open(await offline());
  await waiting(page);
  await card(page).getByRole("button", { name: "Approve" }).click();
  await page.getByRole("link", { name: "Open the run" }).click();
  await page.getByRole("button", { name: /^calculator/ }).click();
  await page.getByRole("complementary", { name: "Step" }).getByText("6 * 7").waitFor();
  await picture(page, "timeline");
  await page.keyboard.press("Escape");
  await page.getByRole("complementary", { name: "Step" }).waitFor({ state: "detached" });
  await page.keyboard.press("ArrowUp");
  await page.getByRole("complementary", { name: "Step" }).waitFor();
  await page.getByRole("link", { name: "Runs" }).last().click();
  await page.getByRole("link", { name: /helper/ }).first().waitFor();
  await page.getByRole("combobox", { name: "State" }).selectOption("failed");
  await page.getByText("No run is like this").waitFor();
  await page.getByRole("button", { name: "Show all runs" }).click();
  await page.getByRole("link", { name: /helper/ }).first().waitFor();
  await picture(page, "runs");
});

check("a tool is called alone", async () => {
  const page = await open(await offline(), "tools/calculator");
  await page.getByRole("textbox", { name: "expression" }).fill("2 ^ 10");
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.getByText("1024").first().waitFor();
  await page.getByRole("textbox", { name: "expression" }).fill("2 +");
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.getByRole("heading", { name: /^Error/ }).waitFor();
  await picture(page, "tools");
});

check("findings appear and go, and the last good version runs meanwhile", async () => {
  const server = await startServer();
  const page = await open(server, "findings");
  await page.getByText("Documents without findings").waitFor();
  await writeFile(server.file("helper.gram"), HELPER.replace("currentTime", "curentTime"));
  await page.getByText("The last good version is still running.").waitFor();
  await page.locator("mark", { hasText: "curentTime" }).first().waitFor();
  await picture(page, "findings");
  await go(page, "talk");
  await say(page, "Which time is it?");
  await ended(page);
  await writeFile(server.file("helper.gram"), HELPER);
  await go(page, "findings");
  await page.getByText("Documents without findings").waitFor();
  // The message was sent, so a new conversation does not offer it again.
  await go(page, "talk");
  assert.equal(await page.getByRole("textbox", { name: /^Message/ }).inputValue(), "");
});

// With the mock model server

/** A server and its model: `sum` is answered with a call, any other message with a counter. */
const scripted = shared(async () => {
  const model = await startModel();
  let requests = 0;
  model.when(/./, (answer) => answer.text(`Answer ${++requests}.`));
  model.when(/sum/, async (answer, { isAfterCalls, result }) => {
    if (isAfterCalls) return answer.text(`The sum is ${JSON.parse(result).result}.`);
    answer.thought("I compute it.");
    answer.call("calculator", { expression: "2 + 2" });
  });
  model.when(/picture/, async (answer) => {
    await answer.text("Here it is.");
    answer.image(`data:image/png;base64,${IMAGE}`);
  });
  const server = await startServer({
    documents: { "helper.gram": agentOf(CALCULATOR) },
    options: [...modelOptions(model), "--allow-read", "."],
    env: MODEL_ENV,
  });
  return { model, server };
});

const lastTurn = (page) => page.locator(".turn").last();

/** Whether an image was decoded. */
const isDrawn = (image) => image.evaluate(async (element) => {
  await element.decode();
  return element.naturalWidth > 0;
});

async function attach(page, files) {
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Attach files" }).click();
  await (await chooser).setFiles(files);
}

check("files are attached, sent, and seen again after the page is loaded anew", async () => {
  const { model, server } = await scripted();
  const page = await open(server);
  await attach(page, [
    { name: "cat.png", mimeType: "image/png", buffer: Buffer.from(IMAGE, "base64") },
    { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("Buy milk.") },
    { name: "wrong.txt", mimeType: "text/plain", buffer: Buffer.from("No.") },
  ]);
  const attached = page.getByRole("list", { name: "Attached files" });
  await attached.getByRole("listitem").nth(2).waitFor();
  await attached.getByRole("button", { name: "Remove wrong.txt" }).click();
  await attached.getByText("wrong.txt").waitFor({ state: "detached" });
  await picture(page, "attached");
  await attach(page, [{ name: "empty.txt", mimeType: "text/plain", buffer: Buffer.alloc(0) }]);
  await page.getByText("“empty.txt” is empty.").waitFor();
  await attach(page, [{ name: "program", mimeType: "application/octet-stream", buffer: Buffer.from([0, 1, 2, 255]) }]);
  await page.getByText("“program” is no image").waitFor();
  await attach(page, [{ name: "huge.png", mimeType: "image/png", buffer: Buffer.alloc(13_000_000, 1) }]);
  await page.getByText(/“huge.png” has 13.0 MB/).waitFor();
  await say(page, "Look at these");
  await ended(page);
  const content = model.requests.at(-1).body.messages.at(-1).content;
  assert.ok(JSON.stringify(content).includes(IMAGE), "the model gets the image");
  assert.ok(/Buy milk|QnV5IG1pbGsu/.test(JSON.stringify(content)), "the model gets the text");
  for (const attempt of ["sent", "loaded anew"]) {
    const image = lastTurn(page).getByRole("img", { name: "cat.png" });
    assert.ok(await isDrawn(image), attempt);
    await lastTurn(page).getByText("notes.txt").waitFor();
    if (attempt === "sent") await page.reload();
  }
  // The download has the bytes of the attachment.
  const download = page.waitForEvent("download");
  await lastTurn(page).getByRole("button", { name: "Download notes.txt" }).click();
  assert.equal((await download).suggestedFilename(), "notes.txt");
  assert.equal(await readFile(await (await download).path(), "utf8"), "Buy milk.");
  await lastTurn(page).getByRole("button", { name: "Open the image cat.png" }).click();
  await page.getByRole("dialog", { name: "cat.png" }).getByText(/1.×.1/).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await fits(page);
});

check("files are dropped and pasted", async () => {
  const { server } = await scripted();
  const page = await open(server);
  const box = page.getByRole("textbox", { name: /Message/ });
  await box.waitFor();
  await page.evaluate((data) => {
    const bytes = Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
    const dropped = new DataTransfer();
    dropped.items.add(new File([bytes], "dropped.png", { type: "image/png" }));
    const options = { bubbles: true, cancelable: true };
    for (const type of ["dragover", "drop"]) dispatchEvent(new DragEvent(type, { ...options, dataTransfer: dropped }));
    const pasted = new DataTransfer();
    pasted.items.add(new File([bytes], "image.png", { type: "image/png" }));
    const paste = new ClipboardEvent("paste", { ...options, clipboardData: pasted });
    document.querySelector(".composer textarea").dispatchEvent(paste);
  }, IMAGE);
  const attached = page.getByRole("list", { name: "Attached files" });
  await attached.getByText("dropped.png").waitFor();
  await attached.getByText("image.png").waitFor();
});

check("images of answers and of tools are shown, also after the page is loaded anew", async () => {
  const model = await startModel();
  model.when(/picture/, async (answer) => {
    await answer.text("Here it is.");
    answer.image(`data:image/png;base64,${IMAGE}`);
  });
  model.when(/paint/, async (answer, { isAfterCalls }) => {
    if (isAfterCalls) await answer.text("It is painted.");
    else answer.call("painter_paint", { subject: "a cat" });
  });
  const painter = fileURLToPath(new URL("painter.mjs", import.meta.url));
  const server = await startServer({
    documents: {
      "helper.gram": agentOf("painter_paint"),
      "painter.gram": `[painter:Mcp {command: ${JSON.stringify([process.execPath, painter])}} |
        [painter_paint:Tool {description: "Paints a picture.", remote: "paint"} | (subject::Text)==>(::Any)]
      ]`,
    },
    options: [...modelOptions(model), "--mcp", "painter.gram"],
    env: MODEL_ENV,
  });
  const page = await open(server);
  for (const [question, words] of [["A picture, please", "Here it is."], ["Now paint", "It is painted."]]) {
    await go(page, "talk");
    await say(page, question);
    await lastTurn(page).getByText(words).waitFor();
    await ended(page);
    for (const attempt of ["streamed", "loaded anew"]) {
      await page.evaluate(() => document.querySelectorAll("#main details").forEach((details) => (details.open = true)));
      assert.ok(await isDrawn(lastTurn(page).getByRole("img").first()), `${question}, ${attempt}`);
      if (attempt === "streamed") await page.reload();
      await lastTurn(page).getByText(words).waitFor();
    }
    await picture(page, `image-${question}`);
  }
});

check("a message is edited and tried again: each version stays, and one goes from one to another", async () => {
  const { server } = await scripted();
  const page = await open(server);
  await say(page, "The first question");
  await ended(page);
  await say(page, "The second question");
  await ended(page);
  const first = page.locator(".turn").first();
  const answerOf = async (turn) => (await turn.locator(".prose").innerText()).trim();
  const before = await answerOf(first);

  await first.getByRole("button", { name: "Edit" }).click();
  const box = page.getByRole("textbox", { name: "Edit your message" });
  assert.equal(await box.inputValue(), "The first question");
  await box.fill("Another question");
  await page.getByRole("button", { name: "Save & send" }).click();
  await first.getByText("Another question").waitFor();
  await ended(page);
  assert.equal(await page.locator(".turn").count(), 1);
  const versions = first.getByRole("group", { name: "Other versions of this message" });
  await versions.getByText("Version 2 of 2").waitFor({ state: "attached" });
  await picture(page, "versions");

  await first.getByRole("button", { name: "Try again" }).click();
  await versions.getByText("Version 3 of 3").waitFor({ state: "attached" });
  await ended(page);
  await versions.getByRole("button", { name: "Previous version" }).click();
  await versions.getByText("Version 2 of 3").waitFor({ state: "attached" });
  await versions.getByRole("button", { name: "Previous version" }).click();
  await first.getByText("The first question").waitFor();
  assert.equal(await answerOf(first), before);
  await page.locator(".turn").nth(1).getByText("The second question").waitFor();
  await page.reload();
  await versions.getByText("Version 1 of 3").waitFor({ state: "attached" });

  // The list shows one entry for all versions, and deletes them together.
  const list = page.getByRole("navigation", { name: "Conversations" });
  const entry = list.getByRole("listitem").filter({ hasText: "The first question" });
  await entry.getByText("3 versions").waitFor();
  await entry.getByRole("button", { name: /^Delete/ }).click();
  await list.getByRole("button", { name: "Delete all 3" }).click();
  await entry.waitFor({ state: "detached" });
  const left = await server.json("/api/conversations");
  assert.deepEqual(left.filter(({ name }) => name.startsWith("the-first-question")), []);
});

check("another model and other settings are checked as they are typed, and used in all tabs until reset", async () => {
  const { model, server } = await scripted();
  const page = await open(server);
  const other = await open(server);
  await page.getByRole("button", { name: "Model and settings" }).click();
  const panel = page.getByRole("complementary", { name: "Model and settings" });
  const field = panel.getByRole("combobox", { name: "Model" });
  const use = panel.getByRole("button", { name: "Use for new messages" });
  await panel.getByText("No findings").waitFor();

  // Findings and facts follow the input.
  await field.fill("Nobody/any");
  await panel.locator(".finding.error").first().waitFor();
  assert.ok(await use.isDisabled());
  await field.fill("luna");
  await panel.getByRole("option", { name: /OpenAI\/gpt-6-luna/ }).first().click();
  await panel.getByText("Context").waitFor();
  await panel.locator(".finding.error").first().waitFor({ state: "detached" });
  await picture(page, "model");
  await field.fill("Mock/large");
  await panel.getByText("The catalogue has no such model").waitFor();
  await panel.getByRole("combobox", { name: /setting/i }).selectOption("temperature");
  const temperature = panel.locator("[data-name=temperature] input");
  if (!(await temperature.count())) await panel.getByRole("button", { name: "Add" }).click();
  await temperature.fill("9");
  await panel.locator(".finding.error").first().waitFor();
  await temperature.fill("0.5");
  await panel.locator(".finding.error").first().waitFor({ state: "detached" });
  await use.click();
  await panel.getByText("New messages use this now.").waitFor();

  await other.getByText("model changed here").waitFor();
  await say(other, "Who are you?");
  await ended(other);
  const { body } = model.requests.at(-1);
  assert.deepEqual([body.model, body.temperature], ["large", 0.5]);
  const document = await readFile(server.file("helper.gram"), "utf8");
  assert.ok(document.includes("Mock/small"), "the document stays as it is");

  await panel.getByRole("button", { name: "Back to the document" }).click();
  await panel.getByText("New messages use what the document says again.").waitFor();
  await other.getByText("model changed here").waitFor({ state: "detached" });
  await say(other, "And now?");
  await ended(other);
  assert.equal(model.requests.at(-1).body.model, "small");
  assert.equal(model.requests.at(-1).body.temperature, undefined);
});

check("a step shows the request and the answer as they were sent, also those of failed attempts", async () => {
  const model = await startModel();
  let failures = 1;
  model.when(/sum/, async (answer, { isAfterCalls }) => {
    if (failures-- > 0) return answer.fail(503, "try later");
    if (isAfterCalls) return answer.text("The sum is 4.");
    answer.call("calculator", { expression: "2 + 2" });
  });
  const server = await startServer({
    documents: { "helper.gram": agentOf(CALCULATOR) },
    options: modelOptions(model),
    env: MODEL_ENV,
  });
  const page = await open(server);
  await say(page, "What is the sum?");
  await ended(page);
  await page.getByRole("link", { name: "Open the run" }).click();
  await page.locator("[data-row]").nth(1).click();
  const step = page.getByRole("complementary", { name: "Step" });
  await step.getByRole("button", { name: "Request", exact: true }).click();
  await step.getByText("Sent 2 times").waitFor();
  const request = step.getByRole("region", { name: "Request" });
  await request.getByText("“small”").waitFor();
  await picture(page, "request");
  await request.getByRole("button", { name: "Exact text" }).click();
  const text = await request.locator("pre").innerText();
  // The first request failed, so the second one belongs to the answer.
  assert.deepEqual(JSON.parse(text), model.requests[1].body);
  const download = page.waitForEvent("download");
  await request.getByRole("button", { name: "Save as a file" }).click();
  assert.deepEqual(JSON.parse(await readFile(await (await download).path(), "utf8")), model.requests[1].body);

  await step.getByRole("button", { name: "Answer", exact: true }).click();
  const answer = step.getByRole("region", { name: "Answer" });
  await answer.getByText(/It was streamed in \d frames/).waitFor();
  await picture(page, "answer");
  await step.getByRole("button", { name: "1: 503" }).click();
  await answer.getByText("“try later”").waitFor();
  // Another step opens in the same pane.
  await page.locator("[data-row]").last().click();
  await step.getByRole("button", { name: "Answer", exact: true, pressed: true }).waitFor();
  await answer.getByText(/The sum is/).first().waitFor();
});

check("the cost of each day is plotted, and a day filters the runs", async () => {
  const { server } = await scripted();
  const page = await open(server);
  await say(page, "How much?");
  await ended(page);
  await go(page, "runs");
  const plot = page.getByRole("region", { name: "Runs by day" });
  const runs = await server.json("/studio/runs");
  const cost = runs.reduce((sum, { cost }) => sum + cost, 0);
  await plot.getByText(`$${cost.toFixed(4)}`).first().waitFor();
  await plot.getByRole("button", { name: /^today, / }).click();
  await page.getByRole("button", { name: "Show every day" }).waitFor();
  await page.getByRole("status").filter({ hasText: `${runs.length} run` }).waitFor();
  await picture(page, "cost");
  await plot.getByRole("button", { name: "30 days" }).click();
  await page.getByRole("button", { name: "Show every day" }).click();
  await page.getByRole("searchbox", { name: "Search runs" }).fill("how much");
  await page.getByRole("status").filter({ hasText: "1 run" }).waitFor();
});

check("a run is replayed beside what the document makes of it now", async () => {
  const { model, server } = await scripted();
  const page = await open(server);
  await say(page, "What is the sum?");
  await lastTurn(page).getByText("The sum is 4.").waitFor();
  await ended(page);
  await page.getByRole("link", { name: "Open the run" }).click();
  await page.getByRole("link", { name: /^Replay/ }).click();
  await page.getByText("All 2 requests are the same.").waitFor();
  const requests = model.requests.length;
  await page.getByRole("button", { name: "Ask the models anew" }).click();
  await page.getByText("Both runs have the same 2 steps.").waitFor();
  assert.equal(model.requests.length, requests + 2);

  // The instruction changes, then the model's answer.
  const document = agentOf(CALCULATOR);
  await writeFile(server.file("helper.gram"), document.replace("Help with sums.", "Help with sums and products."));
  await page.getByText(/Request 1 of helper differs in the instruction/).waitFor();
  await page.locator("mark", { hasText: "and products" }).waitFor();
  model.when(/sum/, (answer) => answer.text("I do not know."));
  await page.getByRole("button", { name: "Ask again" }).click();
  await page.getByText("0 steps in both runs, 2 only in the recorded one, 1 only in the new one.").waitFor();
  await page.getByText("I do not know.").waitFor();
  await picture(page, "replay");
  await fits(page);
  await writeFile(server.file("helper.gram"), document);
  await page.getByText("All 2 requests are the same.").waitFor();
  // A replay adds no run to the journal, and no exchange to the recorded run.
  const runs = await server.json("/studio/runs");
  assert.deepEqual(runs.filter(({ conversation }) => conversation === null), []);
  const { exchanges } = await server.json(`/studio/runs/${runs[0].run}/exchanges`);
  assert.equal(exchanges.length, 2);
});

check("a run is kept as a cassette", async () => {
  const { server } = await scripted();
  const page = await open(server);
  await say(page, "Keep this");
  await ended(page);
  await page.getByRole("link", { name: "Open the run" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as cassette" }).click();
  const [{ run }] = await server.json("/studio/runs");
  assert.equal((await download).suggestedFilename(), `${run}.json`);
  const cassette = await readFile(await (await download).path(), "utf8");
  assert.match(cassette, /Answer \d+\./);
  JSON.parse(cassette);
});

check("a run that another program left is resumed", async () => {
  const model = await startModel();
  const held = gate();
  let requests = 0;
  model.when(/sum/, async (answer, { isAfterCalls }) => {
    requests += 1;
    if (!isAfterCalls) return answer.call("calculator", { expression: "2 + 2" });
    if (requests === 2) {
      held.open();
      // This request never gets an answer, because its program is killed.
      await new Promise(() => {});
    }
    await answer.text("It goes on.");
  });
  const folder = await mkdtemp(join(process.env.SCRATCH, "left-"));
  const documents = { "helper.gram": agentOf(CALCULATOR) };
  await writeFile(join(folder, "helper.gram"), documents["helper.gram"]);
  const options = ["run", "helper.gram", "What is the sum?", "--journal", "runs.db", ...modelOptions(model)];
  const program = spawn(process.env.AGENT, options, { cwd: folder, stdio: "ignore", env: { ...process.env, ...MODEL_ENV } });
  await held.opened;
  program.kill("SIGKILL");
  await once(program, "exit");

  const server = await startServer({ folder, documents, options: modelOptions(model), env: MODEL_ENV });
  const session = await newSession(server);
  // A run counts as unfinished after a minute without a record. Only `Date.now` is shifted; timers stay real.
  await session.addInitScript(() => {
    const { now } = Date;
    Date.now = () => now() + 120_000;
  });
  const page = await open(server, "runs", { session });
  await page.getByRole("link", { name: /unfinished/ }).click();
  await page.getByText("If its program has ended, resume the run").waitFor();
  await picture(page, "left");
  await page.getByRole("button", { name: "Resume" }).click();
  await page.locator(".state.done").waitFor();
  await page.getByRole("button", { name: /It goes on/ }).waitFor();
  assert.equal((await server.json("/studio/runs")).length, 1);
});

check("an agent with parameters is called by a form", async () => {
  const document = `[clerk:Agent {description: "Sorts letters", instruction: "Sort.", model: "OpenAI/gpt-6-luna"} |
    (subject::Text)==>(urgent::Bool {default: false})==>(::Text)
  ]`;
  const server = await startServer({ documents: { "helper.gram": document } });
  const page = await open(server);
  const form = page.getByRole("form", { name: "Arguments of clerk" });
  await form.getByRole("textbox", { name: "subject" }).fill("an invoice");
  await form.getByRole("checkbox", { name: "urgent" }).check();
  await form.getByRole("button", { name: "Call clerk" }).click();
  await ended(page);
  await lastTurn(page).locator(".asked").getByText("an invoice").waitFor();
  await picture(page, "arguments");
  await page.reload();
  await lastTurn(page).locator(".asked").getByText("an invoice").waitFor();
});

check("the tools say what they are and what they may reach", async () => {
  const { server } = await scripted();
  const page = await open(server, "tools");
  await page.getByRole("heading", { name: "What tools may reach" }).waitFor();
  await page.getByText(/^read/).first().waitFor();
  await page.getByRole("searchbox", { name: "Search tools" }).fill("calc");
  await page.getByRole("link", { name: /^calculator/ }).click();
  await page.getByText("JSON Schema of its result").click();
  await page.getByText('"exact"', { exact: true }).waitFor();
});
