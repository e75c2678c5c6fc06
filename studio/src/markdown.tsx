import type { ComponentChildren, VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { CheckIcon, CopyIcon } from "./icons";
import { block } from "./text";

// A subset of Markdown as text nodes and a few elements. HTML stays text, and nothing is loaded.

const DEEPEST = 6;
const LONGEST = 100_000;

/** `top` is the level of the first heading: the page has some of its own above it. */
export function Markdown({ text, top = 2 }: { text: string; top?: number }) {
  const drawn = useMemo(() => {
    const clean = block(text);
    // What is longer than a book chapter is shown as it is.
    return clean.length > LONGEST ? <pre class="plain">{clean}</pre> : blocks(clean.split("\n"), 0, new Headings(top));
  }, [text, top]);
  return <div class="prose">{drawn}</div>;
}

const FENCE = /^ {0,3}(`{3,}|~{3,}) *([^`\s]*)/;
const HEADING = /^(#{1,6}) +(.*)$/;
const RULE = /^ {0,3}([-*_])( *\1){2,} *$/;
const LIST = /^( *)([-*+]|\d{1,9}[.)]) +(.*)$/;
const DIVIDER = /^ *\|?( *:?-+:? *\|)+( *:?-+:? *)?$/;

/** Levels without gaps, whichever ones the model uses. */
class Headings {
  #offset: number | null = null;
  #last: number;

  constructor(private top: number) {
    this.#last = top - 1;
  }

  level(written: number): number {
    this.#offset ??= this.top - written;
    this.#last = Math.min(Math.max(written + this.#offset, this.top), this.#last + 1, 6);
    return this.#last;
  }
}

function blocks(lines: string[], depth: number, headings: Headings): ComponentChildren[] {
  const found: ComponentChildren[] = [];
  let at = 0;
  const line = (index: number) => lines[index] ?? "";
  while (at < lines.length) {
    const fence = FENCE.exec(line(at));
    const heading = HEADING.exec(line(at));
    if (line(at).trim() === "") at++;
    else if (fence) {
      const mark = fence[1] ?? "```";
      let end = at + 1;
      // A fence that is still being written ends with the text.
      while (end < lines.length && !line(end).trimStart().startsWith(mark)) end++;
      found.push(<Code language={fence[2] ?? ""} text={lines.slice(at + 1, end).join("\n")} />);
      at = end + 1;
    } else if (heading) {
      const Level = `h${headings.level(heading[1]?.length ?? 1)}` as "h3";
      found.push(<Level>{inline(heading[2] ?? "", 0)}</Level>);
      at++;
    } else if (RULE.test(line(at))) {
      found.push(<hr />);
      at++;
    } else if (line(at).startsWith(">") && depth < DEEPEST) {
      const start = at;
      while (at < lines.length && line(at).startsWith(">")) at++;
      const inner = lines.slice(start, at).map((quoted) => quoted.replace(/^> ?/, ""));
      found.push(<blockquote>{blocks(inner, depth + 1, headings)}</blockquote>);
    } else if (LIST.test(line(at)) && depth < DEEPEST) {
      const end = listEnd(lines, at);
      found.push(list(lines.slice(at, end), depth, headings));
      at = end;
    } else if (line(at).includes("|") && DIVIDER.test(line(at + 1))) {
      const start = at;
      at += 2;
      while (at < lines.length && line(at).includes("|")) at++;
      found.push(table(line(start), line(start + 1), lines.slice(start + 2, at)));
    } else {
      const start = at++;
      while (at < lines.length && line(at).trim() !== "" && !begins(line(at))) at++;
      found.push(<p>{inline(lines.slice(start, at).join("\n"), 0)}</p>);
    }
  }
  return found;
}

const begins = (line: string) => FENCE.test(line) || HEADING.test(line) || LIST.test(line) || line.startsWith(">");
const indent = (line: string) => line.length - line.trimStart().length;

function listEnd(lines: string[], start: number): number {
  const base = indent(lines[start] ?? "");
  let at = start + 1;
  for (; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (line.trim() === "") {
      const next = lines[at + 1] ?? "";
      if (!LIST.test(next) && indent(next) <= base) break;
    } else if (!LIST.test(line) && indent(line) <= base) break;
    else if (indent(line) < base) break;
  }
  return at;
}

function list(lines: string[], depth: number, headings: Headings): VNode {
  const base = indent(lines[0] ?? "");
  const first = LIST.exec(lines[0] ?? "");
  const ordered = /\d/.test(first?.[2] ?? "");
  const items: string[][] = [];
  for (const line of lines) {
    const entry = LIST.exec(line);
    if (entry && indent(line) <= base + 1) items.push([entry[3] ?? ""]);
    else items.at(-1)?.push(line.slice(Math.min(indent(line), base + 2)));
  }
  const drawn = items.map((item) => {
    const [text = "", ...rest] = item;
    return (
      <li>
        {inline(text, 0)}
        {blocks(rest, depth + 1, headings)}
      </li>
    );
  });
  return ordered ? <ol start={Number.parseInt(first?.[2] ?? "1", 10)}>{drawn}</ol> : <ul>{drawn}</ul>;
}

function cells(row: string): string[] {
  const inner = row.trim().replace(/^\|/, "").replace(/\|$/, "");
  return inner.split("|").slice(0, 40);
}

function table(head: string, divider: string, rows: string[]): VNode {
  // `---:` puts a column of numbers to the right.
  const ends = cells(divider).map((cell) => /-:$/.test(cell.trim()) && !cell.trim().startsWith(":"));
  const side = (column: number) => (ends[column] ? "end" : undefined);
  return (
    <div class="table" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>{cells(head).map((cell, at) => <th scope="col" class={side(at)}>{inline(cell.trim(), 0)}</th>)}</tr>
        </thead>
        <tbody>
          {rows.map((row) => <tr>{cells(row).map((cell, at) => <td class={side(at)}>{inline(cell.trim(), 0)}</td>)}</tr>)}
        </tbody>
      </table>
    </div>
  );
}

function inline(text: string, depth: number): ComponentChildren[] {
  // Looking for the ends of marks takes the square of the length at worst.
  if (text.length > 20_000) return [text];
  const found: ComponentChildren[] = [];
  // Marks without an end: they are looked for once, so that a text of many marks stays fast.
  const missing = new Set<string>();
  let plain = "";
  let at = 0;
  const flush = () => {
    if (plain) found.push(plain);
    plain = "";
  };
  const closing = (mark: string, from: number): number => {
    if (missing.has(mark)) return -1;
    const end = text.indexOf(mark, from);
    if (end < 0) missing.add(mark);
    return end;
  };
  while (at < text.length) {
    const char = text[at] ?? "";
    const rest = text.length - at;
    if (char === "\\" && rest > 1 && /[!-/:-@[-`{-~]/.test(text[at + 1] ?? "")) {
      plain += text[at + 1];
      at += 2;
      continue;
    }
    if (char === "`") {
      const mark = /^`+/.exec(text.slice(at, at + 8))?.[0] ?? "`";
      const end = closing(mark, at + mark.length);
      if (end > 0) {
        flush();
        found.push(<code>{text.slice(at + mark.length, end).trim()}</code>);
        at = end + mark.length;
        continue;
      }
    }
    if ((char === "*" || char === "_") && depth < DEEPEST) {
      const mark = text[at + 1] === char ? char + char : char;
      const inWord = char === "_" && /\w/.test(text[at - 1] ?? "");
      const opens = !inWord && /\S/.test(text[at + mark.length] ?? "");
      const end = opens ? closing(mark, at + mark.length + 1) : -1;
      if (end > 0 && /\S/.test(text[end - 1] ?? "")) {
        flush();
        const inner = inline(text.slice(at + mark.length, end), depth + 1);
        found.push(mark.length === 2 ? <strong>{inner}</strong> : <em>{inner}</em>);
        at = end + mark.length;
        continue;
      }
      plain += mark;
      at += mark.length;
      continue;
    }
    // An image is never loaded: it becomes a link to where it is.
    const image = char === "!" && text[at + 1] === "[";
    if ((char === "[" || image) && depth < DEEPEST) {
      const middle = closing("](", at + 1);
      const end = middle > 0 ? closingBracket(text, middle + 2) : -1;
      if (end > 0 && middle - at < 1000 && end - middle < 3000) {
        flush();
        const label = image ? `image ${text.slice(at + 2, middle)}` : text.slice(at + 1, middle);
        const address = (text.slice(middle + 2, end).trim().split(/\s/)[0] ?? "").replace(/^<|>$/g, "");
        found.push(link(address, inline(label, DEEPEST)));
        at = end + 1;
        continue;
      }
    }
    if (char === "h" && /^https?:\/\//.test(text.slice(at, at + 8)) && !/\w/.test(text[at - 1] ?? "")) {
      const address = (/^[^\s<>"'`]+/.exec(text.slice(at, at + 3000))?.[0] ?? "").replace(/[.,;:!?)\]]+$/, "");
      flush();
      found.push(link(address, [address]));
      at += Math.max(address.length, 1);
      continue;
    }
    plain += char;
    at++;
  }
  flush();
  return found;
}

/** Where an address ends, which may have brackets of its own. */
function closingBracket(text: string, from: number): number {
  let open = 1;
  for (let at = from; at < text.length && at < from + 3000; at++) {
    if (text[at] === "(") open++;
    else if (text[at] === ")" && --open === 0) return at;
  }
  return -1;
}

/** A link says where it leads, because its label may lie. */
function link(address: string, label: ComponentChildren[]): ComponentChildren {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return label;
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") return label;
  const bare = label.length === 1 && label[0] === address;
  return (
    <a href={url.href} target="_blank" rel="noopener noreferrer" title={url.href}>
      {label}
      {!bare && <span class="host"> ({url.host})</span>}
    </a>
  );
}

function Code({ language, text }: { language: string; text: string }) {
  return (
    <figure class="fence">
      <figcaption>
        <span>{language || "text"}</span>
        <Copy text={text} />
      </figcaption>
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </figure>
  );
}

export function Copy({ text }: { text: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      setTimeout(() => setCopied(false), 1500);
    } catch {
      // Without permission nothing is copied, and the text can still be selected.
    }
  };
  return (
    <button type="button" class="quiet small" onClick={copy}>
      {copied ? <CheckIcon /> : <CopyIcon />}
      <span>{copied ? "Copied" : "Copy"}</span>
    </button>
  );
}
