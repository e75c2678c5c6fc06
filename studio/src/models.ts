import { load } from "./api";
import { Store } from "./store";
import type { Model, Schema } from "./types";

// The catalogue of models, and the facts of a model in words.

export interface Catalogue {
  models: Model[];
  /** The schema of an object with all settings. */
  settings: Schema;
}

export const catalogue = new Store<Catalogue | null>(null);

export async function loadCatalogue(): Promise<void> {
  if (catalogue.get() === null) catalogue.set(await load<Catalogue>("/studio/models"));
}

/** Formats a number of tokens, such as `400k` or `1.05M`. */
export function tokens(count: number | null): string {
  if (count === null) return "unknown";
  if (count < 1000) return String(count);
  return count < 1_000_000 ? `${Math.round(count / 1000)}k` : `${Number((count / 1_000_000).toFixed(2))}M`;
}

/** Formats a price in dollars. */
export function price(dollars: number | null): string {
  if (dollars === null) return "unknown";
  return `$${dollars < 0.1 ? Number(dollars.toFixed(4)) : dollars.toFixed(2)}`;
}

/** The last day of a model in words, and whether it has passed. Null if the model has none. */
export function endOf({ ends }: Model): { past: boolean; day: string } | null {
  if (ends === null) return null;
  const at = new Date(`${ends}T23:59:59`);
  if (Number.isNaN(at.getTime())) return { past: false, day: ends };
  const day = at.toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
  return { past: at.getTime() < Date.now(), day };
}

/** Formats context and prices in one line. */
export function factsOfModel(model: Model): string {
  const { context, sent, written } = model;
  const end = endOf(model);
  if (end?.past) return `ended on ${end.day}`;
  const facts = [];
  if (context !== null) facts.push(`${tokens(context)} context`);
  if (sent !== null && written !== null) facts.push(`${price(sent)} sent, ${price(written)} written`);
  return facts.join(", ");
}
