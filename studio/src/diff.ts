// Compares two texts line by line.

/** A line of the first text, of the second, or of both. */
export interface DiffRow {
  kind: "same" | "removed" | "added" | "changed";
  before: string | null;
  after: string | null;
}

/** Texts with more different lines than this are not compared line by line: all that lies between counts as changed. */
const MOST_CHANGES = 2000;

/** Null is a text that does not exist, which has not even an empty line. */
export function diffLines(before: string | null, after: string | null): DiffRow[] {
  const one = before?.split("\n") ?? [];
  const two = after?.split("\n") ?? [];
  let start = 0;
  while (start < one.length && start < two.length && one[start] === two[start]) start++;
  let end = 0;
  while (end < one.length - start && end < two.length - start && one.at(-1 - end) === two.at(-1 - end)) end++;
  const same = (lines: string[]): DiffRow[] => lines.map((line) => ({ kind: "same", before: line, after: line }));
  return [
    ...same(one.slice(0, start)),
    ...middle(one.slice(start, one.length - end), two.slice(start, two.length - end)),
    ...same(one.slice(one.length - end)),
  ];
}

function middle(one: string[], two: string[]): DiffRow[] {
  const common = commonLines(one, two);
  const rows: DiffRow[] = [];
  let [i, j] = [0, 0];
  for (const [x, y] of common) {
    rows.push(...changes(one.slice(i, x), two.slice(j, y)));
    rows.push({ kind: "same", before: one[x] ?? "", after: two[y] ?? "" });
    [i, j] = [x + 1, y + 1];
  }
  rows.push(...changes(one.slice(i), two.slice(j)));
  return rows;
}

/**
 * Pairs of equal lines, as many as possible. This is the algorithm of Myers: round `d` finds how far one gets in both
 * texts with `d` removed or added lines, so that long texts with few changes take little time.
 */
function commonLines(one: string[], two: string[]): [number, number][] {
  const most = Math.min(one.length + two.length, MOST_CHANGES);
  const middle = most + 1;
  // How far one gets in the first text, by the number of lines by which it is ahead of the second.
  const reach = new Int32Array(2 * most + 3);
  const rounds: Int32Array[] = [];
  for (let d = 0; d <= most; d++) {
    rounds.push(reach.slice(middle - d - 1, middle + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const [before, after] = [reach[middle + k - 1] ?? 0, reach[middle + k + 1] ?? 0];
      let x = k === -d || (k !== d && before < after) ? after : before + 1;
      while (x < one.length && x - k < two.length && one[x] === two[x - k]) x++;
      reach[middle + k] = x;
      if (x >= one.length && x - k >= two.length) return trace(rounds, one.length, two.length);
    }
  }
  return [];
}

/** Goes back through the rounds, and collects the pairs on the way. */
function trace(rounds: Int32Array[], length: number, otherLength: number): [number, number][] {
  const pairs: [number, number][] = [];
  let [x, y] = [length, otherLength];
  for (let d = rounds.length - 1; d >= 0; d--) {
    const at = (k: number) => rounds[d]?.[k + d + 1] ?? 0;
    const k = x - y;
    const cameDown = k === -d || (k !== d && at(k - 1) < at(k + 1));
    const fromX = d === 0 ? 0 : at(cameDown ? k + 1 : k - 1);
    const fromY = d === 0 ? 0 : fromX - (cameDown ? k + 1 : k - 1);
    while (x > fromX && y > fromY) pairs.push([--x, --y]);
    [x, y] = [fromX, fromY];
  }
  return pairs.reverse();
}

/** Lines that took the place of others stand beside them. */
function changes(removed: string[], added: string[]): DiffRow[] {
  return Array.from({ length: Math.max(removed.length, added.length) }, (_, index) => {
    const before = removed[index] ?? null;
    const after = added[index] ?? null;
    return { kind: before === null ? "added" : after === null ? "removed" : "changed", before, after };
  });
}

/** Where two lines begin to differ, and how many characters at their ends are equal again. */
export function differingPart(before: string, after: string): { start: number; end: number } {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  return { start, end };
}
