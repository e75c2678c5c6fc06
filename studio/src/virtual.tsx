import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface Props {
  count: number;
  rowHeight: number;
  label: string;
  /** Told which rows can be seen. */
  onVisible?: (first: number, last: number) => void;
  /** The row that must be seen. */
  reveal?: number;
  children: (index: number) => ComponentChildren;
}

const SPARE = 8;

/** A list that draws only the rows that can be seen. All rows have one height. */
export function VirtualList({ count, rowHeight, label, onVisible, reveal, children }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    measure();
    element.addEventListener("scroll", measure, { passive: true });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => {
      element.removeEventListener("scroll", measure);
      observer.disconnect();
    };
  }, []);

  useEffect(() => {
    const element = box.current;
    if (!element || reveal === undefined || reveal < 0) return;
    const top = reveal * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + element.clientHeight) {
      element.scrollTop = top + rowHeight - element.clientHeight;
    }
    // What opens beside the list may take the room in which the row was seen.
  }, [reveal, view.height]);

  const firstSeen = Math.min(count, Math.floor(view.top / rowHeight));
  const lastSeen = Math.min(count, Math.ceil((view.top + view.height) / rowHeight));
  useEffect(() => onVisible?.(firstSeen, lastSeen), [firstSeen, lastSeen]);

  const first = Math.max(0, firstSeen - SPARE);
  const last = Math.min(count, lastSeen + SPARE);
  const rows = [];
  for (let index = first; index < last; index++) {
    rows.push(
      <li
        key={index}
        aria-setsize={count}
        aria-posinset={index + 1}
        style={{ top: `${index * rowHeight}px`, height: `${rowHeight}px` }}
      >
        {children(index)}
      </li>,
    );
  }
  return (
    // The box itself can be scrolled with the keyboard.
    <div class="virtual" ref={box} tabIndex={0} role="region" aria-label={label}>
      <ul style={{ height: `${count * rowHeight}px` }}>{rows}</ul>
    </div>
  );
}

interface RowKeys {
  count: number;
  onMove: (index: number) => void;
  /** Rows that are passed over. */
  skip?: (index: number) => boolean;
}

/** Moves the focus between rows, which have their place as `data-row`, with the keys that lists have. */
export function useRowKeys(list: RefObject<HTMLElement | null>, { count, onMove, skip }: RowKeys) {
  // A row far away is drawn only after the list has scrolled there, which takes a few frames.
  const focusRow = (index: number, attempts: number) => {
    const row = list.current?.querySelector<HTMLElement>(`[data-row="${index}"]`);
    if (row) row.focus({ preventScroll: true });
    else if (attempts > 0) requestAnimationFrame(() => focusRow(index, attempts - 1));
  };
  return (event: KeyboardEvent) => {
    const at = Number((event.target as HTMLElement).closest<HTMLElement>("[data-row]")?.dataset.row ?? -1);
    if (at < 0) return;
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, Home: -at, End: count, PageDown: 15, PageUp: -15 };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    let next = Math.max(0, Math.min(count - 1, at + step));
    const direction = event.key === "End" ? -1 : event.key === "Home" ? 1 : Math.sign(step);
    while (skip?.(next) && next + direction >= 0 && next + direction < count) next += direction;
    if (skip?.(next)) return;
    onMove(next);
    focusRow(next, 10);
  };
}
