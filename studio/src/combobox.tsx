import { useEffect, useId, useRef, useState } from "preact/hooks";
import { plural } from "./text";

export interface Option {
  value: string;
  /** A line below the value. */
  facts: string;
}

interface Props {
  id: string;
  value: string;
  options: Option[];
  describedBy?: string;
  onChange: (value: string) => void;
}

const MOST = 60;

/** A text field that suggests values and accepts any other one. */
export function Combobox({ id, value, options, describedBy, onChange }: Props) {
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState<string | null>(null);
  // While a person types, the options with these words are offered. Otherwise all are, because a chosen value would filter
  // out the alternatives to it.
  const [typed, setTyped] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  const listId = useId();

  const words = value.toLowerCase().split(/\s+/);
  const found = typed ? options.filter((option) => words.every((word) => option.value.toLowerCase().includes(word))) : options;
  // At most `MOST` options are drawn. They begin near the current value, so that it is one of them.
  const start = typed ? 0 : Math.max(0, found.findIndex((option) => option.value === value) - 3);
  const offered = found.slice(start, start + MOST);
  const at = offered.findIndex((option) => option.value === active);
  const shown = open && offered.length > 0;
  const optionId = (index: number) => `${listId}-${index}`;

  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [active, shown]);

  const close = () => {
    setOpen(false);
    setActive(null);
  };
  const choose = (next: string) => {
    onChange(next);
    setTyped(false);
    close();
  };
  const move = (by: number) => {
    if (!shown) {
      setOpen(true);
      setActive(offered.find((option) => option.value === value)?.value ?? offered[0]?.value ?? null);
      return;
    }
    const next = at < 0 ? (by > 0 ? 0 : offered.length - 1) : (at + by + offered.length) % offered.length;
    setActive(offered[next]?.value ?? null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") move(event.key === "ArrowDown" ? 1 : -1);
    else if (event.key === "Enter" && shown && active !== null) choose(active);
    else if (event.key === "Escape" && shown) close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div class="combobox">
      <input
        id={id}
        type="text"
        role="combobox"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        aria-autocomplete="list"
        aria-expanded={shown}
        aria-controls={listId}
        aria-activedescendant={shown && at >= 0 ? optionId(at) : undefined}
        aria-describedby={describedBy}
        value={value}
        onInput={(event) => {
          onChange(event.currentTarget.value);
          setTyped(true);
          setActive(null);
          setOpen(true);
        }}
        onClick={() => setOpen(true)}
        onBlur={close}
        onKeyDown={onKeyDown}
      />
      <ul class="options" id={listId} role="listbox" aria-label="Models" hidden={!shown} ref={list}>
        {shown &&
          offered.map((option, index) => (
            <li
              key={option.value}
              id={optionId(index)}
              role="option"
              aria-selected={option.value === active}
              class={option.value === value ? "chosen" : undefined}
              // Keeps the focus in the field, because losing it closes the list before the click arrives.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(option.value)}
            >
              <span>{option.value}</span>
              {option.facts && <span class="facts">{option.facts}</span>}
            </li>
          ))}
      </ul>
      <p class="visually-hidden" role="status">
        {open && typed && plural(found.length, "model")}
      </p>
    </div>
  );
}
