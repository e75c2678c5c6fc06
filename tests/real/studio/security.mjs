// The rules of the section "Safety" in book/src/connect/dev-page.md, each with attempts to break it.
import assert from "node:assert/strict";
import { once } from "node:events";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { check } from "./check.mjs";
import { card, ended, expect, go, launch, newSession, open, say, shared, startServer, steps, waiting } from "./harness.mjs";
import { agentOf, ASKING_CALCULATOR, MODEL_ENV, modelOptions, startModel } from "./model.mjs";
import { startWire } from "./wire.mjs";

const { ROOT } = process.env;
const offline = shared(() => startServer());

/** The routes of agent-studio and agent-web, with their methods. */
const ROUTES = {
  "/studio/state": ["GET"],
  "/studio/changes": ["GET"],
  "/studio/runs": ["GET"],
  "/studio/runs/{id}": ["GET"],
  "/studio/runs/{id}/steps/{number}": ["GET"],
  "/studio/runs/{id}/exchanges": ["GET"],
  "/studio/runs/{id}/exchanges/{number}": ["GET"],
  "/studio/runs/{id}/cassette": ["GET"],
  "/studio/runs/{id}/resume": ["POST"],
  "/studio/runs/{id}/replay": ["GET", "POST"],
  "/studio/models": ["GET"],
  "/studio/agents/{name}": ["PUT", "DELETE"],
  "/studio/agents/{name}/check": ["POST"],
  "/studio/conversations/{name}/branches": ["GET", "POST"],
  "/studio/conversations/{name}/media/{sha256}": ["GET"],
  "/studio/tools/{name}/call": ["POST"],
  "/api/health": ["GET"],
  "/api/ready": ["GET"],
  "/api/waiting": ["GET"],
  "/api/runs/{id}/events": ["GET"],
  "/api/runs/{id}/decisions": ["POST"],
  "/api/runs/{id}/stop": ["POST"],
  "/api/runs/{id}/say": ["POST"],
  "/api/conversations": ["GET"],
  "/api/conversations/{name}": ["GET", "DELETE"],
  "/api/{agent}/runs": ["POST"],
  "/api/{agent}/schema": ["GET"],
  "/api/{agent}/ui": ["POST"],
  "/api/{agent}/ui/{conversation}": ["GET"],
  "/api/{agent}/ui/{conversation}/stream": ["GET"],
};
const FILES = ["/", "/studio.js", "/studio.css"];
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

const filled = (route) => route.replaceAll("{number}", "1").replaceAll("{agent}", "helper").replace(/\{\w+\}/g, "some");

/** Sends a request with exactly these headers. `fetch` forbids some of them. */
function raw(server, method, path, headers = {}, body = "") {
  return new Promise((done, failed) => {
    const setHost = headers.host === undefined;
    const sent = request({ host: "127.0.0.1", port: server.port, method, path, headers, setHost }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (piece) => (text += piece));
      answer.on("end", () => done({ status: answer.statusCode, headers: answer.headers, text }));
    });
    sent.on("error", failed);
    sent.end(body);
  });
}

check("the list of routes here is the one of the program", async () => {
  const routesOf = async (file, prefix) => {
    const text = await readFile(join(ROOT, file), "utf8");
    return [...text.matchAll(/\.route\(\s*"([^"]+)"/g)].map(([, route]) => prefix + route);
  };
  const routes = [
    ...(await routesOf("agent-studio/src/studio.rs", "")),
    ...(await routesOf("agent-web/src/web.rs", "/api")),
  ];
  assert.deepEqual(routes.sort(), Object.keys(ROUTES).sort());
});

check("no route answers without the token, or with another one", async () => {
  const server = await offline();
  const { token } = server;
  const wrong = [
    {},
    { authorization: "Bearer " },
    { authorization: "Bearer 0" },
    { authorization: `Bearer ${token.slice(0, -1)}` },
    { authorization: `Bearer ${token}0` },
    { authorization: `Bearer ${token.replace(/.$/, (last) => (last === "0" ? "1" : "0"))}` },
    { authorization: `Basic ${token}` },
    { authorization: token },
    { cookie: `token=${token}; agent-dev-token=${token}` },
    { "x-token": token },
  ];
  for (const [route, methods] of Object.entries(ROUTES)) {
    const path = filled(route);
    for (const method of METHODS) {
      for (const headers of methods.includes(method) ? wrong : wrong.slice(0, 1)) {
        const { status, text } = await raw(server, method, path, headers);
        assert.equal(status, 401, `${method} ${path} with ${JSON.stringify(headers)}: ${text.slice(0, 200)}`);
      }
    }
    for (const query of [`token=${token}`, `authorization=Bearer%20${token}`]) {
      const { status } = await raw(server, methods[0], `${path}?${query}`);
      assert.equal(status, 401, `${path}?${query}`);
    }
  }
  for (const path of ["/studio", "/api", "/studio/", "/else", "//studio/state", "/studio/../studio/state", "/STUDIO/STATE"]) {
    const { status } = await raw(server, "GET", path);
    assert.equal(status, 401, path);
  }
});

check("the server listens on this machine alone", async () => {
  const { port } = await offline();
  const others = Object.values(networkInterfaces()).flat().filter(({ internal, address }) => !internal || address === "::1");
  for (const { address } of others) {
    const socket = connect(port, address);
    const outcome = await new Promise((done) => socket.on("connect", () => done("connected")).on("error", () => done("refused")));
    socket.destroy();
    assert.equal(outcome, "refused", address);
  }
});

check("a thousand wrong tokens are refused, and the right one works after them", async () => {
  const server = await offline();
  for (let batch = 0; batch < 10; batch++) {
    const tokens = Array.from({ length: 100 }, (_, index) => `Bearer ${(batch * 100 + index).toString(16).padStart(64, "0")}`);
    const answers = await Promise.all(tokens.map((authorization) => raw(server, "GET", "/studio/state", { authorization })));
    assert.ok(answers.every(({ status }) => status === 401));
  }
  assert.ok((await server.json("/studio/state")).agents.length > 0);
});

check("a page without the token shows nothing, and says what to do", async () => {
  const server = await offline();
  expect(/401/);
  const session = await newSession(server);
  const page = await session.newPage();
  await page.goto(server.origin);
  await page.getByText("Open the address that").waitFor();
  // A wrong token leaves the address, too.
  await page.goto(`${server.origin}/#token=${"0".repeat(64)}`);
  await page.waitForURL((url) => !url.hash.includes("token"));
  await page.getByText("Open the address that").waitFor();
  assert.ok(!(await page.content()).includes("helper"));
});

check("the token is in no request line, Referer, history or storage that lasts", async () => {
  const server = await offline();
  const wire = await startWire(server);
  const page = await open(wire.server);
  await say(page, "Which time is it?");
  await ended(page);
  for (const view of ["waiting", "runs", "tools", "findings", "talk"]) await go(page, view);
  await page.getByRole("textbox", { name: /Message/ }).waitFor();
  await page.reload();
  await page.getByRole("textbox", { name: /Message/ }).waitFor();
  const lines = wire.sent().split("\r\n");
  assert.ok(lines.filter((line) => / HTTP\/1\.1$/.test(line)).length > 10);
  const withToken = lines.filter((line) => line.includes(server.token));
  assert.ok(withToken.length > 10);
  assert.deepEqual(withToken.filter((line) => !/^authorization: /i.test(line)), []);
  assert.deepEqual(lines.filter((line) => /^(referer|cookie):/i.test(line)), []);
  const debug = await page.context().newCDPSession(page);
  const { entries } = await debug.send("Page.getNavigationHistory");
  assert.ok(!entries.some(({ url }) => url.includes(server.token)));
  const kept = await page.evaluate(() => JSON.stringify([localStorage, document.cookie, document.title]));
  assert.ok(!kept.includes(server.token), kept);
  assert.ok(!(await page.content()).includes(server.token));
});

check("a link of an answer opens without the page's address, token and storage", async () => {
  const stranger = await startStranger(() => "<!doctype html><title>stranger</title>");
  const model = await startModel();
  model.when(/link/, (answer) => answer.text(`See [the docs](${stranger.origin}/docs).`));
  const server = await startServer({ documents: { "helper.gram": agentOf() }, options: modelOptions(model), env: MODEL_ENV });
  const page = await open(server);
  await say(page, "A link");
  await ended(page);
  expect(/the page asks/);
  const opened = page.context().waitForEvent("page");
  await page.getByRole("link", { name: /the docs/ }).click();
  const other = await opened;
  await other.waitForLoadState();
  const seen = await other.evaluate(() => [String(opener), document.referrer, JSON.stringify(sessionStorage)]);
  assert.deepEqual(seen, ["null", "", "{}"]);
  assert.deepEqual(stranger.referers, [undefined]);
});

check("requests for other hosts, and those that other sites made, are refused even with the token", async () => {
  const server = await offline();
  const { port } = server;
  const authorization = `Bearer ${server.token}`;
  const own = { authorization, host: `127.0.0.1:${port}` };
  for (const [route, methods] of Object.entries(ROUTES)) {
    for (const method of methods) {
      const path = filled(route);
      for (const headers of [
        { ...own, host: "evil.example" },
        { ...own, host: `evil.example:${port}` },
        { ...own, host: `127.0.0.1.evil.example:${port}` },
        { ...own, host: `evil.example@127.0.0.1:${port}` },
        { ...own, host: "" },
        { ...own, origin: "http://evil.example" },
        { ...own, origin: `http://evil.example:${port}` },
        { ...own, origin: `http://localhost:${port}` },
        { ...own, origin: `http://127.0.0.1:${port + 1}` },
        { ...own, origin: "null" },
        { ...own, origin: "" },
        { ...own, "sec-fetch-site": "cross-site" },
        { ...own, "sec-fetch-site": "same-site" },
        { ...own, "sec-fetch-site": "" },
        { ...own, "sec-fetch-site": "cross-site", origin: `http://127.0.0.1:${port}` },
      ]) {
        const { status, text } = await raw(server, method, path, headers);
        assert.equal(status, 403, `${method} ${path} with ${JSON.stringify(headers)}: ${text.slice(0, 200)}`);
      }
    }
  }
  const allowed = { ...own, origin: `http://127.0.0.1:${port}`, "sec-fetch-site": "same-origin" };
  assert.equal((await raw(server, "GET", "/studio/state", allowed)).status, 200);
});

check("every answer has the headers that keep a page in bounds", async () => {
  const server = await offline();
  const headersOf = async (what, ...request) => {
    const { headers } = await raw(server, ...request);
    const policy = headers["content-security-policy"] ?? "";
    const found = {
      policy: ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'",
        "form-action 'none'"].filter((part) => policy.includes(part)).length,
      inline: policy.includes("unsafe"),
      referrer: headers["referrer-policy"],
      sniff: headers["x-content-type-options"],
      frame: headers["x-frame-options"],
      opener: headers["cross-origin-opener-policy"],
      cache: headers["cache-control"],
      cors: headers["access-control-allow-origin"],
    };
    assert.deepEqual(found, {
      policy: 6, inline: false, referrer: "no-referrer", sniff: "nosniff", frame: "DENY", opener: "same-origin",
      cache: "no-store", cors: undefined,
    }, what);
  };
  const authorization = `Bearer ${server.token}`;
  // `/studio/changes` answers at once for a version other than the current one.
  const query = (path) => (path === "/studio/changes" ? `${path}?after=999` : path);
  for (const path of [...FILES, ...Object.keys(ROUTES).map(filled), "/else", "/studio/else", "/api/else"]) {
    for (const method of ["GET", "POST", "OPTIONS"]) {
      if (method === "POST" && path.endsWith("/runs")) continue;
      await headersOf(`${method} ${path} without the token`, method, query(path));
      await headersOf(`${method} ${path} with the token`, method, query(path), { authorization });
    }
  }
  await headersOf("another site", "GET", "/studio/state", { authorization, origin: "http://evil.example" });
  await headersOf("another host", "GET", "/", { host: "evil.example" });
});

check("the policy holds in the browser: no script or style of a stranger runs", async () => {
  const server = await offline();
  const page = await open(server);
  // Playwright also reports requests that the policy blocks.
  expect(/Content Security Policy|violates|Refused/i, /evil\.example/);
  const run = await page.evaluate(async (origin) => {
    const script = document.createElement("script");
    script.textContent = "window.inlineRan = true";
    const style = document.createElement("style");
    style.textContent = "body { color: rgb(1, 2, 3) }";
    const remote = document.createElement("script");
    remote.src = "https://evil.example/evil.js";
    const handler = document.createElement("div");
    handler.setAttribute("onclick", "window.handlerRan = true");
    document.body.append(script, style, remote, handler);
    handler.click();
    // Code that the protocol evaluates is exempt from the policy, but a timer callback is not.
    const evaluated = await new Promise((done) => setTimeout(() => {
      try {
        done(new Function("return 1")());
      } catch {
        done("refused");
      }
    }));
    const fetched = await fetch("https://evil.example/").catch(() => "refused");
    const base = document.createElement("base");
    base.href = "https://evil.example/";
    document.head.append(base);
    const address = new URL("x", document.baseURI).origin;
    return {
      inline: window.inlineRan ?? false,
      handler: window.handlerRan ?? false,
      style: getComputedStyle(document.body).color === "rgb(1, 2, 3)",
      evaluated,
      fetched,
      base: address === origin,
    };
  }, server.origin);
  assert.deepEqual(run, { inline: false, handler: false, style: false, evaluated: "refused", fetched: "refused", base: true });
  const index = await (await fetch(server.origin)).text();
  assert.doesNotMatch(index, /<style|style=|<script(?![^>]*src=)|\son\w+=|(src|href)="(?!data:|\.\/)/);
});

// Attacks by other sites

/** Starts a server of another origin, which records `Referer` headers. */
async function startStranger(pageOf) {
  const referers = [];
  const server = createServer((asked, answer) => {
    if (asked.url !== "/favicon.ico") referers.push(asked.headers.referer);
    answer.writeHead(200, { "content-type": "text/html" });
    answer.end(pageOf(asked));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  server.unref();
  return { origin: `http://127.0.0.1:${server.address().port}`, port: server.address().port, referers };
}

/** Tries each API with which a page can read or change another origin, and returns the outcomes. Evaluated in the page. */
async function attack([target, token]) {
  const got = {};
  const json = { "content-type": "application/json" };
  const question = JSON.stringify({ message: "I was here", conversation: "attack" });
  const read = async (answer) => `${answer.type} ${answer.status} ${await answer.text()}`;
  const tried = async (name, path, options) => {
    got[name] = await fetch(target + path, options).then(read).catch(() => "refused");
  };
  await tried("fetch", "/studio/state");
  await tried("fetch of the page", "/");
  await tried("fetch with cookies", "/studio/state", { credentials: "include" });
  await tried("fetch without CORS", "/studio/state", { mode: "no-cors" });
  await tried("fetch with a token", "/studio/state", { headers: { authorization: `Bearer ${token}` } });
  await tried("POST of JSON", "/api/helper/runs", { method: "POST", headers: json, body: question });
  await tried("POST of JSON with a token", "/api/helper/runs", {
    method: "POST",
    headers: { ...json, authorization: `Bearer ${token}` },
    body: question,
  });
  await tried("POST of text", "/api/helper/runs", { method: "POST", body: question });
  await tried("POST without CORS", "/api/helper/runs", { method: "POST", mode: "no-cors", body: question });
  await tried("DELETE", "/api/conversations/attack", { method: "DELETE" });
  got.beacon = navigator.sendBeacon(`${target}/api/helper/runs`, question) ? "sent" : "refused";
  const loaded = (element) => new Promise((done) => {
    element.onload = () => done("loaded");
    element.onerror = () => done("refused");
    document.body.append(element);
  });
  got.image = await loaded(Object.assign(new Image(), { src: `${target}/studio/state` }));
  got.script = await loaded(Object.assign(document.createElement("script"), { src: `${target}/studio/state` }));
  got.style = await loaded(Object.assign(document.createElement("link"), { rel: "stylesheet", href: `${target}/studio/state` }));
  got.events = await new Promise((done) => {
    const source = new EventSource(`${target}/api/runs/some/events`);
    source.onmessage = () => done("a message");
    source.onerror = () => done("refused");
  });
  got.socket = await new Promise((done) => {
    const socket = new WebSocket(`${target.replace("http", "ws")}/studio/state`);
    socket.onopen = () => done("open");
    socket.onerror = () => done("refused");
  });
  return got;
}

/** Embeds the target in a frame, and submits a form to it. Evaluated in a page of another origin. */
function attackByFrames(target) {
  const frame = Object.assign(document.createElement("iframe"), { src: `${target}/` });
  const sink = Object.assign(document.createElement("iframe"), { name: "sink" });
  const form = document.createElement("form");
  Object.assign(form, { method: "post", action: `${target}/api/helper/runs`, target: "sink", enctype: "text/plain" });
  // With this name and value, the body of the form is JSON: `{"message":"I was here","x":"="}`.
  form.append(Object.assign(document.createElement("input"), { name: '{"message":"I was here","x":"', value: '"}' }));
  document.body.append(frame, form, sink);
  form.submit();
}

/** Checks that a page of another origin reads nothing and changes nothing. */
async function checkStranger(server, page, origin) {
  const before = await server.json("/studio/runs");
  for (const token of ["0".repeat(64), server.token]) {
    const got = await page.evaluate(attack, [server.origin, token]);
    // The page cannot read an opaque response.
    assert.equal(got["fetch without CORS"], "opaque 0 ", origin);
    assert.equal(got["POST without CORS"], "opaque 0 ", origin);
    delete got["fetch without CORS"];
    delete got["POST without CORS"];
    // A beacon has no outcome that the page can read. The list of runs below shows whether it had an effect.
    delete got.beacon;
    assert.deepEqual([...new Set(Object.values(got))], ["refused"], `${origin}: ${JSON.stringify(got)}`);
  }
  const failed = (path, method) => page.waitForEvent("requestfailed", (request) => {
    return request.url() === server.origin + path && request.method() === method;
  });
  const refused = [failed("/", "GET"), failed("/api/helper/runs", "POST")];
  await page.evaluate(attackByFrames, server.origin);
  for (const request of await Promise.all(refused)) assert.match(request.failure().errorText, /BLOCKED_BY_RESPONSE/);
  assert.deepEqual(await server.json("/studio/runs"), before);
  assert.deepEqual((await server.json("/api/conversations")).filter(({ name }) => name === "attack"), []);

  // COOP severs the opener, so that the window cannot be read, navigated or sent messages.
  const popup = page.waitForEvent("popup");
  await page.evaluate((target) => (window.opened = open(target)), server.origin);
  const window = await popup;
  await window.getByText("Open the address that").waitFor();
  const reach = await page.evaluate(() => {
    const handle = window.opened;
    try {
      return handle.closed ? "gone" : handle.document.body.innerText;
    } catch (error) {
      return error.name;
    }
  });
  assert.equal(reach, "gone", origin);
  assert.equal(await window.evaluate(() => String(opener)), "null");
  await window.close();
}

check("a page of another origin in the same browser gets nothing and changes nothing", async () => {
  const server = await offline();
  expect(/./);
  const stranger = await startStranger(() => "<!doctype html><title>stranger</title><body>");
  const session = await newSession(server);
  // A tab with the token is open in the same browser.
  const own = await open(server, "", { session });
  for (const origin of [stranger.origin, stranger.origin.replace("127.0.0.1", "localhost")]) {
    const page = await session.newPage();
    await page.goto(origin);
    await checkStranger(server, page, origin);
    await page.close();
  }
  await say(own, "Which time is it?");
  await ended(own);
});

check("a name of a stranger that leads to this machine is refused", async () => {
  const server = await offline();
  expect(/./);
  const within = await launch("--host-resolver-rules=MAP evil.example 127.0.0.1");
  const session = await newSession(server, { within });
  const page = await session.newPage();
  const answer = await page.goto(`http://evil.example:${server.port}/`);
  assert.equal(answer.status(), 403);
  // For the browser, the attacker's name and the server are now one origin (DNS rebinding).
  const got = await page.evaluate(async (token) => {
    const headers = { authorization: `Bearer ${token}` };
    const answers = await Promise.all(["/", "/studio.js", "/studio/state"].map((path) => fetch(path, { headers })));
    return answers.map(({ status }) => status);
  }, server.token);
  assert.deepEqual(got, [403, 403, 403]);
  await within.close();
});

// Keys

check("keys of providers are in nothing that the page gets, whoever writes them", async () => {
  const keys = { OPENAI_API_KEY: "sk-openai-7d1f0c3b9e5a4286", MOCK_API_KEY: "mock-key-5c2e8b71f09d4a36" };
  const [ofOpenAi, ofMock] = Object.values(keys);
  const model = await startModel();
  let failures = 1;
  model.when(/echo/, async (answer, { headers, isAfterCalls, result }) => {
    const received = headers.authorization.replace("Bearer ", "");
    assert.equal(received, ofMock);
    if (failures-- > 0) return answer.fail(503, `The key ${received} is busy, and ${ofOpenAi} too.`);
    if (!isAfterCalls) {
      answer.thought(`The key is ${received}.`);
      await answer.text(`I use the key ${received}: `);
      // The key arrives one letter per event.
      for (const letter of ofOpenAi) await answer.text(letter);
      answer.call("readFile", { path: "secrets.txt" });
      answer.call("calculator", { expression: `${received} + 1` });
      return;
    }
    await answer.text(`The tool said ${JSON.stringify(result)}, ${ofOpenAi}, ${received}.`);
  });
  model.when(/break/, (answer) => answer.fail(400, `The key ${ofMock} is wrong, as is ${ofOpenAi}.`));
  const document = agentOf(`readFile, ${ASKING_CALCULATOR}`).replace("Help with sums.", `Help with sums. Never say ${ofOpenAi}.`);
  const server = await startServer({
    documents: { "helper.gram": document, "secrets.txt": `openai=${ofOpenAi}\nmock=${ofMock}\n` },
    options: modelOptions(model),
    env: keys,
  });
  expect(/40\d|50\d/);
  const session = await newSession(server);
  const bodies = [];
  session.on("requestfinished", (request) => {
    const body = request.response().then((response) => response.text());
    // A reload discards bodies. The same answers are requested again below.
    bodies.push(body.catch(() => "").then((text) => [request.url(), text]));
  });
  const page = await open(server, "", { session });
  const shown = [];
  const look = async (what) => shown.push([what, await page.evaluate(() => document.documentElement.outerHTML)]);

  await say(page, "Please echo it");
  await card(page).waitFor();
  await look("a call that waits");
  await go(page, "waiting");
  await card(page).waitFor();
  await look("Waiting");
  await card(page).getByRole("button", { name: "Approve" }).click();
  await page.getByText("Nothing waits for you").waitFor();
  await page.goBack();
  await ended(page);
  await page.evaluate(() => document.querySelectorAll("#main details").forEach((details) => (details.open = true)));
  await look("Talk");
  await page.reload();
  await page.getByText("Please echo it").first().waitFor();
  await page.getByText("The tool said").first().waitFor();
  await look("a stored conversation");
  await go(page, "talk");
  await say(page, "Please break it");
  await ended(page);
  await look("a run that failed");
  await page.locator(".agent-more summary").click();
  await look("the agent");

  // All routes of each run, including those that the page requests on a click only.
  const runs = await server.json("/studio/runs");
  assert.equal(runs.length, 2);
  for (const { run: id } of runs) {
    await go(page, `runs/${id}`);
    for await (const detail of steps(page)) {
      await detail.waitFor();
      await look(`a step of ${id}`);
    }
    const base = `/studio/runs/${id}`;
    const run = await server.json(base);
    const { exchanges } = await server.json(`${base}/exchanges`);
    assert.ok(exchanges.length > 0);
    const paths = [
      ...run.steps.map(({ number }) => `${base}/steps/${number}`),
      `${base}/exchanges`,
      ...exchanges.map(({ number }) => `${base}/exchanges/${number}`),
      `${base}/cassette`,
      `${base}/replay`,
      `/api/runs/${id}/events`,
    ];
    for (const path of paths) shown.push([path, await (await server.ask(path)).text()]);
    shown.push([`POST ${base}/replay`, await (await server.ask(`${base}/replay`, { body: {} })).text()]);
  }
  const talks = await server.json("/api/conversations");
  for (const { name } of talks) {
    for (const path of [`/api/conversations/${name}`, `/api/helper/ui/${name}`, `/studio/conversations/${name}/branches`]) {
      shown.push([path, await (await server.ask(path)).text()]);
    }
  }

  // Single calls of tools, and findings about a line with a key.
  for (const body of [{ arguments: { path: "secrets.txt" } }, { arguments: { path: `${ofMock}.txt` } }]) {
    shown.push(["a call of readFile", await (await server.ask("/studio/tools/readFile/call", { body })).text()]);
  }
  const trial = { model: `Mock/${ofOpenAi}`, settings: { stop: [ofMock] } };
  shown.push(["check", await (await server.ask("/studio/agents/helper/check", { body: trial })).text()]);
  shown.push(["change", await (await server.ask("/studio/agents/helper", { method: "PUT", body: trial })).text()]);
  await writeFile(server.file("helper.gram"), document.replace("readFile,", `readFil, // ${ofMock}\n`));
  await go(page, "findings");
  await page.locator("mark", { hasText: "readFil" }).first().waitFor();
  await look("Findings");

  shown.push(...(await Promise.all(bodies)));
  assert.ok(shown.length > 40);
  const leaks = shown.filter(([, text]) => [ofOpenAi, ofMock].some((key) => text.includes(key)));
  assert.deepEqual(leaks.map(([where, text]) => `${where}: ${around(text, [ofOpenAi, ofMock])}`), []);
  // The files of the journal contain no key, and only their owner can read them.
  const names = await readdir(server.folder, { recursive: true });
  for (const name of names.filter((name) => name.startsWith("runs.db"))) {
    const [first] = name.split("/");
    const { mode } = await stat(server.file(first));
    assert.equal(mode & 0o077, 0, `${first} has the mode ${mode.toString(8)}`);
    if (!(await stat(server.file(name))).isFile()) continue;
    const text = await readFile(server.file(name), "latin1");
    assert.ok(![ofOpenAi, ofMock].some((key) => text.includes(key)), name);
  }
  // Each place showed a redacted key, so that the check is not vacuous.
  for (const place of [
    /^Talk/, /^a stored/, /^the agent/, /^a step/, /^a call of/, /^a call that/, /^Findings/, /^POST/, /steps\/\d/, /exchanges\/\d/,
    /cassette/, /^\/api\/runs\/.*events/, /^\/api\/conv/, /\/ui\//, /api\/waiting/, /studio\/state/,
  ]) {
    assert.ok(shown.some(([where, text]) => place.test(where) && text.includes("[key]")), String(place));
  }
});

function around(text, keys) {
  const at = Math.max(...keys.map((key) => text.indexOf(key)));
  return text.slice(Math.max(0, at - 80), at + 60);
}

// Read-only

/** Two agents. One is named `check`, like the last segment of the route that --read-only allows. */
const READ_ONLY_DOCUMENT = [agentOf(ASKING_CALCULATOR), agentOf().replace("helper", "check")]
  .join("\n")
  .replaceAll("Mock/small", "OpenAI/gpt-6-luna");

check("--read-only refuses each request that would change something, and allows the others", async () => {
  const documents = { "helper.gram": READ_ONLY_DOCUMENT };
  const writer = await startServer({ documents });
  const page = await open(writer);
  await waiting(page);
  const [{ run }] = await writer.json("/studio/runs");
  for (const name of ["check", "other"]) {
    await (await writer.ask("/api/check/runs", { body: { message: "Hello", conversation: name } })).text();
  }
  const { folder } = writer;
  await page.context().close();
  await writer.stop("SIGINT");

  const server = await startServer({ folder, documents, options: ["--offline", "--read-only"] });
  const reads = ["/studio/state", "/studio/runs", `/studio/runs/${run}`, `/studio/runs/${run}/replay`, "/api/conversations",
    "/api/conversations/check", "/api/waiting", "/studio/models"];
  const before = await Promise.all(reads.map((path) => server.json(path)));
  const trial = { model: "OpenAI/gpt-6-luna", settings: { maxTokens: 1000 } };
  const bodies = {
    "/api/{agent}/runs": { message: "Hello" },
    "/api/runs/{id}/say": { message: "Hello" },
    "/api/runs/{id}/decisions": { decisions: { call_1: { type: "approve" } } },
    "/studio/tools/{name}/call": { arguments: { expression: "1" } },
    "/studio/conversations/{name}/branches": { messages: 0 },
    "/studio/agents/{name}": trial,
  };
  // Names that could be mistaken for that route.
  const names = ["helper", "check", "other", "calculator", "check%2Fcheck"];
  for (const [route, methods] of Object.entries(ROUTES)) {
    for (const method of methods.filter((method) => method !== "GET")) {
      if (route.endsWith("/check")) continue;
      for (const name of names) {
        const path = route.replace("{id}", run).replace(/\{\w+\}/g, name);
        const body = method === "DELETE" ? undefined : (bodies[route] ?? {});
        const answer = await server.ask(path, { method, body });
        assert.equal(answer.status, 403, `${method} ${path}: ${answer.status} ${await answer.text()}`);
      }
    }
  }
  const checked = await server.json("/studio/agents/helper/check", { body: trial });
  assert.deepEqual(checked, { findings: [] });
  assert.deepEqual(await Promise.all(reads.map((path) => server.json(path))), before);

  // The page shows why a message was refused.
  const shown = await open(server);
  await shown.getByText("Read-only").waitFor();
  expect(/403/);
  await say(shown, "Which time is it?");
  await shown.getByText(/--read-only/).waitFor();
  assert.equal((await server.json("/studio/runs")).length, before[1].length);
});
