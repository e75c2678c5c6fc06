// What models and tools write is hostile: it may hide or reorder what a person reads.

const INVISIBLE =
  // Controls, separators, marks between the lines, and what Unicode says to draw as nothing: bidirectional marks, zero-width
  // characters, fillers and tags. Joiners and the two selectors of emoji stay.
  /(?![\u200c\u200d\ufe0e\ufe0f])[\p{Default_Ignorable_Code_Point}\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufff9-\ufffb]/gu;

/** Text of several lines: keeps line breaks and tabs. */
export function block(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(INVISIBLE, "");
}

/** Text that hides nothing: what hides or reorders text is written as an escape. */
export function exact(text: string): string {
  return text.replace(INVISIBLE, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
}

/** Text that is shown as one line, cut at `max` characters. */
export function oneLine(text: string, max = 160): string {
  // The cut comes first, because a text may have megabytes.
  const start = block(text.slice(0, max * 4)).replace(/\s+/g, " ").trim();
  return start.length > max ? `${start.slice(0, max - 1)}…` : start;
}

/** JSON as one line, such as the arguments of a call. */
export function jsonLine(value: unknown, max = 160): string {
  if (typeof value === "string") return oneLine(value, max);
  if (value === undefined || value === null) return "";
  return oneLine(JSON.stringify(value) ?? "", max);
}

export function plural(count: number, word: string): string {
  return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
}

export function duration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return "";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} m ${Math.round(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} m` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

export function dollars(cost: number | null | undefined): string {
  if (cost === null || cost === undefined) return "";
  if (cost === 0) return "$0";
  return cost < 1 ? `$${cost.toFixed(4)}` : `$${cost.toFixed(2)}`;
}

export function count(tokens: number): string {
  if (tokens < 10_000) return tokens.toLocaleString("en");
  return tokens < 1_000_000 ? `${(tokens / 1000).toFixed(1)}k` : `${(tokens / 1_000_000).toFixed(1)}M`;
}

export function bytes(count: number): string {
  if (count < 1000) return plural(count, "byte");
  if (count < 1_000_000) return `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)} kB`;
  return `${(count / 1_000_000).toFixed(1)} MB`;
}

/** The time of day, with the date if it is another day. */
export function moment(ms: number): string {
  const then = new Date(ms);
  const time = then.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
  if (then.toDateString() === new Date().toDateString()) return time;
  return `${then.toLocaleDateString("en-GB", { day: "numeric", month: "short" })}, ${time.slice(0, 5)}`;
}

export function ago(ms: number): string {
  const past = Date.now() - ms;
  if (past < 60_000) return "now";
  if (past < 3_600_000) return `${Math.floor(past / 60_000)} min ago`;
  if (past < 86_400_000) return `${Math.floor(past / 3_600_000)} h ago`;
  return new Date(ms).toLocaleDateString("en-GB", { day: "numeric", month: "short" });
}
