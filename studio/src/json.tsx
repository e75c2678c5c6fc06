import { useMemo, useState } from "preact/hooks";
import { block, plural } from "./text";

const PIECE = 20_000;
const FEW_LINES = 12;

/** A value as indented JSON, or text as it is. Long ones are collapsed, and very long ones come in pieces. */
export function Json({ value, label }: { value: unknown; label: string }) {
  const whole = useMemo(() => {
    const text = typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "nothing");
    return block(text);
  }, [value]);
  const [shown, setShown] = useState(PIECE);
  const [open, setOpen] = useState(false);
  const text = whole.slice(0, shown);
  const lines = text.split("\n");
  const collapsed = !open && lines.length > FEW_LINES;
  const visible = collapsed ? lines.slice(0, FEW_LINES - 2).join("\n") : text;
  return (
    <div class="json">
      <pre tabIndex={0} role="group" aria-label={label}>
        {typeof value === "string" ? visible : tokens(visible)}
      </pre>
      {collapsed && (
        <button type="button" class="quiet small" onClick={() => setOpen(true)}>
          Show all {plural(lines.length, "line")}
        </button>
      )}
      {!collapsed && shown < whole.length && (
        <button type="button" class="quiet small" onClick={() => setShown(shown + PIECE)}>
          Show more ({Math.ceil((whole.length - shown) / 1000).toLocaleString("en")} kB left)
        </button>
      )}
      {open && lines.length > FEW_LINES && (
        <button type="button" class="quiet small" onClick={() => setOpen(false)}>
          Show less
        </button>
      )}
    </div>
  );
}

const TOKEN = /("(?:[^"\\\n]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;

/** Colours keys, texts and other values apart. */
function tokens(json: string) {
  const found = [];
  let end = 0;
  for (const match of json.matchAll(TOKEN)) {
    if (match.index > end) found.push(json.slice(end, match.index));
    const text = match[1];
    if (text === undefined) found.push(<span class="json-value">{match[0]}</span>);
    else if (match[2]) found.push(<span class="json-key">{text}</span>, match[2]);
    else found.push(<span class="json-text">{text}</span>);
    end = match.index + match[0].length;
  }
  found.push(json.slice(end));
  return found;
}
