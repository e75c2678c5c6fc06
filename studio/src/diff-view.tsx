import { useMemo, useState } from "preact/hooks";
import { diffLines, differingPart, type DiffRow } from "./diff";
import { exact, plural } from "./text";

/** Equal lines that are shown around each change. */
const AROUND = 3;
/** Rows that are drawn before somebody asks for more. */
const FEW = 400;
const LONGEST_LINE = 2000;

interface Hidden {
  from: number;
  count: number;
}

interface DiffProps {
  before: string | null;
  after: string | null;
  titles: [string, string];
}

/** Two texts beside each other. Equal stretches are folded. */
export function DiffView({ before, after, titles }: DiffProps) {
  const rows = useMemo(() => diffLines(before, after), [before, after]);
  const [opened, setOpened] = useState<number[]>([]);
  const [shown, setShown] = useState(FEW);
  const parts = useMemo(() => folded(rows, opened), [rows, opened]);
  return (
    <div class="diff">
      <table>
        <thead>
          <tr>
            {titles.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {parts.slice(0, shown).map((part) =>
            "count" in part ? (
              <tr key={`hidden-${part.from}`}>
                <td class="diff-hidden" colSpan={2}>
                  <button type="button" class="quiet small" onClick={() => setOpened([...opened, part.from])}>
                    Show {plural(part.count, "equal line")}
                  </button>
                </td>
              </tr>
            ) : (
              <tr key={part.index} class={part.row.kind}>
                <Cell row={part.row} side="before" />
                <Cell row={part.row} side="after" />
              </tr>
            ),
          )}
        </tbody>
      </table>
      {parts.length > shown && (
        <button type="button" class="quiet small" onClick={() => setShown(shown + FEW * 2)}>
          Show more ({plural(parts.length - shown, "line")} left)
        </button>
      )}
    </div>
  );
}

type Part = { row: DiffRow; index: number } | Hidden;

/** Leaves out equal lines that are far from each change, unless somebody opened them. */
function folded(rows: DiffRow[], opened: number[]): Part[] {
  const near = new Set<number>();
  rows.forEach(({ kind }, index) => {
    if (kind === "same") return;
    for (let at = index - AROUND; at <= index + AROUND; at++) near.add(at);
  });
  const parts: Part[] = [];
  for (let index = 0; index < rows.length; ) {
    let to = index;
    while (to < rows.length && !near.has(to)) to++;
    // A button in place of one line would save nothing.
    if (to - index > 1 && !opened.includes(index)) {
      parts.push({ from: index, count: to - index });
      index = to;
      continue;
    }
    for (const end = Math.max(to, index + 1); index < end; index++) {
      const row = rows[index];
      if (row) parts.push({ row, index });
    }
  }
  return parts;
}

function Cell({ row, side }: { row: DiffRow; side: "before" | "after" }) {
  const text = row[side];
  if (text === null) return <td class="diff-none" />;
  const differs = row.kind !== "same";
  return (
    <td class={`diff-line ${side} ${differs ? "differs" : ""}`}>
      <span class="diff-mark">
        <span aria-hidden="true">{!differs ? "" : side === "before" ? "−" : "+"}</span>
        {differs && <span class="visually-hidden">{side === "before" ? "removed: " : "added: "}</span>}
      </span>
      <code>{row.kind === "changed" ? <Changed row={row} side={side} /> : exact(text.slice(0, LONGEST_LINE))}</code>
      {text.length > LONGEST_LINE && <span class="note"> … {plural(text.length - LONGEST_LINE, "more character")}</span>}
    </td>
  );
}

/** A line that took the place of another, with what is different in it. */
function Changed({ row, side }: { row: DiffRow; side: "before" | "after" }) {
  const text = row[side] ?? "";
  const { start, end } = differingPart(row.before ?? "", row.after ?? "");
  const part = text.slice(start, text.length - end);
  // Lines with little in common get no mark, because nearly all of their characters would be marked.
  if (part.length > text.length * 0.7) return <>{exact(text.slice(0, LONGEST_LINE))}</>;
  return (
    <>
      {exact(text.slice(0, start).slice(0, LONGEST_LINE))}
      {part && <mark>{exact(part.slice(0, LONGEST_LINE))}</mark>}
      {exact(text.slice(text.length - end).slice(0, LONGEST_LINE))}
    </>
  );
}
