import { useState } from "preact/hooks";
import { exact, plural } from "./text";

const PIECE = 20_000;

/** A text exactly as it is. A long one comes in pieces, because drawing many megabytes would stop the page. */
export function Pieces({ text, label }: { text: string; label: string }) {
  const [shown, setShown] = useState(PIECE);
  const left = text.length - shown;
  return (
    <div class="pieces">
      <pre tabIndex={0} role="group" aria-label={label}>
        {exact(text.slice(0, shown))}
      </pre>
      {left > 0 && (
        <button type="button" class="quiet small" onClick={() => setShown(shown + PIECE * 5)}>
          Show more ({plural(left, "character")} left)
        </button>
      )}
    </div>
  );
}
