import { load, message, Problem, send } from "./api";
import { beginsTurn, turnsOf, type Scope } from "./events";
import { baseOf, forgetCut, rememberCut } from "./family";
import { followerOf, say, type Follower } from "./follow";
import { nameOf, remember, tooLarge, withBytes } from "./media";
import { Store } from "./store";
import { refreshAll } from "./studio";
import type { Conversation, Message, Part, RunDetail, RunInfo } from "./types";

/** What the user said, and what was answered: stored, or followed while it happens. */
export interface Turn {
  said: string | null;
  media: Part[];
  args: unknown;
  scope: Scope | null;
  follower: Follower | null;
  /** The index of its first message in the conversation. */
  start: number;
  /** Whether the conversation has its messages; those of a failed run are not stored. Null until the server has told. */
  stored: boolean | null;
}

export type Question = { message: string; parts: Part[] } | { arguments: unknown };

/** The element that gets the focus when a conversation is shown: the composer, or a button of a version switcher. */
export type Arrival = "composer" | { start: number; button: "previous" | "next" };

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
  arrival: Arrival | null = null;

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
      const found = await load<Conversation>(this.#path);
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
    if (this.problem === null && this.live === null) await this.#showFailed();
    this.loaded = true;
    this.#redraw();
  }

  #follow(run: string, agent: string): Follower {
    const follower = followerOf(run, agent, () => {
      refreshAll();
      this.#redraw();
      if (follower.state !== "waiting" && !follower.problem) void this.#locate(follower);
    });
    return follower;
  }

  /** The events of the open run come from its beginning, so its own messages are left out. */
  #showStored(follower: Follower): void {
    const question = Math.max(this.#stored.findLastIndex(beginsTurn), 0);
    const before = storedTurns(this.#stored.slice(0, question));
    const [asked] = storedTurns(this.#stored.slice(question, question + 1));
    const turn = { said: null, media: [], args: undefined, ...asked, scope: null, follower, start: question, stored: true };
    this.turns = [...before, turn];
  }

  /** Adds the last turn if its run failed: such a run is in the journal, and its messages are not in the conversation. */
  async #showFailed(): Promise<void> {
    try {
      const last = (await load<RunInfo[]>("/studio/runs")).find(({ conversation }) => conversation === this.name);
      if (last?.state !== "failed") return;
      const { steps } = await load<RunDetail>(`/studio/runs/${encodeURIComponent(last.run)}`);
      const said = steps.find(({ kind }) => kind === "said")?.text ?? null;
      const follower = this.#follow(last.run, last.agent);
      this.turns.push({ said, media: [], args: undefined, scope: null, follower, start: this.#stored.length, stored: false });
      void follower.follow();
    } catch (error) {
      this.problem = message(error);
    }
  }

  /** Reads from the server whether the turn of a run that has ended is stored, and at which index. */
  async #locate(follower: Follower): Promise<void> {
    try {
      // A conversation whose only run failed does not exist, and asking for it would be an error in the browser's console.
      const exists = follower.state !== "failed" || this.#stored.length > 0;
      if (exists) this.#stored = (await load<Conversation>(this.#path)).messages;
    } catch {
      return;
    }
    const at = this.turns.findIndex((turn) => turn.follower === follower);
    const turn = this.turns[at];
    if (!turn) return;
    const before = this.turns.slice(0, at).findLast(({ stored }) => stored)?.start ?? -1;
    const found = turnsOf(this.#stored).find(({ start }) => start > before);
    turn.stored = found !== undefined;
    turn.start = found?.start ?? turn.start;
    this.#redraw();
  }

  get #path(): string {
    return `/api/conversations/${encodeURIComponent(this.name)}`;
  }

  /** Sends what the user says: as a new turn, or to the run that goes on. */
  async send(agent: string, question: Question): Promise<boolean> {
    const live = this.live;
    this.problem = "message" in question ? tooLarge(question.message, question.parts) : null;
    if (this.problem !== null) {
      this.#redraw();
      return false;
    }
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
        media: "message" in question ? question.parts : [],
        args: "arguments" in question ? question.arguments : undefined,
        scope: null,
        follower: null,
        start: this.#stored.length,
        stored: null,
      };
      this.turns.push(turn);
      this.loaded = true;
      this.#redraw();
      const path = `/api/${encodeURIComponent(agent)}/runs`;
      const response = await send(path, { body: { ...bodyOf(question), conversation: this.name } });
      const follower = this.#follow(response.headers.get("x-run-id") ?? "", agent);
      turn.follower = follower;
      void follower.follow(response);
      void remember(turn.media);
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

  /**
   * Sends a question in place of that of a turn, in a new branch that has the messages before the turn. Returns the name of the
   * branch.
   *
   * Throws an `Error` whose message is for the user.
   */
  async askInstead(agent: string, turn: Turn, question: Question): Promise<string> {
    const whole = await this.#withBytes(question);
    if (!turn.stored) {
      // A branch would have all stored messages, because none of this turn is stored. The conversation itself serves as well.
      this.turns = this.turns.filter((other) => other !== turn);
      if (await this.send(agent, whole)) return this.name;
      this.turns.push(turn);
      throw this.#takeProblem();
    }
    const path = `/studio/conversations/${encodeURIComponent(this.name)}/branches`;
    const { name } = await load<{ name: string }>(path, { body: { messages: turn.start } });
    const version = talkOf(name);
    // A branch without messages does not exist before its first run begins.
    if (turn.start > 0) await version.load();
    rememberAgent(name, agent);
    rememberCut(name, { from: this.name, start: turn.start });
    if (await version.send(agent, whole)) return name;
    forget(name);
    if (turn.start > 0) await send(version.#path, { method: "DELETE" }).catch(() => {});
    throw version.#takeProblem();
  }

  /** Loads the bytes of stored media, because the server accepts no part that has only a digest. */
  async #withBytes(question: Question): Promise<Question> {
    if (!("parts" in question)) return question;
    const parts = await Promise.all(question.parts.map((part) => withBytes(part, this.name)));
    const missing = parts.find(({ data, url }) => !data && !url);
    if (missing) {
      throw new Error(`The server no longer has “${nameOf(missing)}”. Edit the message, and attach the file again.`);
    }
    return { ...question, parts };
  }

  #takeProblem(): Error {
    const problem = new Error(this.problem ?? "The server does not answer.");
    this.problem = null;
    return problem;
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
  turnsOf(messages).map((turn) => ({ ...turn, args: undefined, follower: null, stored: true }));

function bodyOf(question: Question): object {
  if ("arguments" in question) return question;
  const { message, parts } = question;
  return { ...(message !== "" && { message }), ...(parts.length > 0 && { parts }) };
}

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
  forgetCut(name);
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
  const words = baseOf(name).replace(/-[a-z0-9]{6}$/, "").replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

// The list of conversations does not say whose they are, so the page remembers it.
const memory = (name: string) => `agent-dev-agent:${name}`;
export const rememberAgent = (name: string, agent: string) => localStorage.setItem(memory(name), agent);
export const rememberedAgent = (name: string): string | null => localStorage.getItem(memory(name));
