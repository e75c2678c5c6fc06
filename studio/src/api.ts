import { Store } from "./store";

const KEY = "agent-dev-token";

/** Null if there is none or the server refused it. */
export const token = new Store<string | null>(takeToken());

/** Whether the last request reached the server. */
export const online = new Store(true);

function givenToken(): string | null {
  return new URLSearchParams(location.hash.slice(1)).get("token");
}

// The token arrives in the fragment, which is never sent, and leaves the address bar at once.
function takeToken(): string | null {
  const given = givenToken();
  if (given) {
    sessionStorage.setItem(KEY, given);
    history.replaceState(null, "", location.pathname + location.search);
  }
  return given ?? sessionStorage.getItem(KEY);
}

// A person who opens the address of a restarted server in this tab changes the fragment alone, for which a browser does not load
// the page again.
addEventListener("hashchange", ({ oldURL }) => {
  if (givenToken() === null) return;
  takeToken();
  history.replaceState(null, "", oldURL);
  location.reload();
});

/** What the server answered in place of success. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    detail: string,
    readonly run: string | null,
  ) {
    super(detail);
  }
}

/** The server did not answer. */
export class Unreachable extends Error {}

export interface Ask {
  body?: unknown;
  method?: string;
  lastId?: string | null;
  signal?: AbortSignal;
}

/** Sends a request, and throws `Problem` or `Unreachable` if it did not succeed. */
export async function send(path: string, ask: Ask = {}): Promise<Response> {
  const headers: Record<string, string> = { authorization: `Bearer ${token.get() ?? ""}` };
  if (ask.body !== undefined) headers["content-type"] = "application/json";
  if (ask.lastId) headers["last-event-id"] = ask.lastId;
  let response: Response;
  try {
    response = await fetch(path, {
      method: ask.method ?? (ask.body === undefined ? "GET" : "POST"),
      headers,
      body: ask.body === undefined ? null : JSON.stringify(ask.body),
      signal: ask.signal ?? null,
      cache: "no-store",
      redirect: "error",
    });
  } catch (error) {
    if (ask.signal?.aborted) throw error;
    online.set(false);
    throw new Unreachable("The server does not answer.");
  }
  online.set(true);
  if (response.ok) return response;
  if (response.status === 401) {
    sessionStorage.removeItem(KEY);
    token.set(null);
  }
  const body: unknown = await response.json().catch(() => null);
  const problem = (body ?? {}) as { title?: unknown; detail?: unknown; run?: unknown };
  const detail = problem.detail ?? problem.title ?? `The server answered ${response.status}.`;
  throw new Problem(response.status, String(detail), typeof problem.run === "string" ? problem.run : null);
}

export async function load<T>(path: string, ask: Ask = {}): Promise<T> {
  const response = await send(path, ask);
  return (await response.json()) as T;
}

export interface StreamedEvent {
  id: string;
  data: string;
}

/** Reads `text/event-stream`. */
export async function* readStream(response: Response): AsyncGenerator<StreamedEvent> {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let id = "";
  let data: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + value).split("\n");
      rest = lines.pop() ?? "";
      for (const raw of lines) {
        const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
        if (line === "") {
          if (data.length > 0) yield { id, data: data.join("\n") };
          data = [];
        } else if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
        else if (line.startsWith("id:")) id = line.slice(3).trim();
        // Comments and other fields say nothing.
      }
    }
  } finally {
    void reader.cancel().catch(() => {});
  }
}

/** Pauses before the nth new attempt: half a second, then twice as long each time, at most 15 seconds. */
export function pause(attempt: number): Promise<void> {
  return new Promise((done) => setTimeout(done, Math.min(500 * 2 ** attempt, 15_000)));
}

export const message = (error: unknown): string => (error instanceof Error ? error.message : String(error));
