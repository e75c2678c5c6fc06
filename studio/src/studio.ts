import { load, message, pause, Problem, send, token } from "./api";
import { Store } from "./store";
import type { ConversationInfo, RunInfo, State, Waiting } from "./types";

// What every view shares, and how it is kept up to date.

export const studio = new Store<State | null>(null);
/** The version whose change the banner still tells about. */
export const changed = new Store<number | null>(null);
export const waiting = new Store<Waiting[]>([]);
export const conversations = new Store<ConversationInfo[] | null>(null);
export const runs = new Store<RunInfo[] | null>(null);
/** Something that happened elsewhere and that the person should know. */
export const notice = new Store<string | null>(null);
export const failure = new Store<string | null>(null);

/** The number of errors in all documents. */
export function errorsOf(state: State | null): number {
  return state?.documents.reduce((sum, { errors }) => sum + errors, 0) ?? 0;
}

// A browser has six connections to a server: tabs in the background must not hold them.
function visible(): Promise<void> {
  if (!document.hidden) return Promise.resolve();
  return new Promise((done) => document.addEventListener("visibilitychange", () => done(), { once: true }));
}

/** Loads the state, then again whenever the documents change. */
export async function watchDocuments(): Promise<void> {
  for (let attempt = 0; token.get() !== null; ) {
    try {
      await visible();
      const known = studio.get();
      if (known === null) studio.set(await load<State>("/studio/state"));
      else {
        const response = await send(`/studio/changes?after=${known.version}`);
        if (response.status === 200) {
          const state = await load<State>("/studio/state");
          const before = studio.get() ?? known;
          studio.set(state);
          if (!haveSameDocuments(before, state)) changed.set(state.version);
        }
      }
      failure.set(null);
      attempt = 0;
    } catch (error) {
      // An old server, or one that is gone: both are asked again later.
      if (error instanceof Problem) failure.set(message(error));
      await pause(attempt++);
    }
  }
}

/** Loads the state at once after the page has changed it. */
export async function refreshState(): Promise<void> {
  studio.set(await load<State>("/studio/state"));
}

/** Whether two states differ at most in the models and settings that this page has set. */
function haveSameDocuments(...states: [State, State]): boolean {
  const set = new Set(states.flatMap(({ agents }) => agents.filter(({ changed }) => changed).map(({ name }) => name)));
  const texts = states.map(({ agents, tools, documents, findings, problem }) => {
    const own = agents.map(({ model, settings, changed: _, ...agent }) =>
      set.has(agent.name) ? agent : { ...agent, model, settings },
    );
    return JSON.stringify([own, tools, documents, findings, problem]);
  });
  return texts[0] === texts[1];
}

// A failed poll changes nothing: the banner says that the server is gone, and the next poll follows.
async function refresh<T>(store: Store<T>, path: string): Promise<void> {
  try {
    const value = await load<T>(path);
    // Equal answers must not draw the page again.
    if (JSON.stringify(value) !== JSON.stringify(store.get())) store.set(value);
  } catch (error) {
    if (error instanceof Problem && error.status !== 401) failure.set(message(error));
  }
}

export const refreshWaiting = () => refresh(waiting, "/api/waiting");
export const refreshConversations = () => refresh<ConversationInfo[] | null>(conversations, "/api/conversations");
export const refreshRuns = () => refresh<RunInfo[] | null>(runs, "/studio/runs");

/** After something has ended, begun or been decided. */
export function refreshAll(): void {
  void refreshWaiting();
  void refreshConversations();
  if (runs.get() !== null) void refreshRuns();
}
