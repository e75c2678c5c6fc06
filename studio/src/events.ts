import { isMedia, mediaOfResult } from "./media";
import type { Message, Part, PendingCall, Taint } from "./types";

// Folds the events of a run (book/src/reference/event.schema.json) into what the page shows.

export type Item =
  | { kind: "text" | "thoughts" | "said" | "note"; text: string }
  | { kind: "media"; part: Part }
  | { kind: "error"; text: string; errorKind: string }
  | { kind: "call"; call: Call };

export interface Call {
  id: string | null;
  tool: string;
  state: "writing" | "asked" | "waiting" | "running" | "done" | "failed";
  /** The arguments as they are written: a piece of JSON. */
  written: string;
  args: unknown;
  progress: string;
  result: unknown;
  /** Images, documents and audio of the result. `result` is undefined if there is nothing else. */
  media: Part[];
  error: string | null;
  taint: Taint | null;
  /** The waiting call, with the arguments that a person decides on. */
  pending: PendingCall | null;
  nested: Scope | null;
}

/** What one agent did: the run's own agent, or one that it called. */
export interface Scope {
  items: Item[];
  calls: Map<string, Call>;
  /** Where the items of the unfinished answer begin. */
  answer: number | null;
  writing: Map<number, Call>;
}

export interface Folded {
  scope: Scope;
  state: "running" | "waiting" | "finished" | "failed" | "cancelled";
  usage: { sent: number; written: number; cached: number } | null;
  cost: number | null;
  warnings: string[];
}

export interface RunEvent {
  type: string;
  [member: string]: unknown;
}

const newScope = (): Scope => ({ items: [], calls: new Map(), answer: null, writing: new Map() });

export const newFolded = (): Folded => ({
  scope: newScope(),
  state: "running",
  usage: null,
  cost: null,
  warnings: [],
});

const newCall = (id: string | null, tool: string): Call => ({
  id,
  tool,
  state: "asked",
  written: "",
  args: undefined,
  progress: "",
  result: undefined,
  media: [],
  error: null,
  taint: null,
  pending: null,
  nested: null,
});

const asText = (value: unknown): string => (typeof value === "string" ? value : "");

/** Applies an event of the run itself. */
export function apply(run: Folded, event: RunEvent): void {
  switch (event.type) {
    case "finished": {
      const response = (event.response ?? {}) as Record<string, unknown>;
      const usage = (response.usage ?? {}) as Record<string, number | undefined>;
      run.state = "finished";
      run.cost = typeof response.cost === "number" ? response.cost : null;
      run.usage = {
        sent: usage.inputTokens ?? 0,
        written: usage.outputTokens ?? 0,
        cached: usage.cachedTokens ?? 0,
      };
      run.warnings = Array.isArray(response.warnings) ? response.warnings.map(String) : [];
      // An agent that answers with a value may end without having said anything.
      const content = asText(response.content);
      const said = run.scope.items.some((item) => item.kind === "text" || item.kind === "media");
      if (!said && content) run.scope.items.push({ kind: "text", text: content });
      return;
    }
    case "failed":
      run.state = "failed";
      run.scope.items.push({ kind: "error", text: asText(event.message), errorKind: asText(event.kind) });
      return;
    case "cancelled":
      run.state = "cancelled";
      dropAnswer(run.scope);
      run.scope.items.push({ kind: "note", text: "Stopped." });
      return;
    case "waiting":
      run.state = "waiting";
      for (const call of (event.calls ?? []) as PendingCall[]) markWaiting(run.scope, call);
      return;
    default:
      run.state = "running";
      applyIn(run.scope, event);
  }
}

function applyIn(scope: Scope, event: RunEvent): void {
  switch (event.type) {
    case "modelCalled":
      // Parts of an answer that did not end with `modelReplied` are void.
      dropAnswer(scope);
      scope.answer = scope.items.length;
      scope.writing.clear();
      return;
    case "textDelta":
      addText(scope, "text", asText(event.text));
      return;
    case "thoughtDelta":
      addText(scope, "thoughts", asText(event.text));
      return;
    case "partReceived": {
      const item = itemOfPart(event.part as Part);
      scope.answer ??= scope.items.length;
      if (item) scope.items.push(item);
      return;
    }
    case "callStarted": {
      const id = typeof event.callId === "string" ? event.callId : null;
      const call = newCall(id, asText(event.tool));
      call.state = "writing";
      scope.writing.set(Number(event.index), call);
      if (id !== null) scope.calls.set(id, call);
      scope.items.push({ kind: "call", call });
      return;
    }
    case "argumentsDelta": {
      const call = scope.writing.get(Number(event.index));
      if (call) call.written += asText(event.text);
      return;
    }
    case "modelReplied":
      replaceAnswer(scope, event);
      return;
    case "toolStarted": {
      const pending = event.call as PendingCall;
      const call = findCall(scope, pending.id, pending.tool);
      call.state = "running";
      call.args = pending.args;
      call.pending = null;
      return;
    }
    case "toolProgress":
      findCall(scope, asText(event.callId), asText(event.tool)).progress = asText(event.text);
      return;
    case "toolFinished": {
      const done = event.invocation as Invocation;
      const call = findCall(scope, done.callId, done.tool);
      call.args = done.args;
      call.pending = null;
      const error = done.result?.error;
      call.state = error ? "failed" : "done";
      call.error = error ? (done.errorText ?? error.text) : null;
      call.taint = done.taint ?? null;
      setResult(call, done.result?.value);
      return;
    }
    case "steered":
      scope.items.push({ kind: "said", text: contentText((event.message as Message).content) });
      return;
    case "compacted":
      scope.items.push(SUMMARIZED);
      return;
    case "nested": {
      const call = findCall(scope, asText(event.callId), lastName(asText(event.path)));
      call.nested ??= newScope();
      const inner = event.event as RunEvent;
      if (inner.type === "failed") {
        call.nested.items.push({ kind: "error", text: asText(inner.message), errorKind: asText(inner.kind) });
      } else applyIn(call.nested, inner);
      return;
    }
    // Later programs may add events: skip what is unknown.
  }
}

type Invocation = { callId: string; tool: string; args: unknown; result?: Result; errorText?: string; taint?: Taint };
type Result = { value?: unknown; error?: { kind: string; text: string } };

function setResult(call: Call, value: unknown): void {
  const { media, rest } = mediaOfResult(value);
  call.media = media;
  call.result = rest;
}

function addText(scope: Scope, kind: "text" | "thoughts", text: string): void {
  scope.answer ??= scope.items.length;
  const last = scope.items.at(-1);
  if (last?.kind === kind && scope.items.length > scope.answer) last.text += text;
  else scope.items.push({ kind, text });
}

function dropAnswer(scope: Scope): void {
  if (scope.answer !== null) scope.items.length = scope.answer;
  scope.answer = null;
}

/** The whole answer takes the place of its parts. */
function replaceAnswer(scope: Scope, event: RunEvent): void {
  const steered = scope.items.slice(scope.answer ?? scope.items.length).filter((item) => item.kind === "said");
  dropAnswer(scope);
  for (const part of (event.parts ?? []) as Part[]) {
    const item = itemOfPart(part);
    if (item) scope.items.push(item);
  }
  for (const made of (event.calls ?? []) as { id: string; tool: string; args: unknown }[]) {
    // A call that was written piece by piece goes on as what it is.
    const call = scope.calls.get(made.id) ?? newCall(made.id, made.tool);
    if (call.state === "writing") call.state = "asked";
    call.args = made.args;
    scope.calls.set(made.id, call);
    scope.items.push({ kind: "call", call });
  }
  scope.items.push(...steered);
  scope.writing.clear();
}

/** Null for data of a provider, which says nothing to a person. */
export function itemOfPart(part: Part): Item | null {
  if (part.type === "text") return part.text ? { kind: "text", text: part.text } : null;
  if (part.type === "thoughts" || part.type === "thinking") {
    return part.text ? { kind: "thoughts", text: part.text } : null;
  }
  return isMedia(part) ? { kind: "media", part } : null;
}

function findCall(scope: Scope, id: string, tool: string): Call {
  const found = scope.calls.get(id);
  if (found) return found;
  // Another process may have begun the call: it has no answer here that made it.
  const call = newCall(id, tool);
  scope.calls.set(id, call);
  scope.items.push({ kind: "call", call });
  return call;
}

function markWaiting(scope: Scope, pending: PendingCall): boolean {
  const call = scope.calls.get(pending.id);
  if (call) {
    call.state = "waiting";
    call.pending = pending;
    return true;
  }
  for (const outer of scope.calls.values()) {
    if (outer.nested && markWaiting(outer.nested, pending)) return true;
  }
  // Only a call of the run's own agent may be made up: a nested one would stand in the wrong place.
  const made = findCall(scope, pending.id, pending.tool);
  made.state = "waiting";
  made.pending = pending;
  return false;
}

const lastName = (path: string): string => path.split("/").at(-1) ?? path;

export function contentText(content: string | Part[] | undefined): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => (part.type === "text" ? (part.text ?? "") : "")).join("");
}

/** The log of a run's events: knows how to take back those of a step. */
export class EventLog {
  #events: { step: number; event: RunEvent }[] = [];
  folded = newFolded();

  push(id: string, event: RunEvent): void {
    if (event.type === "stepReset") {
      this.#events = this.#events.filter(({ step }) => step < Number(event.step));
      this.folded = newFolded();
      for (const kept of this.#events) apply(this.folded, kept.event);
      return;
    }
    this.#events.push({ step: Number.parseInt(id, 10) || 0, event });
    apply(this.folded, event);
  }
}

/** A turn of a stored conversation: a message of the user, and everything until the next one. */
export interface StoredTurn {
  said: string | null;
  media: Part[];
  scope: Scope;
  /** The index of its first message. */
  start: number;
}

const SUMMARIZED: Item = { kind: "note", text: "The beginning of the conversation was summarized." };
const CORRECTED: Item = { kind: "note", text: "The answer had another type than the agent’s, so the model was asked again." };

/** The items of user messages that do not begin a turn, by the name of the message. */
const WITHIN_TURN = new Map<string, (text: string) => Item>([
  ["steering", (text) => ({ kind: "said", text })],
  ["summary", () => SUMMARIZED],
  ["correction", () => CORRECTED],
]);

/** Whether a message begins a turn. Branches are cut before such a message. */
export const beginsTurn = ({ role, name }: Message): boolean => role === "user" && !WITHIN_TURN.has(name ?? "");

/** Splits stored messages into turns. */
export function turnsOf(messages: Message[]): StoredTurn[] {
  const turns: StoredTurn[] = [];
  for (const [index, message] of messages.entries()) {
    if (beginsTurn(message)) {
      const media = partsOf(message).filter(isMedia);
      turns.push({ said: contentText(message.content), media, scope: newScope(), start: index });
      continue;
    }
    if (turns.length === 0) turns.push({ said: null, media: [], scope: newScope(), start: index });
    const { scope } = turns.at(-1)!;
    if (message.role === "user") {
      const item = WITHIN_TURN.get(message.name ?? "")?.(contentText(message.content));
      if (item) scope.items.push(item);
    } else if (message.role === "function") {
      const call = findCall(scope, message.callId ?? "", message.name ?? "");
      const text = contentText(message.content);
      call.state = message.isError ? "failed" : "done";
      call.taint = message.taint ?? null;
      if (message.isError) call.error = text;
      else if (typeof message.content === "string") call.result = parsed(text);
      else setResult(call, message.content);
    } else {
      for (const part of partsOf(message)) {
        const item = itemOfPart(part);
        if (item) scope.items.push(item);
      }
      for (const made of message.toolCalls ?? []) findCall(scope, made.id, made.tool).args = made.args;
    }
  }
  return turns;
}

const partsOf = ({ content }: Message): Part[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);

/** Results are stored as text: show JSON as JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
