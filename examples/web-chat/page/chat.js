// The page of the example: the agent's own events, drawn with the DOM. No build step and no libraries.

const AGENT = "support";
const MARKS = { writing: "being written", running: "running …", waiting: "waits for a decision" };
const DOUBT = "The server stopped during this call: it may have acted.";
const $ = (id) => document.getElementById(id);
const element = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};

// Markdown: paragraphs, headings, lists, code, bold, and links to http and https. Everything else stays text, because
// an answer may repeat the text of a stranger. The repetitions are bounded so that no text makes the search slow.

const INLINE = /`([^`]{1,2000})`|\*\*(.{1,2000}?)\*\*|\[([^\]]{1,300})\]\((https?:\/\/[^\s)]{1,2000})\)/;

function inline(text) {
  const nodes = [];
  for (let found; (found = INLINE.exec(text)); text = text.slice(found.index + found[0].length)) {
    const [, code, bold, label, href] = found;
    nodes.push(text.slice(0, found.index), code ? element("code", { textContent: code })
      : bold ? element("strong", {}, ...inline(bold))
      : element("a", { textContent: label, href, target: "_blank", rel: "noopener noreferrer" }));
  }
  return [...nodes, text];
}

function markdown(text) {
  const blocks = [];
  const lines = text.split("\n");
  while (lines.length) {
    const line = lines.shift();
    const item = /^\s*(?:[-*]|(\d+)[.)])\s+(.*)/.exec(line);
    if (line.startsWith("```")) {
      const end = lines.findIndex((other) => other.startsWith("```"));
      const code = lines.splice(0, end < 0 ? lines.length : end).join("\n");
      lines.shift();
      blocks.push(element("pre", {}, element("code", { textContent: code })));
    } else if (item) {
      const tag = item[1] ? "OL" : "UL";
      if (blocks.at(-1)?.tagName !== tag) blocks.push(element(tag, item[1] && { start: item[1] }));
      blocks.at(-1).append(element("li", {}, ...inline(item[2])));
    } else if (/^#{1,6} /.test(line)) blocks.push(element("h3", {}, ...inline(line.replace(/^#+ /, ""))));
    else if (!line.trim()) blocks.push(null); // Ends a paragraph or a list.
    else if (blocks.at(-1)?.tagName === "P") blocks.at(-1).append("\n", ...inline(line));
    else blocks.push(element("p", {}, ...inline(line)));
  }
  return blocks.filter((block) => block);
}

// From events to the blocks that are shown. The key of a block stays the same while its run is streamed, and so does
// its element, so that nothing folds or loses the focus.

const partsOf = (content) => (typeof content === "string" ? [{ type: "text", text: content }] : content ?? []);
const textOf = (content) => partsOf(content).map((part) => part.text ?? "").join("");

// Stored messages become the events that they came from. They have the text of an error and not its kind.
const eventsOfMessages = (messages) => messages.map((message) => {
  const { role, content, toolCalls: calls = [], name: tool, callId, isError } = message;
  if (role === "user") return { type: "steered", message };
  if (role === "assistant") return { type: "modelReplied", parts: partsOf(content), calls };
  const text = textOf(content);
  const kind = text.startsWith("not allowed: ") ? "authorization" : "execution";
  const result = isError ? { error: { kind, text } } : { value: text };
  return { type: "toolFinished", invocation: { tool, callId, result } };
});

function blocksOf(events, prefix) {
  const blocks = [];
  let [turn, begin, isOpen] = [0, 0, false];
  const add = (kind, values) => {
    blocks.push({ kind, key: `${prefix}.${turn}.${blocks.length - begin}.${kind}`, ...values });
    return blocks.at(-1);
  };
  const append = (kind, text) => {
    if (!text) return;
    (blocks.length > begin && blocks.at(-1).kind === kind ? blocks.at(-1) : add(kind, { text: "" })).text += text;
  };
  const addPart = ({ type, text = "", name = "" }) => (type === "text" ? append("text", text)
    : type === "thinking" ? append("thought", text) : add("note", { text: `[${type} ${name}]` }));
  const setCall = (id, values) =>
    Object.assign(blocks.findLast((block) => block.kind === "call" && block.id === id) ?? add("call", { id }), values);
  // An answer that is not complete is void: its request was repeated, or the complete answer replaces it.
  const beginTurn = (opens) => {
    if (isOpen) blocks.length = begin;
    else [turn, begin] = [turn + 1, blocks.length];
    isOpen = opens;
  };
  const handlers = {
    modelCalled: () => beginTurn(true),
    textDelta: ({ text }) => append("text", text),
    thoughtDelta: ({ text }) => append("thought", text),
    callStarted: ({ index, tool }) => add("call", { index, tool, args: "", state: "writing" }),
    argumentsDelta: ({ index, text }) => (blocks.findLast((block) => block.index === index).args += text),
    partReceived: ({ part }) => addPart(part),
    modelReplied: ({ parts, calls }) => {
      beginTurn(false);
      for (const part of parts) addPart(part);
      for (const { id, tool, args } of calls) add("call", { id, tool, args, state: "called" });
    },
    toolStarted: ({ call: { id, tool, args } }, path) => setCall(id, { tool, args, path, state: "running" }),
    toolProgress: ({ callId, tool, text }, path) => setCall(callId, { tool, path, progress: text }),
    toolFinished: ({ invocation: { callId, tool, args, result: { error, value } } }, path) => setCall(callId, {
      tool, path, ...(args !== undefined && { args }), result: error ? error.text : value,
      state: !error ? "done" : error.kind === "authorization" ? "denied" : "failed",
    }),
    nested: ({ event, path }) => event.type.startsWith("tool") && handlers[event.type]?.(event, path),
    steered: ({ message }) => beginTurn(false) ?? add("user", { text: textOf(message.content) }),
    compacted: () => add("note", { text: "The beginning of the conversation was summarized." }),
    waiting: ({ calls }) => {
      for (const block of blocks) if (block.state === "waiting") block.state = "decided";
      for (const { id, tool, args, inDoubt } of calls) setCall(id, { tool, args, inDoubt, state: "waiting" });
    },
    finished: ({ response: { usage, cost, warnings } }) => {
      const tokens = `${usage.inputTokens + usage.outputTokens} tokens`;
      add("note", { text: [tokens, ...(cost ? [`$${cost.toFixed(4)}`] : []), ...warnings].join(" · ") });
    },
    failed: ({ message }) => add("error", { text: message }),
    cancelled: () => add("note", { text: "Stopped." }),
  };
  for (const event of events) handlers[event.type]?.(event);
  return blocks;
}

// Drawing. A block that did not change is left alone.

const jsonText = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 2) ?? "");

function fill(view, block) {
  const { kind, text } = block;
  if (kind === "call") return fillCall(view, block);
  view.className = kind;
  if (kind === "text") view.replaceChildren(...markdown(text));
  else if (kind === "thought") {
    view.replaceChildren(element("summary", { textContent: "Thoughts" }), element("div", { textContent: text }));
  } else view.textContent = text;
}

const reasonField = () => element("input", { placeholder: "Reason, for a denial", ariaLabel: "Reason", maxLength: 500 });
const denial = (reason) => ({ type: "deny", ...(reason.value && { reason: reason.value }) });

function fillCall(view, { id, tool, path, args, state, result, progress, inDoubt }) {
  if (state === "waiting") view.open = true;
  view.className = `call ${state}${path ? " nested" : ""}`;
  const labelled = (label, value) =>
    [element("p", { className: "label", textContent: label }), element("pre", { textContent: jsonText(value) })];
  view.replaceChildren(
    element("summary", {}, element("span", { className: "name", textContent: path ? `${path}/${tool}` : tool }),
      element("span", { className: "mark", textContent: MARKS[state] ?? state })),
    ...labelled("Arguments", args),
    ...(result === undefined ? [] : labelled(state === "done" ? "Result" : "Error", result)));
  const note = inDoubt ? DOUBT : progress;
  if (note) view.append(element("p", { className: "progress", textContent: note }));
  if (state !== "waiting") return;
  const reason = reasonField();
  const approve = element("button", { className: "primary", type: "button", textContent: "Approve" });
  const deny = element("button", { type: "button", textContent: "Deny" });
  const form = element("fieldset", { className: "decide" }, reason, approve, deny);
  approve.onclick = () => decide(form, id, { type: "approve" });
  deny.onclick = () => decide(form, id, denial(reason));
  view.append(form);
}

let views = new Map();
let frame;
const draw = () => (frame ??= requestAnimationFrame(() => keepEnd(drawNow)));

// Stays at the end of the log if that is what is seen.
function keepEnd(change) {
  const scroll = $("scroll");
  const isAtEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 60;
  change();
  if (isAtEnd) scroll.scrollTop = scroll.scrollHeight;
}

function drawNow() {
  frame = undefined;
  const [log, { run }, drawn] = [$("log"), shown, new Map()];
  const live = blocksOf(shown.live.map(({ event }) => event), `run${shown.turns}`);
  for (const block of live) if (block.state === "waiting" && run?.state !== "waiting") block.state = "decided";
  const blocks = [...shown.past, ...live];
  if (run?.state === "running" && !live.length) blocks.push({ kind: "busy", key: "busy", text: "Thinking" });
  blocks.forEach((block, index) => {
    const tag = ["call", "thought"].includes(block.kind) ? "details" : "div";
    const { node, ...before } = views.get(block.key) ?? { node: element(tag) };
    const text = before.block === block ? before.text : JSON.stringify(block);
    if (text !== before.text) fill(node, block);
    drawn.set(block.key, { node, block, text });
    if (log.children[index] !== node) log.insertBefore(node, log.children[index] ?? null);
  });
  while (log.children.length > blocks.length) log.lastChild.remove();
  views = drawn;
  $("title").textContent = titleOf(shown.name);
  $("send").hidden = Boolean(run);
  $("stop").hidden = !run;
  $("state").textContent = shown.isLost ? "The connection is lost. Trying again …"
    : run?.state === "waiting" ? "A call waits for a decision." : run ? "The agent is answering." : "";
}

const showProblem = (problem) => problem?.name !== "AbortError" && keepEnd(() => {
  const words = problem instanceof TypeError ? "The server does not answer." : problem?.message ?? "";
  $("problem").firstChild.replaceChildren(...inline(words));
  $("problem").hidden = !words;
});

// Requests.

class Problem extends Error {}
const pathOf = (name) => `conversations/${encodeURIComponent(name)}`;

async function request(path, options) {
  const response = await fetch(`/agents/${path}`, options);
  if (response.ok) return response;
  const { title = `The server answered ${response.status}.`, detail } = await response.json().catch(() => ({}));
  throw new Problem(detail ? `${title}: ${detail}` : title);
}

const post = (path, body, signal) => request(path,
  { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal });

async function* eventsOf(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let read; !(read = await reader.read()).done;) {
    const pieces = (rest + read.value).split(/\r?\n\r?\n/);
    rest = pieces.pop();
    for (const piece of pieces) {
      const field = (name) => piece.match(new RegExp(`^${name}: ?(.*)$`, "m"))?.[1];
      if (field("data")) yield { id: field("id"), event: JSON.parse(field("data")) };
    }
  }
}

// The conversation that is shown: `past` has the blocks of what has ended, `live` the events of the run.

let shown;
const tabs = new BroadcastChannel("web-chat");

async function show(name) {
  shown?.abort.abort();
  shown = { name, past: [], live: [], turns: 0, run: null, last: null, seen: new Set(), abort: new AbortController() };
  document.body.classList.remove("menu");
  drawNow();
  await Promise.all([list(), refresh(shown)]);
}

// Shows what the server has of a conversation, and follows its run.
async function refresh(talk) {
  if (!talk.name || talk.isFollowing) return;
  try {
    const text = await (await request(pathOf(talk.name), { signal: talk.abort.signal })).text();
    if (talk.isFollowing) return;
    const { messages, run } = JSON.parse(text);
    const isNew = text !== talk.text || talk.isLost;
    if (isNew) {
      if (!run || run.run !== (talk.run?.id ?? run.run)) Object.assign(talk, { live: [], last: null, seen: new Set() });
      // What came after the question of a run is in its events.
      const end = run ? messages.findLastIndex(({ role }) => role === "user") + 1 : messages.length;
      talk.past = blocksOf(eventsOfMessages(messages.slice(0, end)), "past");
      Object.assign(talk, { run: run && { id: run.run, state: run.state }, text, isLost: false });
      draw();
    }
    if (run && (isNew || run.state === "running")) await follow(talk);
  } catch (error) {
    if (error instanceof TypeError) await retry(talk);
    else showProblem(error);
  }
}

async function retry(talk) {
  talk.isLost = true;
  draw();
  await new Promise((resolve) => setTimeout(resolve, 1000));
  if (talk === shown) await refresh(talk);
}

// Reads events until the stream ends. A stream that ends without the last event of the run was cut.
async function follow(talk, response) {
  talk.isFollowing = true;
  try {
    const headers = talk.last ? { "last-event-id": talk.last } : {};
    response ??= await request(`runs/${talk.run.id}/events`, { headers, signal: talk.abort.signal });
    const { turns } = talk;
    // Another stream may have brought the end of the run already.
    for await (const { id, event } of eventsOf(response)) if (talk.turns === turns) receive(talk, id, event);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  } finally {
    talk.isFollowing = false;
  }
  if (talk.run?.state === "running") await retry(talk);
}

function receive(talk, id, event) {
  const [step, before, isDelta] = [Number.parseInt(id, 10), talk.live.at(-1), event.type.endsWith("Delta")];
  talk.last = id ?? talk.last;
  // Two streams may bring an event: that of a decision, and one that was open before it.
  if (talk.seen.has(id) && event.type !== "stepReset") return;
  talk.seen.add(id);
  if (event.type === "stepReset") talk.live = talk.live.filter((known) => known.step < event.step);
  else if (isDelta && before?.step === step && before.event.type === event.type && before.event.index === event.index) {
    before.event.text += event.text;
  } else talk.live.push({ step, event });
  talk.run = { id: talk.run?.id, state: event.type === "waiting" ? "waiting" : "running" };
  if (["finished", "failed", "cancelled"].includes(event.type)) {
    talk.past = [...talk.past, ...blocksOf(talk.live.map((known) => known.event), `run${talk.turns}`)];
    Object.assign(talk, { live: [], last: null, seen: new Set(), run: null, turns: talk.turns + 1 });
  }
  if (talk === shown) draw();
}

// The id of the run. A page that began it learns it from the conversation.
const runOf = async (talk) =>
  (talk.run.id ??= (await (await request(pathOf(talk.name))).json()).run?.run);

// What the user does.

function act(action) {
  showProblem(null);
  return action(shown).catch(showProblem);
}

const decide = (form, call, decision) => act(async (talk) => {
  form.disabled = true;
  try {
    const body = { decisions: { [call]: decision } };
    const response = await post(`runs/${await runOf(talk)}/decisions`, body, talk.abort.signal);
    tabs.postMessage({ name: talk.name });
    talk.run.state = "running";
    draw();
    await follow(talk, response);
  } finally {
    form.disabled = false;
  }
});

const send = () => act(async (talk) => {
  const message = $("message").value.trim();
  if (!message || talk.run) return;
  const words = message.toLowerCase().match(/[a-z0-9]+/g)?.slice(0, 6).join("-").slice(0, 40) ?? "conversation";
  const name = talk.name ?? `${words}-${Math.random().toString(36).slice(2, 8).padEnd(6, "0")}`;
  const { past } = talk;
  talk.past = [...past, { kind: "user", key: `question${talk.turns}`, text: message }];
  talk.run = { state: "running" };
  $("message").value = "";
  draw();
  const response = await post(`${AGENT}/runs`, { message, conversation: name }, talk.abort.signal).catch((error) => {
    Object.assign(talk, { past, run: null });
    $("message").value = message;
    draw();
    throw error;
  });
  if (!talk.name) history.pushState(null, "", `#${encodeURIComponent(name)}`);
  talk.name = name;
  tabs.postMessage({ name });
  await Promise.all([list(), follow(talk, response)]);
});

const titleOf = (name) => (name?.replace(/-[a-z0-9]{6}$/, "") ?? "New conversation")
  .replaceAll("-", " ").replace(/^./, (first) => first.toUpperCase());

async function list() {
  const names = (await (await request("conversations")).json()).map((entry) => entry.name ?? entry);
  $("conversations").replaceChildren(...names.map((name) => element("li", {}, element("a", {
    href: `#${encodeURIComponent(name)}`, textContent: titleOf(name), ariaCurrent: name === shown.name ? "page" : null,
  }))));
}

// The calls of others on which the user may decide.
async function listWaiting() {
  const runs = (await (await request("waiting")).json()).filter(({ owner }) => owner !== user);
  $("desk").hidden = !runs.length;
  const text = JSON.stringify(runs);
  if (text === $("waiting").dataset.text) return;
  $("waiting").dataset.text = text;
  $("waiting").replaceChildren(...runs.flatMap(({ run, owner, calls }) => calls.map(({ id, tool, args, inDoubt }) => {
    const reason = reasonField();
    const button = (label, className, decision) => element("button", { textContent: label, type: "button", className,
      onclick: () => act(async () => {
        await post(`runs/${run}/decisions`, { decisions: { [id]: decision() } });
        await listWaiting();
      }) });
    const doubt = inDoubt ? [element("p", { className: "progress", textContent: DOUBT })] : [];
    const what = element("p", {}, element("strong", { textContent: owner }), ` ${tool} ${jsonText(args)}`);
    return element("li", {}, what, ...doubt, reason,
      button("Approve", "primary", () => ({ type: "approve" })), button("Deny", "", () => denial(reason)));
  })));
}

const fromAddress = () => act(() => show(decodeURIComponent(location.hash.slice(1)) || null));
const setUser = (name) => (document.cookie = `user=${name}; path=/; samesite=strict; max-age=31536000`);
const user = document.cookie.match(/(?:^|; )user=(ada|cleo)/)?.[1] ?? "ada";
setUser(user);
for (const choice of document.getElementsByName("user")) {
  choice.checked = choice.value === user;
  choice.onchange = () => {
    setUser(choice.value);
    tabs.postMessage({ user: choice.value });
    location.replace(location.pathname);
  };
}
tabs.onmessage = ({ data }) => {
  if (data.user) location.replace(location.pathname); // The tabs share the cookie.
  else act(() => Promise.all([list(), data.name === shown.name && refresh(shown)]));
};
$("composer").onsubmit = (submit) => {
  submit.preventDefault();
  send();
};
$("message").onkeydown = (key) => {
  if (key.key === "Enter" && !key.shiftKey && !key.isComposing) $("composer").onsubmit(key);
};
$("stop").onclick = () => act(async (talk) => {
  await post(`runs/${await runOf(talk)}/stop`, {});
  await refresh(talk);
});
$("new").onclick = () => (location.hash ? (location.hash = "") : fromAddress());
$("menu").onclick = $("shade").onclick = () => document.body.classList.toggle("menu");
$("problem").lastChild.onclick = () => showProblem(null);
onhashchange = fromAddress;
document.onvisibilitychange = () => document.hidden || refresh(shown);
setInterval(() => user === "cleo" && !document.hidden && listWaiting().catch(() => {}), 3000);
setInterval(() => shown.run?.state === "waiting" && refresh(shown), 3000); // Somebody elsewhere may decide.
fromAddress();
if (user === "cleo") act(listWaiting);
