// Maps times to places between 0 and 1. A run that waited for a night would be a hairline at each end, so long
// stretches in which nothing happened are shortened, and drawn as a break.

export interface Span {
  since: number;
  at: number;
}

export interface Break {
  from: number;
  to: number;
  ms: number;
}

export interface Scale {
  place: (time: number) => number;
  breaks: Break[];
  /** The first and the last time. */
  since: number;
  at: number;
}

/** A stretch in which nothing happened is a pause from this length on. */
const PAUSE = 5000;
/** A break takes this part of the time in which something happened. */
const BREAK = 0.04;

/** The stretches in which something happened, in their order and without overlaps. */
function busy(spans: Span[]): Span[] {
  const found: Span[] = [];
  for (const { since, at } of [...spans].sort((a, b) => a.since - b.since)) {
    const last = found.at(-1);
    if (last && since <= last.at) last.at = Math.max(last.at, at);
    else found.push({ since, at });
  }
  return found;
}

/** The stretches in which nothing happened, in their order. */
export function pausesOf(spans: Span[]): Span[] {
  const stretches = busy(spans);
  const gaps = stretches.slice(1).map(({ since }, index) => ({ since: stretches[index]?.at ?? since, at: since }));
  return gaps.filter(({ since, at }) => at - since > PAUSE);
}

export function scaleOf(spans: Span[]): Scale {
  const stretches = busy(spans);
  const first = stretches[0]?.since ?? 0;
  const work = stretches.reduce((sum, { since, at }) => sum + (at - since), 0);
  const broken = Math.max(work * BREAK, 1);
  const times = [first];
  const places = [0];
  const breaks: Break[] = [];
  let place = 0;
  let end = first;
  for (const { since, at } of stretches) {
    const gap = since - end;
    if (gap > 0) {
      const isBreak = gap > PAUSE && gap > broken;
      const width = isBreak ? broken : gap;
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
    since: first,
    at: end,
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
