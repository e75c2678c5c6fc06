import { useMemo, useState } from "preact/hooks";
import { dayName, daysOf, type Day } from "./days";
import { useNarrow } from "./narrow";
import { dollars, plural } from "./text";
import type { RunInfo } from "./types";

const SPANS = [14, 30];
/** A column of a phone must be wide enough for a finger. */
const NARROW_SPANS = [7, 12];
// Kept while one looks at a run.
let lastSpan = 0;

interface Props {
  runs: RunInfo[];
  /** The day whose runs are shown, or nothing. */
  day: string;
  onDay: (day: string) => void;
}

/** The number of runs and their cost, day by day. */
export function DayPlot({ runs, day, onDay }: Props) {
  const spans = useNarrow() ? NARROW_SPANS : SPANS;
  const [chosen, setSpan] = useState(lastSpan);
  const span = spans[chosen] ?? 14;
  const days = useMemo(() => daysOf(runs, span), [runs, span]);
  const sum = (pick: (day: Day) => number) => days.reduce((total, entry) => total + pick(entry), 0);
  const total = sum((entry) => entry.runs);
  const unknown = sum((entry) => entry.unknown);
  const hasCost = total > unknown;
  return (
    <section class="plot" aria-label="Runs by day">
      <div class="plot-head">
        <p>
          <strong>{plural(total, "run")}</strong>
          {hasCost && (
            <>
              {" "}
              for <strong>{dollars(sum((entry) => entry.cost))}</strong>
            </>
          )}{" "}
          in {span} days
          {unknown > 0 && <span class="note">{hasCost ? `, ${unknown} of them of unknown cost` : ", of unknown cost"}</span>}
        </p>
        <div class="segments" role="group" aria-label="How many days are shown">
          {spans.map((count, index) => (
            <button
              key={index}
              type="button"
              aria-pressed={chosen === index}
              onClick={() => {
                lastSpan = index;
                setSpan(index);
              }}
            >
              {count} days
            </button>
          ))}
        </div>
      </div>
      <div class="plot-body">
        {hasCost && <Band days={days} name="Cost" kind="cost" value={(entry) => entry.cost} text={dollars} />}
        <Band days={days} name="Runs" kind="runs" value={(entry) => entry.runs} text={String} />
        <Columns days={days} day={day} onDay={onDay} />
        <Dates days={days} />
      </div>
      <table class="visually-hidden">
        <caption>Runs by day</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">Runs</th>
            <th scope="col">Cost</th>
            <th scope="col">Runs of unknown cost</th>
          </tr>
        </thead>
        <tbody>
          {days
            .filter((entry) => entry.runs > 0)
            .map((entry) => (
              <tr key={entry.key}>
                <th scope="row">{dayName(entry.date)}</th>
                <td>{entry.runs}</td>
                <td>{entry.unknown < entry.runs ? dollars(entry.cost) : "unknown"}</td>
                <td>{entry.unknown}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </section>
  );
}

interface BandProps {
  days: Day[];
  name: string;
  kind: "cost" | "runs";
  value: (day: Day) => number;
  text: (value: number) => string;
}

/** Draws one measure as bars. Screen readers skip them, because the table has the same numbers. */
function Band({ days, name, kind, value, text }: BandProps) {
  const most = Math.max(...days.map(value));
  const width = 100 / days.length;
  // Bars as wide as a day of 14 look heavy.
  const part = days.length > 20 ? 0.62 : 0.4;
  return (
    <div class={`band ${kind}`} aria-hidden="true">
      <span class="band-most">{most > 0 && text(most)}</span>
      <span class="band-name">{name}</span>
      <svg preserveAspectRatio="none">
        {days.map((day, index) => {
          // A small cost is still drawn, so that a day with runs differs from a day without.
          const height = value(day) === 0 ? 0 : Math.max(3, (value(day) / most) * 100);
          return (
            <rect
              key={day.key}
              x={`${(index + (1 - part) / 2) * width}%`}
              y={`${100 - height}%`}
              width={`${width * part}%`}
              height={`${height}%`}
            />
          );
        })}
      </svg>
    </div>
  );
}

/** A button over the bars of each day. */
function Columns({ days, day, onDay }: { days: Day[]; day: string; onDay: (day: string) => void }) {
  const withRuns = days.filter((entry) => entry.runs > 0);
  // Tab leads to one day, and the arrows lead to the others.
  const entry = withRuns.find(({ key }) => key === day) ?? withRuns.at(-1);
  const move = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
    const buttons = [...event.currentTarget.querySelectorAll<HTMLButtonElement>("button:enabled")];
    const at = buttons.indexOf(event.target as HTMLButtonElement);
    const targets: Record<string, number> = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: buttons.length - 1 };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    buttons[target]?.focus();
  };
  return (
    <div
      class="columns"
      role="group"
      aria-label="Show the runs of one day"
      style={{ gridTemplateColumns: `repeat(${days.length}, minmax(0, 1fr))` }}
      onKeyDown={move}
    >
      {days.map((column) => (
        <div key={column.key}>
          <button
            type="button"
            class="column"
            disabled={column.runs === 0}
            tabIndex={column === entry ? 0 : -1}
            aria-label={wordsOf(column).join(", ")}
            aria-pressed={column.key === day}
            onClick={() => onDay(column.key === day ? "" : column.key)}
          />
          <Tip day={column} />
        </div>
      ))}
    </div>
  );
}

function wordsOf({ date, runs, cost, unknown }: Day): string[] {
  if (runs === 0) return [dayName(date), "no runs"];
  const words = [dayName(date), plural(runs, "run")];
  if (runs > unknown) words.push(dollars(cost));
  if (unknown > 0) words.push(unknown === runs ? "cost unknown" : `${unknown} of unknown cost`);
  return words;
}

function Tip({ day }: { day: Day }) {
  return (
    <span class="tip" aria-hidden="true">
      {wordsOf(day).map((words) => (
        <span key={words}>{words}</span>
      ))}
    </span>
  );
}

/** The dates of the Mondays, and today. */
function Dates({ days }: { days: Day[] }) {
  const width = 100 / days.length;
  return (
    <div class="dates" aria-hidden="true">
      {days.map(
        ({ key, date }, index) =>
          date.getDay() === 1 &&
          index < days.length - 3 && (
            <span key={key} style={{ left: `${(index + 0.5) * width}%` }}>
              {date.toLocaleDateString("en-GB", { day: "numeric", month: "short" })}
            </span>
          ),
      )}
      <span class="today">today</span>
    </div>
  );
}
