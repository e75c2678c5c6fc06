import type { RunInfo } from "./types";

/** The runs that began on one day. */
export interface Day {
  key: string;
  date: Date;
  runs: number;
  /** The known costs. */
  cost: number;
  /** The number of runs whose cost is not known. */
  unknown: number;
}

/** The name of the day of a time, where the person is. */
export function dayOf(time: number | Date): string {
  const date = new Date(time);
  return `${date.getFullYear()}-${date.getMonth() + 1}-${date.getDate()}`;
}

export function dateOf(key: string): Date {
  const [year = 0, month = 1, day = 1] = key.split("-").map(Number);
  return new Date(year, month - 1, day);
}

/** The last days, today included. */
export function daysOf(runs: RunInfo[], count: number): Day[] {
  const today = new Date();
  // Counting dates and not hours, because some days have 23 or 25.
  const days = Array.from({ length: count }, (_, index): Day => {
    const date = new Date(today.getFullYear(), today.getMonth(), today.getDate() - (count - 1 - index));
    return { key: dayOf(date), date, runs: 0, cost: 0, unknown: 0 };
  });
  const byKey = new Map(days.map((day) => [day.key, day]));
  for (const { started, cost } of runs) {
    const day = byKey.get(dayOf(started));
    if (!day) continue;
    day.runs += 1;
    if (cost === null) day.unknown += 1;
    else day.cost += cost;
  }
  return days;
}

export function dayName(date: Date): string {
  if (dayOf(date) === dayOf(Date.now())) return "today";
  return date.toLocaleDateString("en-GB", { weekday: "short", day: "numeric", month: "short" });
}
