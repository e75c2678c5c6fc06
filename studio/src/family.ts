import type { ConversationInfo } from "./types";

// A family is a conversation and its branches: `sums-abc123`, `sums-abc123.2` and so on.

export const baseOf = (name: string): string => name.replace(/\.\d+$/, "");

export interface Family {
  base: string;
  members: ConversationInfo[];
  /** The member that the list shows: one with an open run, or else the last updated one. */
  shown: ConversationInfo;
}

/** Groups conversations by family. `list` begins with the last updated one. */
export function families(list: ConversationInfo[]): Family[] {
  const found = new Map<string, ConversationInfo[]>();
  for (const info of list) {
    const base = baseOf(info.name);
    found.set(base, [...(found.get(base) ?? []), info]);
  }
  return [...found].map(([base, members]) => ({ base, members, shown: shownOf(members) }));
}

// A waiting run comes first, because it needs the user.
function shownOf(members: ConversationInfo[]): ConversationInfo {
  const waiting = members.find(({ run }) => run?.state === "waiting");
  return waiting ?? members.find(({ run }) => run !== null) ?? members[0]!;
}

/** The origin of a branch: it began with the first `start` messages of the conversation `from`. */
interface Cut {
  from: string;
  start: number;
}

// The server does not store the origin of a branch, and messages do not show it if a second try gets an equal answer. So the
// page remembers the origins of the branches that it makes.
const memory = (name: string) => `agent-dev-cut:${name}`;
export const rememberCut = (name: string, cut: Cut) => localStorage.setItem(memory(name), JSON.stringify(cut));
export const forgetCut = (name: string) => localStorage.removeItem(memory(name));

export function cutOf(name: string): Cut | null {
  const text = localStorage.getItem(memory(name));
  return text === null ? null : (JSON.parse(text) as Cut);
}

/** The conversation in which the turn of `name` at `start` was asked: the nearest ancestor that was not cut after it. */
export function ownerOf(name: string, start: number): string {
  const cut = cutOf(name);
  return cut === null || cut.start <= start ? name : ownerOf(cut.from, start);
}
