// Maps times to places between 0 and 1. A run that waited for a night would be a hairline at each end, so long
// stretches in which nothing happened are shortened, and drawn as a break.

export interface Break {
  from: number;
  to: number;
  ms: number;
}

export interface Scale {
  place: (time: number) => number;
  breaks: Break[];
  /** How much time is shown, without the breaks. */
  shown: number;
}

/** A break takes this part of what is shown. */
const BREAK = 0.04;

export function scaleOf(spans: { since: number; at: number }[]): Scale {
  const sorted = [...spans].sort((a, b) => a.since - b.since);
  const first = sorted[0]?.since ?? 0;
  const busy: { since: number; at: number }[] = [];
  for (const { since, at } of sorted) {
    const last = busy.at(-1);
    if (last && since <= last.at) last.at = Math.max(last.at, at);
    else busy.push({ since, at });
  }
  const work = busy.reduce((sum, { since, at }) => sum + (at - since), 0);
  const times = [first];
  const places = [0];
  const breaks: Break[] = [];
  let place = 0;
  let end = first;
  for (const { since, at } of busy) {
    const gap = since - end;
    if (gap > 0) {
      const isBreak = gap > 5000 && gap > work * 0.5;
      const width = isBreak ? Math.max(work * BREAK, 1) : gap;
      if (isBreak) breaks.push({ from: place, to: place + width, ms: gap });
      place += width;
      times.push(since);
      places.push(place);
    }
    place += at - since;
    end = at;
    times.push(at);
    places.push(place);
  }
  const total = Math.max(place, 1);
  return {
    shown: total,
    breaks: breaks.map(({ from, to, ms }) => ({ from: from / total, to: to / total, ms })),
    place: (time) => interpolate(times, places, time) / total,
  };
}

function interpolate(times: number[], places: number[], time: number): number {
  let low = 0;
  let high = times.length - 1;
  if (time <= (times[0] ?? 0)) return 0;
  if (time >= (times[high] ?? 0)) return places[high] ?? 0;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) <= time) low = middle;
    else high = middle;
  }
  const from = times[low] ?? 0;
  const to = times[high] ?? from;
  const start = places[low] ?? 0;
  const part = to > from ? (time - from) / (to - from) : 0;
  return start + part * ((places[high] ?? start) - start);
}
