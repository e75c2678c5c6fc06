import { message, pause, Problem, readStream, send } from "./api";
import { EventLog, type RunEvent } from "./events";
import { Store } from "./store";
import { notice } from "./studio";

/** Follows the events of one run, whatever happens to the connection. */
export class Follower {
  readonly log = new EventLog();
  /** Counts what has changed: the log itself is changed in place. */
  readonly changed = new Store(0);
  problem: string | null = null;
  #lastId: string | null = null;
  #busy = false;
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** The time of the last drawing. */
  #drawn = -Infinity;

  constructor(
    readonly run: string,
    readonly agent: string,
    private readonly onEnd: () => void,
  ) {}

  get state() {
    return this.log.folded.state;
  }

  /** Reads `first` if there is one, then asks for the rest until the run has ended or waits. */
  async follow(first: Response | null = null): Promise<void> {
    if (this.#busy) {
      void first?.body?.cancel();
      return;
    }
    this.#busy = true;
    this.problem = null;
    let response = first;
    for (let attempt = 0; ; ) {
      try {
        response ??= await send(`/api/runs/${encodeURIComponent(this.run)}/events`, { lastId: this.#lastId });
        if (await this.#read(response)) break;
        attempt = 0;
      } catch (error) {
        // A server that is in trouble is asked again, as one that is gone.
        if (error instanceof Problem && error.status < 500) {
          this.problem = error.message;
          break;
        }
        // Anything else is a connection that was cut off.
      }
      response = null;
      await pause(attempt++);
    }
    this.#busy = false;
    this.#redraw();
    this.onEnd();
  }

  /** Whether the stream ended with an event that ends a stream. */
  async #read(response: Response): Promise<boolean> {
    let ended = false;
    for await (const { id, data } of readStream(response)) {
      let event: RunEvent;
      try {
        event = JSON.parse(data) as RunEvent;
      } catch {
        continue;
      }
      if (id) this.#lastId = id;
      this.log.push(id, event);
      ended = ["finished", "waiting", "failed", "cancelled"].includes(event.type);
      this.#redrawSoon();
    }
    return ended;
  }

  // Tokens may arrive by the hundred in a second: draw at most 20 times, and a long text less often, because all of it is drawn
  // anew. The first one after a while is drawn at once.
  #redrawSoon(): void {
    if (this.#timer !== null) return;
    const last = this.log.folded.scope.items.at(-1);
    const length = last && "text" in last ? last.text.length : 0;
    const next = this.#drawn + Math.max(50, length / 200);
    this.#timer = setTimeout(() => this.#redraw(), Math.max(0, next - performance.now()));
  }

  #redraw(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#drawn = performance.now();
    this.changed.set(this.changed.get() + 1);
  }
}

const followers = new Map<string, Follower>();

/** The follower of a run. There is one for each, so that views can come and go. */
export function followerOf(run: string, agent: string, onEnd: () => void): Follower {
  const known = followers.get(run);
  if (known) return known;
  const made = new Follower(run, agent, onEnd);
  followers.set(run, made);
  return made;
}

export type Decision =
  | { type: "approve" }
  | { type: "edit"; args: unknown }
  | { type: "deny"; reason: string };

/** Null, or what went wrong in words for the person. */
export async function decide(run: string, call: string, decision: Decision): Promise<string | null> {
  const path = `/api/runs/${encodeURIComponent(run)}/decisions`;
  const follower = followers.get(run);
  try {
    const response = await send(path, { body: { decisions: { [call]: decision } } });
    if (follower) void follower.follow(response);
    else void response.body?.cancel();
    return null;
  } catch (error) {
    if (error instanceof Problem && error.status === 409) {
      // Somebody was faster: show what became of it.
      if (follower) void follower.follow();
      // The card is about to go, so the words stand above all views.
      notice.set("This call was already decided, in another tab or by another person.");
      return null;
    }
    return message(error);
  }
}

export async function stop(run: string): Promise<void> {
  await send(`/api/runs/${encodeURIComponent(run)}/stop`, { body: {} });
}

export async function say(run: string, text: string): Promise<void> {
  await send(`/api/runs/${encodeURIComponent(run)}/say`, { body: { message: text } });
}

