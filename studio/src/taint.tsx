import type { Taint } from "./types";

const TEXTS: Record<Taint, { short: string; title: string }> = {
  touched: { short: "strangers' values", title: "A stranger may have chosen values of this result" },
  tainted: { short: "strangers' words", title: "This result has words of strangers, which the model may follow" },
};

/** Marks a result that brought something of strangers into the conversation. */
export function TaintBadge({ taint }: { taint: Taint }) {
  const { short, title } = TEXTS[taint];
  return (
    <span class={`badge ${taint === "tainted" ? "amber" : ""}`} title={title}>
      {short}
    </span>
  );
}
