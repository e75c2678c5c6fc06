import { useState } from "preact/hooks";
import { ChevronIcon } from "./icons";
import { exact, jsonLine, plural } from "./text";

/** Members that are drawn before somebody asks for more. */
const FEW = 100;
/** A text of this length or with several lines stands below its name. */
const LONG = 100;
const TEXT_LINES = 8;
const TEXT_PIECE = 20_000;

/** A value as a tree that folds. Parts that are folded are not drawn, so a value may be large. */
export function JsonTree({ value, label }: { value: unknown; label: string }) {
  const isContainer = typeof value === "object" && value !== null && Object.keys(value).length > 0;
  return (
    <div class="tree" role="group" aria-label={label} onKeyDown={moveInTree}>
      {isContainer ? <Members value={value} depth={0} /> : <Node name={null} value={value} depth={0} />}
    </div>
  );
}

/** Up and Down go from part to part, Left and Right fold and unfold. */
function moveInTree(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const from = event.target as HTMLElement;
  if (!from.matches(".tree-fold")) return;
  const open = from.getAttribute("aria-expanded") === "true";
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>(".tree-fold")];
  const at = all.indexOf(from);
  if (event.key === "ArrowDown") all[at + 1]?.focus();
  else if (event.key === "ArrowUp") all[at - 1]?.focus();
  else if (event.key === "ArrowRight" ? !open : event.key === "ArrowLeft" && open) from.click();
  else return;
  event.preventDefault();
}

interface NodeProps {
  /** The name of a member, or its place in a list. */
  name: string | number | null;
  value: unknown;
  depth: number;
}

function Node({ name, value, depth }: NodeProps) {
  if (typeof value === "object" && value !== null) return <Container name={name} value={value} depth={depth} />;
  if (typeof value === "string" && (value.length > LONG || value.includes("\n"))) return <LongText name={name} text={value} />;
  return (
    <p class="tree-line">
      <Name name={name} />
      {typeof value === "string" ? (
        <span class="json-text">“{exact(value)}”</span>
      ) : (
        <span class="json-value">{String(value)}</span>
      )}
    </p>
  );
}

function Name({ name }: { name: string | number | null }) {
  if (name === null) return null;
  return <span class={typeof name === "number" ? "tree-index" : "tree-key"}>{exact(String(name))}: </span>;
}

function Container({ name, value, depth }: NodeProps & { value: object }) {
  const isList = Array.isArray(value);
  const size = isList ? value.length : Object.keys(value).length;
  const [open, setOpen] = useState(depth === 1 && size <= 12);
  if (size === 0) {
    return (
      <p class="tree-line">
        <Name name={name} />
        <span class="tree-size">{isList ? "empty list" : "empty object"}</span>
      </p>
    );
  }
  return (
    <div>
      <button type="button" class="tree-fold" aria-expanded={open} onClick={() => setOpen(!open)}>
        <ChevronIcon />
        <Name name={name} />
        {isList && <span class="tree-size">{plural(size, "item")}</span>}
        {!open && <span class="preview">{previewOf(value)}</span>}
      </button>
      {open && <Members value={value} depth={depth} />}
    </div>
  );
}

function Members({ value, depth }: { value: object; depth: number }) {
  const [shown, setShown] = useState(FEW);
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return (
    <ul>
      {keys.slice(0, shown).map((key) => (
        <li key={key}>
          <Node name={key} value={(value as Record<string | number, unknown>)[key]} depth={depth + 1} />
        </li>
      ))}
      {keys.length > shown && (
        <li>
          <button type="button" class="quiet small" onClick={() => setShown(shown + FEW * 5)}>
            Show more ({(keys.length - shown).toLocaleString("en")} left)
          </button>
        </li>
      )}
    </ul>
  );
}

/** The first members that fit into a line. */
function previewOf(value: object): string {
  const parts: string[] = [];
  let length = 0;
  for (const key in value) {
    const item = (value as Record<string, unknown>)[key];
    // Writing a large value down for a short preview would take long.
    const text = typeof item === "object" && item !== null ? "…" : jsonLine(item ?? "null", 60);
    parts.push(Array.isArray(value) ? text : `${key}: ${text}`);
    length += text.length + key.length;
    if (length > 120) break;
  }
  return exact(parts.join(", "));
}

function LongText({ name, text }: { name: string | number | null; text: string }) {
  const [shown, setShown] = useState(0);
  const first = text.slice(0, TEXT_LINES * 100).split("\n").slice(0, TEXT_LINES).join("\n");
  const visible = shown === 0 ? first : text.slice(0, shown);
  const left = text.length - visible.length;
  return (
    <div class="tree-long">
      <p class="tree-line">
        <Name name={name} />
      </p>
      <p class="json-text">
        {exact(visible)}
        {left > 0 && "…"}
      </p>
      {left > 0 && (
        <button type="button" class="quiet small" onClick={() => setShown(shown + TEXT_PIECE)}>
          Show more ({plural(left, "character")} left)
        </button>
      )}
    </div>
  );
}
