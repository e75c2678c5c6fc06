// Benchmarks of the page. Prints a table and asserts nothing, because the numbers depend on the machine. A debug build of the
// command is slower than a release build.
//
//     measure.mjs [bundle] [small] [latency] [frames] [run]
import { readdir, readFile } from "node:fs/promises";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { closeAll, closePages, ended, go, newSession, open, say, startServer } from "./harness.mjs";
import { agentOf, gate, MODEL_ENV, modelOptions, startModel } from "./model.mjs";

const { ROOT, PAGE } = process.env;

/** Returns the milliseconds since 1970, with fractions. Pages on the same machine share this clock. */
const now = () => performance.timeOrigin + performance.now();
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

const rows = [];
const row = (what, value) => {
  rows.push([what, value]);
  console.error(`${what}: ${value}`);
};
const milliseconds = (value) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

function quantile(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

const startWith = (model, tools, more) =>
  startServer({ documents: { "helper.gram": agentOf(tools, more) }, options: modelOptions(model), env: MODEL_ENV });

/** Latency from the write of a piece by the model server to its text in the DOM, and to a client that only reads the events. */
async function measureLatency() {
  const model = await startModel();
  const count = 300;
  const written = [];
  const begin = gate();
  model.when(/slowly/, async (answer) => {
    await answer.text("Here: ");
    await begin.opened;
    for (let number = 0; number < count; number++) {
      written.push(now());
      await answer.text(`<${number}> `);
      // A random pause, because the page renders at a fixed interval.
      await pause(40 + Math.random() * 60);
    }
  });
  const server = await startWith(model);
  const page = await open(server);
  await say(page, "Write slowly");
  await page.getByText("Here:").locator("visible=true").first().waitFor();
  await page.evaluate(() => {
    window.seen = [];
    const answer = [...document.querySelectorAll(".turn")].at(-1);
    new MutationObserver(() => {
      const last = Number(/<(\d+)>[^<]*$/.exec(answer.textContent.slice(-80))?.[1] ?? -1);
      while (window.seen.length <= last) window.seen.push(performance.timeOrigin + performance.now());
    }).observe(answer, { childList: true, characterData: true, subtree: true });
  });
  const [{ run }] = await server.json("/studio/runs");
  const received = readEvents(server, run, count);
  begin.open();
  await ended(page);
  const seen = await page.evaluate(() => window.seen);
  for (const [what, times] of [["the text in the page", seen], ["a client that reads the events", await received]]) {
    const delays = times.slice(0, count).map((time, index) => time - written[index]);
    const parts = [["median", 0.5], ["p99", 0.99]].map(([name, part]) => `${name} ${milliseconds(quantile(delays, part))}`);
    row(`from the model's socket to ${what}`, `${parts.join(", ")} (${delays.length} pieces)`);
  }
  await closePages();
  await server.stop();
}

async function readEvents(server, run, count) {
  const times = [];
  const answer = await server.ask(`/api/runs/${run}/events`);
  let rest = "";
  const decoder = new TextDecoder();
  for await (const piece of answer.body) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const last = line.includes('"textDelta"') && /<(\d+)>/.exec(line);
      if (last) while (times.length <= Number(last[1])) times.push(now());
    }
    if (times.length >= count) break;
  }
  return times;
}

/** Dropped frames at 100 pieces per second, in a short answer and in a long one. */
async function measureFrames() {
  await measureFramesAfter(0);
  await measureFramesAfter(80_000);
}

async function measureFramesAfter(length) {
  const model = await startModel();
  const seconds = 20;
  const begin = gate();
  model.when(/steadily/, async (answer) => {
    await answer.text("Some **words** of `code` and [a link](https://example.org).\n\n".repeat(Math.ceil(length / 62)));
    await answer.text("Here: ");
    await begin.opened;
    const start = now();
    for (let number = 0; number < seconds * 100; number++) {
      await answer.text(number % 12 === 0 ? "**word** and a\n\n" : `word${number} `);
      await pause(Math.max(0, start + number * 10 - now()));
    }
  });
  const server = await startWith(model);
  const page = await open(server);
  await say(page, "Write steadily");
  await page.getByText("Here:").locator("visible=true").first().waitFor();
  await page.evaluate(watchFrames);
  begin.open();
  await ended(page);
  const what = length > 0 ? `, after ${length.toLocaleString("en")} characters` : "";
  reportFrames(`100 pieces in a second, for 20 s${what}`, await page.evaluate(() => window.stopFrames()));
  await closePages();
  await server.stop();
}

/** Records the time of each animation frame. Evaluated in the page. */
function watchFrames() {
  const times = [];
  let goes = true;
  const frame = (time) => {
    times.push(time);
    if (goes) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  window.stopFrames = () => {
    goes = false;
    return times;
  };
}

function reportFrames(what, times) {
  const gaps = times.slice(1).map((time, index) => time - times[index]);
  const usual = 1000 / 60;
  const late = gaps.filter((gap) => gap > 1.5 * usual);
  const dropped = late.reduce((sum, gap) => sum + Math.round(gap / usual) - 1, 0);
  const all = Math.round((times.at(-1) - times[0]) / usual);
  row(`frames dropped, ${what}`, `${dropped} of ${all}, longest gap ${milliseconds(Math.max(...gaps))}`);
}

/** Time and memory for a run of 10,000 steps, in the timeline and in Talk. */
async function measureLargeRun() {
  const model = await startModel();
  const [answers, calls] = [50, 199];
  let requests = 0;
  model.when(/much/, async (answer) => {
    if (requests++ >= answers) return answer.text("Done.");
    for (let call = 0; call < calls; call++) answer.call("currentTime", {});
  });
  const server = await startWith(model, "currentTime", ", maxIterations: 1000");
  row("memory of the server at the start", await memoryOf(server));
  let begun = now();
  await (await server.ask("/api/helper/runs", { body: { message: "Do much", conversation: "much-abc123" } })).text();
  const [{ run }] = await server.json("/studio/runs");
  row("time of the run itself", milliseconds(now() - begun));
  row("memory of the server after the run", await memoryOf(server));
  begun = now();
  const text = await (await server.ask(`/studio/runs/${run}`)).text();
  const { steps } = JSON.parse(text);
  const took = milliseconds(now() - begun);
  row(`answer of the server with ${steps.length.toLocaleString("en")} steps`, `${took}, ${megabytes(text.length)}`);
  for (const [view, ready] of [[`runs/${run}`, "[data-row]"], ["talk/much-abc123", ".turn .answer > *"]]) {
    const times = [];
    let page;
    for (let attempt = 0; attempt < 5; attempt++) {
      await closePages();
      const session = await newSession(server);
      await session.addInitScript(([token, ready]) => {
        sessionStorage.setItem("agent-dev-token", token);
        new MutationObserver((_, observer) => {
          if (!document.querySelector(ready)) return;
          requestAnimationFrame(() => setTimeout(() => (window.readyAt = performance.now())));
          observer.disconnect();
        }).observe(document, { childList: true, subtree: true });
      }, [server.token, ready]);
      page = await session.newPage();
      await page.goto(`${server.origin}/#/${view}`);
      await page.waitForFunction(() => window.readyAt !== undefined);
      const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN);
      times.push([paint, await page.evaluate(() => window.readyAt)]);
    }
    const name = view.startsWith("runs") ? "the timeline of this run" : "the conversation of this run";
    row(`first paint, ${name}`, milliseconds(quantile(times.map(([paint]) => paint), 0.5)));
    row(`shown, ${name}`, milliseconds(quantile(times.map(([, ready]) => ready), 0.5)));
    row(`heap of the page, ${name}`, await heapOf(page));
    if (view.startsWith("runs")) {
      await page.evaluate(watchFrames);
      await page.locator(".timeline .virtual").evaluate(async (box) => {
        for (let step = 0; step < 300; step++) {
          box.scrollTop += 200;
          await new Promise((done) => requestAnimationFrame(done));
        }
      });
      reportFrames("scrolling through the timeline", await page.evaluate(() => window.stopFrames()));
      const step = now();
      await page.locator("[data-row]").first().click();
      await page.getByRole("complementary", { name: "Step" }).waitFor();
      row("a step is opened", milliseconds(now() - step));
    }
  }
  row("memory of the server after all that", await memoryOf(server));
  await closePages();
  await server.stop();
}

async function memoryOf(server) {
  const status = await readFile(`/proc/${server.child.pid}/status`, "utf8");
  return megabytes(Number(/VmRSS:\s+(\d+)/.exec(status)[1]) * 1024);
}

/** Returns the size of the JavaScript heap after a garbage collection. */
async function heapOf(page) {
  const debug = await page.context().newCDPSession(page);
  await debug.send("HeapProfiler.collectGarbage");
  const { usedSize } = await debug.send("Runtime.getHeapUsage");
  return megabytes(usedSize);
}

async function measureSmall() {
  const server = await startServer();
  const paints = [];
  let page;
  for (let attempt = 0; attempt < 5; attempt++) {
    await closePages();
    page = await open(server);
    await page.getByRole("textbox", { name: /Message/ }).waitFor();
    paints.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime));
  }
  row("first paint, empty page", milliseconds(quantile(paints, 0.5)));
  row("heap of the empty page", await heapOf(page));
  await go(page, "tools");
  await closePages();
  await server.stop();
}

async function measureBundle() {
  const folder = PAGE ?? join(ROOT, "agent-studio/page");
  const sums = { plain: 0, gzip: 0, brotli: 0 };
  for (const file of (await readdir(folder)).sort()) {
    const bytes = await readFile(join(folder, file));
    const sizes = {
      plain: bytes.length,
      gzip: gzipSync(bytes, { level: 9 }).length,
      brotli: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length,
    };
    for (const name of Object.keys(sums)) sums[name] += sizes[name];
    row(file, Object.entries(sizes).map(([name, size]) => `${name} ${(size / 1000).toFixed(1)} kB`).join(", "));
  }
  row("all files", Object.entries(sums).map(([name, size]) => `${name} ${(size / 1000).toFixed(1)} kB`).join(", "));
}

row("processors, load before", `${cpus().length}, ${loadavg()[0].toFixed(2)}`);
const parts = { bundle: measureBundle, small: measureSmall, latency: measureLatency, frames: measureFrames, run: measureLargeRun };
const wanted = process.argv.slice(2);
for (const [name, measure] of Object.entries(parts)) if (wanted.length === 0 || wanted.includes(name)) await measure();
row("load after", loadavg()[0].toFixed(2));
const width = Math.max(...rows.map(([what]) => what.length));
for (const [what, value] of rows) console.log(`${what.padEnd(width)}  ${value}`);
await closeAll();
process.exit();
