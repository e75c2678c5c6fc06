import { load, message, Problem, send } from "./api";
import { contentText, turnsOf, type Scope } from "./events";
import { followerOf, say, type Follower } from "./follow";
import { Store } from "./store";
import { refreshAll } from "./studio";
import type { Conversation, Message } from "./types";

/** What the user said, and what was answered: stored, or followed while it happens. */
export interface Turn {
  said: string | null;
  args: unknown;
  scope: Scope | null;
  follower: Follower | null;
}

export type Question = { message: string } | { arguments: unknown };

/** A conversation that is shown. It outlives its view, so that one can look elsewhere meanwhile. */
export class Talk {
  readonly changed = new Store(0);
  turns: Turn[] = [];
  /** Stored messages of the run that goes on: its events say which of them it brings again. */
  #stored: Message[] = [];
  /** Messages for the model that no event has confirmed. */
  queued: string[] = [];
  loaded = false;
  sending = false;
  problem: string | null = null;

  constructor(readonly name: string) {}

  get live(): Follower | null {
    const follower = this.turns.at(-1)?.follower ?? null;
    return follower && ["running", "waiting"].includes(follower.state) && !follower.problem ? follower : null;
  }

  get lastRun(): string | null {
    return this.turns.findLast((turn) => turn.follower)?.follower?.run ?? null;
  }

  async load(): Promise<void> {
    try {
      const found = await load<Conversation>(`/api/conversations/${encodeURIComponent(this.name)}`);
      this.#stored = found.messages;
      if (found.run) {
        const follower = this.#follow(found.run.run, found.run.agent);
        this.#showStored(follower);
        void follower.follow();
      } else this.turns = storedTurns(found.messages);
      this.problem = null;
    } catch (error) {
      // A conversation without a message is not stored yet.
      if (!(error instanceof Problem && error.status === 404)) this.problem = message(error);
    }
    this.loaded = true;
    this.#redraw();
  }

  #follow(run: string, agent: string): Follower {
    const follower = followerOf(run, agent, () => {
      refreshAll();
      this.#redraw();
    });
    return follower;
  }

  /** The events of the open run come from its beginning, so its own messages are left out. */
  #showStored(follower: Follower): void {
    const asked = this.#stored.findLastIndex(({ role }) => role === "user");
    const steered = steeredTexts(follower);
    const first = this.#stored.findLastIndex(
      ({ role, content }) => role === "user" && !steered.has(contentText(content)),
    );
    const question = first >= 0 ? first : asked;
    const said = question >= 0 ? contentText(this.#stored[question]?.content) : null;
    this.turns = [
      ...storedTurns(this.#stored.slice(0, Math.max(question, 0))),
      { said, args: undefined, scope: null, follower },
    ];
  }

  /** Sends what the user says: as a new turn, or to the run that goes on. */
  async send(agent: string, question: Question): Promise<boolean> {
    this.problem = null;
    const live = this.live;
    try {
      if (live && "message" in question) {
        this.queued.push(question.message);
        this.#redraw();
        await say(live.run, question.message);
        return true;
      }
      this.queued = [];
      this.sending = true;
      const turn: Turn = {
        said: "message" in question ? question.message : null,
        args: "arguments" in question ? question.arguments : undefined,
        scope: null,
        follower: null,
      };
      this.turns.push(turn);
      this.loaded = true;
      this.#redraw();
      const path = `/api/${encodeURIComponent(agent)}/runs`;
      const response = await send(path, { body: { ...question, conversation: this.name } });
      const follower = this.#follow(response.headers.get("x-run-id") ?? "", agent);
      turn.follower = follower;
      void follower.follow(response);
      return true;
    } catch (error) {
      if (live) this.queued.pop();
      else this.turns.pop();
      // 409: the conversation has a run of another tab. Show it.
      if (error instanceof Problem && error.status === 409) await this.load();
      this.problem = message(error);
      return false;
    } finally {
      this.sending = false;
      this.#redraw();
      refreshAll();
    }
  }

  /** The queued messages that the run has not got. */
  undelivered(): string[] {
    const follower = this.turns.at(-1)?.follower;
    const steered = follower ? steeredTexts(follower) : new Set<string>();
    return this.queued.filter((text) => !steered.has(text));
  }

  #redraw(): void {
    this.changed.set(this.changed.get() + 1);
  }
}

const storedTurns = (messages: Message[]): Turn[] =>
  turnsOf(messages).map(({ said, scope }) => ({ said, args: undefined, scope, follower: null }));

function steeredTexts(follower: Follower): Set<string> {
  const items = follower.log.folded.scope.items;
  return new Set(items.flatMap((item) => (item.kind === "said" ? [item.text] : [])));
}

const talks = new Map<string, Talk>();

export function talkOf(name: string): Talk {
  let talk = talks.get(name);
  if (!talk) talks.set(name, (talk = new Talk(name)));
  return talk;
}

export function forget(name: string): void {
  talks.delete(name);
}

/** A name made from the first words, which the server accepts and which is not taken. */
export function newName(words: string): string {
  // `readReceipt` is two words.
  const apart = words.replace(/([a-z])([A-Z])/g, "$1 $2");
  const start = apart.toLowerCase().match(/[a-z0-9]+/g)?.slice(0, 6).join("-").slice(0, 40) || "conversation";
  const random = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  return `${start}-${random.toString(36).padStart(6, "0").slice(-6)}`;
}

export function titleOf(name: string): string {
  const words = name.replace(/-[a-z0-9]{6}$/, "").replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

// The list of conversations does not say whose they are, so the page remembers it.
const memory = (name: string) => `agent-dev-agent:${name}`;
export const rememberAgent = (name: string, agent: string) => localStorage.setItem(memory(name), agent);
export const rememberedAgent = (name: string): string | null => localStorage.getItem(memory(name));
