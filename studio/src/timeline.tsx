import { Component } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { load, message, Problem } from "./api";
import { BackIcon, AgentIcon, CallIcon, CheckIcon, CloseIcon, PersonIcon, ReplyIcon, FindingsIcon } from "./icons";
import { href } from "./route";
import { scaleOf, type Scale } from "./scale";
import { rowsOf, type Row } from "./steps";
import { StepDetail } from "./step-detail";
import { RunState } from "./runs";
import { usePolling } from "./store";
import { count, dollars, duration, moment, oneLine, plural } from "./text";
import type { RunDetail } from "./types";
import { VirtualList } from "./virtual";

const ROW = 34;
/** With more rows than this the bars of the whole run are too thin to read. */
const MANY = 400;

export function RunView({ id }: { id: string }) {
  const [run, setRun] = useState<RunDetail | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const live = run === null || run.info.state === "running" || run.info.state === "waiting";
  const last = useRef("");

  usePolling(
    () => {
      if (run !== null && !live) return;
      load<RunDetail>(`/studio/runs/${encodeURIComponent(id)}`).then(
        (found) => {
          // A run that waits does not change, and must not be drawn again and again.
          const stamp = `${found.info.state} ${found.info.updated} ${found.steps.length}`;
          if (found.info.state !== "running" && stamp === last.current) return;
          last.current = stamp;
          setRun(found);
          setProblem(null);
        },
        (error: unknown) => {
          if (error instanceof Problem) setProblem(message(error));
        },
      );
    },
    2000,
    [id, live],
  );

  return (
    <div class="page full run">
      <p class="back">
        <a href={href("runs")}>
          <BackIcon />
          <span>Runs</span>
        </a>
      </p>
      {problem && <p class="problem">{problem}</p>}
      {!run && <h1>Run</h1>}
      {!run && !problem && <p class="note">Loading…</p>}
      {run && <Timeline run={run} />}
    </div>
  );
}

function Timeline({ run }: { run: RunDetail }) {
  const rows = useMemo(() => rowsOf(run, Date.now()), [run]);
  const [selected, setSelected] = useState(-1);
  const [seen, setSeen] = useState({ first: 0, last: 40 });
  const [zoom, setZoom] = useState<"run" | "seen">(rows.length > MANY ? "seen" : "run");
  const list = useRef<HTMLDivElement>(null);

  const whole = useMemo(() => scaleOf(leaves(rows)), [rows]);
  const scale = useMemo(
    () => (zoom === "run" ? whole : scaleOf(leaves(rows.slice(seen.first, seen.last)))),
    [whole, rows, zoom, zoom === "seen" ? seen : null],
  );

  const move = (index: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, index));
    setSelected(next);
    focusRow(next, 10);
  };
  // A row far away is drawn only after the list has scrolled there, which takes a few frames.
  const focusRow = (index: number, attempts: number) => {
    requestAnimationFrame(() => {
      const row = list.current?.querySelector<HTMLElement>(`[data-row="${index}"]`);
      if (row) row.focus({ preventScroll: true });
      else if (attempts > 0) focusRow(index, attempts - 1);
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const at = Number((event.target as HTMLElement).closest<HTMLElement>("[data-row]")?.dataset.row ?? -1);
    if (at < 0) return;
    const steps: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1, PageDown: at + 15, PageUp: at - 15 };
    const target = steps[event.key];
    if (target === undefined) return;
    event.preventDefault();
    move(target);
  };
  const close = () => {
    const at = selected;
    setSelected(-1);
    list.current?.querySelector<HTMLElement>(`[data-row="${at}"]`)?.focus();
  };
  useEffect(() => {
    if (selected < 0) return;
    const onEscape = (event: KeyboardEvent) => {
      if (event.key === "Escape") close();
    };
    addEventListener("keydown", onEscape);
    return () => removeEventListener("keydown", onEscape);
  }, [selected]);

  const row = rows[selected];
  return (
    <>
      <Summary run={run} rows={rows} />
      <div class={`timeline ${row ? "with-detail" : ""}`}>
        <div class="timeline-main" ref={list} onKeyDown={onKeyDown}>
          <div class="timeline-head">
            <span>Step</span>
            <Axis scale={scale} zoom={zoom} onZoom={setZoom} />
            <span class="number tokens" title="Tokens sent, and how many of them the provider had cached">
              Sent
            </span>
            <span class="number tokens">Written</span>
            <span class="number dollars">Cost</span>
            <span class="number">Time</span>
          </div>
          <VirtualList
            count={rows.length}
            rowHeight={ROW}
            label="Steps of the run"
            reveal={selected}
            onVisible={(first, last) => setSeen({ first, last })}
          >
            {(index) => {
              const shown = rows[index];
              if (!shown) return null;
              return (
                <RowView
                  row={shown}
                  index={index}
                  scale={scale}
                  selected={index === selected}
                  onOpen={() => setSelected(index === selected ? -1 : index)}
                />
              );
            }}
          </VirtualList>
        </div>
        {row && (
          <aside class="detail" aria-label="Step">
            <button type="button" class="quiet icon-only close" aria-label="Close the step" onClick={close}>
              <CloseIcon />
            </button>
            <StepDetail key={selected} row={row} rows={rows} />
          </aside>
        )}
      </div>
    </>
  );
}

/** What was busy: a call of an agent is as long as what the agent did, waiting included, so it says nothing. */
function leaves(rows: Row[]): Row[] {
  const found = rows.filter((row) => !row.nested);
  return found.length > 0 ? found : rows;
}

function Summary({ run, rows }: { run: RunDetail; rows: Row[] }) {
  const { info } = run;
  const sum = (pick: (row: Row) => number | null | undefined) => rows.reduce((total, row) => total + (pick(row) ?? 0), 0);
  const sent = useMemo(() => sum(({ step }) => step.usage?.sent), [rows]);
  const written = useMemo(() => sum(({ step }) => step.usage?.written), [rows]);
  const cached = useMemo(() => sum(({ step }) => step.usage?.cached), [rows]);
  return (
    <header class="run-head">
      <div class="run-title">
        <h1>{oneLine(info.agent, 60)}</h1>
        <RunState state={info.state} />
        {info.conversation && <a href={href("talk", info.conversation)}>Open the conversation</a>}
      </div>
      <dl class="figures">
        <Figure name="Started" value={moment(info.started)} />
        <Figure name="Took" value={duration(info.updated - info.started)} />
        <Figure name="Steps" value={rows.length.toLocaleString("en")} />
        <Figure name="Tokens sent" value={count(sent)} />
        <Figure name="of them cached" value={count(cached)} />
        <Figure name="Tokens written" value={count(written)} />
        <Figure name="Cost" value={dollars(info.cost) || "unknown"} />
      </dl>
      <code class="run-id">{oneLine(info.run, 80)}</code>
    </header>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

interface AxisProps {
  scale: Scale;
  zoom: "run" | "seen";
  onZoom: (zoom: "run" | "seen") => void;
}

function Axis({ scale, zoom, onZoom }: AxisProps) {
  return (
    <span class="axis">
      <span class="segments" role="group" aria-label="What the bars span">
        <button type="button" aria-pressed={zoom === "run"} onClick={() => onZoom("run")}>
          Whole run
        </button>
        <button type="button" aria-pressed={zoom === "seen"} onClick={() => onZoom("seen")}>
          Rows in view
        </button>
      </span>
      <span class="axis-span">
        {duration(scale.shown)}
        {scale.breaks.length === 1 && ` and a pause of ${duration(scale.breaks[0]?.ms ?? 0)}`}
        {scale.breaks.length > 1 && ` and ${plural(scale.breaks.length, "pause")}`}
      </span>
    </span>
  );
}

interface RowProps {
  row: Row;
  index: number;
  scale: Scale;
  selected: boolean;
  onOpen: () => void;
}

/** Scrolling draws the list again and again, but a row only if something of it has changed. */
class RowView extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    const { row, index, scale, selected } = this.props;
    return row !== next.row || index !== next.index || scale !== next.scale || selected !== next.selected;
  }

  override render(props: RowProps) {
    return drawRow(props);
  }
}

function drawRow({ row, index, scale, selected, onOpen }: RowProps) {
  const { step } = row;
  const from = scale.place(row.since);
  const to = scale.place(row.at);
  const usage = step.usage;
  return (
    <button
      type="button"
      class="step"
      data-row={index}
      aria-expanded={selected}
      onClick={onOpen}
    >
      <span class="step-name" style={{ paddingInlineStart: `${Math.min(row.depth, 8) * 18}px` }}>
        <StepIcon row={row} />
        <span class="step-title">{row.title}</span>
        <span class="preview">{row.preview}</span>
      </span>
      <span class="track">
        {scale.breaks.map((pause) => (
          <span
            class="break"
            title={`${duration(pause.ms)} in which nothing happened`}
            style={{ left: `${pause.from * 100}%`, width: `${(pause.to - pause.from) * 100}%` }}
          />
        ))}
        <span
          class={`bar ${barKind(row)} ${row.open ? "bar-open" : ""}`}
          style={{ left: `${from * 100}%`, width: `${Math.max(0, to - from) * 100}%` }}
        />
      </span>
      <span class="number tokens">
        {usage && count(usage.sent)}
        {usage && usage.cached > 0 && (
          <span class="cached" title={`${count(usage.cached)} of them cached`}>
            {Math.round((usage.cached / Math.max(usage.sent, 1)) * 100)}% cached
          </span>
        )}
      </span>
      <span class="number tokens">{usage && count(usage.written)}</span>
      <span class="number dollars">{dollars(step.dollars)}</span>
      <span class="number">{row.open ? String(step.detail ?? "open") : row.at > row.since ? duration(row.at - row.since) : ""}</span>
    </button>
  );
}

function barKind({ step, nested }: Row): string {
  if (step.kind === "failed" || (step.error ?? null) !== null) return "bar-failed";
  if (nested) return "bar-agent";
  if (step.kind === "replied") return "bar-reply";
  return step.kind === "called" ? "bar-call" : "";
}

function StepIcon({ row }: { row: Row }) {
  switch (row.step.kind) {
    case "said":
      return <PersonIcon />;
    case "replied":
      return <ReplyIcon />;
    case "called":
      return row.nested ? <AgentIcon /> : <CallIcon />;
    case "decided":
      return <CheckIcon />;
    default:
      return <FindingsIcon />;
  }
}
