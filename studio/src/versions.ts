import { useEffect, useState } from "preact/hooks";
import { load } from "./api";
import { beginsTurn } from "./events";
import { baseOf, cutOf, ownerOf } from "./family";
import { useStore } from "./store";
import { conversations } from "./studio";
import type { Branch, Conversation, ConversationInfo, Message } from "./types";

/** The versions of one turn, each by the name of the last updated conversation that has it. */
export interface Choice {
  /** The index of the first message of the turn. */
  start: number;
  names: string[];
  /** The index of the version that is shown. */
  at: number;
}

/** The branches of a conversation, and the turns in which they differ from it. */
export class Versions {
  readonly #knowsCuts: boolean;
  readonly #own: Branch;

  constructor(
    name: string,
    private branches: Branch[],
    /** The messages of the other branches, if they are needed to compare two of them. */
    private readonly messages: Map<string, Message[]>,
  ) {
    this.#knowsCuts = knowsCuts(branches);
    const own = branches.find((branch) => branch.name === name);
    this.#own = own ?? { name, updated: 0, messages: 0, shared: 0 };
    // The server does not list a branch whose first run has not ended.
    if (!own) this.branches = [...branches, this.#own];
  }

  /** The versions of the turn with the messages from `start` to before `end`. Null if there is only one. */
  of(start: number, end: number | null): Choice | null {
    const own = this.#own;
    const shownEnd = end ?? Math.max(own.messages, start + 1);
    const shown = own.messages > start ? "shown" : ENDS;
    const groups = new Map<string, Branch[]>();
    for (const branch of this.branches) {
      if (branch !== own && branch.shared < start) continue;
      const isSame = branch.shared >= shownEnd && this.#owner(branch.name, start) === this.#owner(own.name, start);
      const other = branch.messages > start ? this.#turn(branch.name, start) : ENDS;
      const key = branch === own || isSame ? shown : other;
      groups.set(key, [...(groups.get(key) ?? []), branch]);
    }
    if (groups.size < 2) return null;
    const names = [...groups.values()].map((group) => group.reduce((a, b) => (b.updated > a.updated ? b : a)).name);
    return { start, names, at: [...groups.keys()].indexOf(shown) };
  }

  /** The versions of the turn after the last message, which this branch does not have. */
  after(): Choice | null {
    return this.of(this.#own.messages, null);
  }

  /** A key that is equal for conversations with the same version of a turn: its owner, or else its text. */
  #turn(name: string, start: number): string {
    const messages = this.messages.get(name);
    if (!messages) return this.#owner(name, start) || name;
    const end = messages.findIndex((message, index) => index > start && beginsTurn(message));
    return JSON.stringify(messages.slice(start, end < 0 ? undefined : end));
  }

  /** Empty if this page did not make all branches: then the messages are compared. */
  #owner(name: string, start: number): string {
    return this.#knowsCuts ? ownerOf(name, start) : "";
  }
}

/** The key of branches that end before a turn. */
const ENDS = "ends";

const messagesOf = new Map<string, { updated: number; messages: Message[] }>();

async function loadMessages({ name, updated }: Branch): Promise<[string, Message[]]> {
  let known = messagesOf.get(name);
  if (known?.updated !== updated) {
    const { messages } = await load<Conversation>(`/api/conversations/${encodeURIComponent(name)}`);
    messagesOf.set(name, (known = { updated, messages }));
  }
  return [name, known.messages];
}

async function loadVersions(name: string): Promise<Versions> {
  const { branches } = await load<{ branches: Branch[] }>(`/studio/conversations/${encodeURIComponent(name)}/branches`);
  const others = branches.filter((branch) => branch.name !== name && branch.messages > 0);
  const alike = others.length > 1 && !knowsCuts(branches);
  const messages = alike ? await Promise.all(others.map(loadMessages)) : [];
  return new Versions(name, branches, new Map(messages));
}

const knowsCuts = (branches: Branch[]): boolean =>
  branches.every(({ name }) => name === baseOf(name) || cutOf(name) !== null);

const known = new Map<string, Versions>();

/** Loads the versions of a conversation whenever its family changes. Null without branches. */
export function useVersions(name: string | null): Versions | null {
  const list = useStore(conversations) ?? [];
  const family = name === null ? [] : list.filter((info) => baseOf(info.name) === baseOf(name));
  const [, redraw] = useState(0);
  useEffect(() => {
    if (name === null || family.length < 2) return;
    let wanted = true;
    loadVersions(name).then(
      (versions) => {
        known.set(name, versions);
        if (wanted) redraw((n) => n + 1);
      },
      // A failed request leaves the versions of the last one.
      () => {},
    );
    return () => {
      wanted = false;
    };
  }, [name, family.map(stamp).sort().join()]);
  return name !== null && family.length > 1 ? (known.get(name) ?? null) : null;
}

const stamp = ({ name, updated, messages, run }: ConversationInfo) => `${name} ${updated} ${messages} ${run?.state}`;
