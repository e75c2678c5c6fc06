import { useEffect, useRef } from "preact/hooks";
import { talkOf, type Talk } from "./conversation";
import { BackIcon, ChevronIcon } from "./icons";
import { go } from "./route";
import type { Choice } from "./versions";

/** Switches between the versions of a turn: `‹ 2 / 3 ›`. */
export function Switcher({ talk, choice }: { talk: Talk; choice: Choice }) {
  const { start, names, at } = choice;
  const group = useRef<HTMLDivElement>(null);
  const number = at + 1;

  // Each version is a conversation of its own, whose view is mounted anew. The focus is put back to the button that was pressed,
  // so that it can be pressed again.
  useEffect(() => {
    const { arrival } = talk;
    if (arrival === null || arrival === "composer" || arrival.start !== start) return;
    talk.arrival = null;
    group.current?.scrollIntoView({ block: "center" });
    const buttons = [...(group.current?.querySelectorAll("button") ?? [])];
    const [previous, next] = buttons;
    const wanted = arrival.button === "previous" ? previous : next;
    (wanted?.disabled ? buttons.find(({ disabled }) => !disabled) : wanted)?.focus();
  }, []);

  const show = (index: number, button: "previous" | "next") => {
    const name = names[index];
    if (name === undefined) return;
    talkOf(name).arrival = { start, button };
    go("talk", name);
  };
  return (
    <div class="switcher" role="group" aria-label="Other versions of this message" ref={group}>
      <button
        type="button"
        class="quiet icon-only"
        aria-label="Previous version"
        disabled={at === 0}
        onClick={() => show(at - 1, "previous")}
      >
        <BackIcon />
      </button>
      <span class="switcher-count">
        <span class="visually-hidden">
          Version {number} of {names.length}
        </span>
        <span aria-hidden="true">
          {number} / {names.length}
        </span>
      </span>
      <button
        type="button"
        class="quiet icon-only"
        aria-label="Next version"
        disabled={at === names.length - 1}
        onClick={() => show(at + 1, "next")}
      >
        <ChevronIcon />
      </button>
    </div>
  );
}
