import { Component } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { message, Problem, send } from "./api";
import { BackIcon, AgentIcon, CallIcon, CheckIcon, CloseIcon, PersonIcon, ReplyIcon, FindingsIcon } from "./icons";
import { href } from "./route";
import { LeftRun, RunActions } from "./run-actions";
import { isLeft, RunState } from "./run-state";
import { scaleOf, type Scale } from "./scale";
import { isRow, leaves, linesOf, type Line, type Mark, type Row } from "./steps";
import { StepDetail, type Pane } from "./step-detail";
import { usePolling } from "./store";
import { count, dollars, duration, moment, oneLine } from "./text";
import type { RunDetail } from "./types";
import { useRowKeys, VirtualList } from "./virtual";

const ROW = 34;

export function RunView({ id }: { id: string }) {
  const [run, setRun] = useState<RunDetail | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const live = run === null || run.info.state === "running" || run.info.state === "waiting";

  const refresh = async () => {
    try {
      const unless = run ? `?unless=${run.info.updated}` : "";
      const response = await send(`/studio/runs/${encodeURIComponent(id)}${unless}`);
      if (response.status !== 204) setRun((await response.json()) as RunDetail);
      setProblem(null);
    } catch (error) {
      if (error instanceof Problem) setProblem(message(error));
    }
  };
  // `usePolling` keeps the task of one drawing, and the task must know the run of the last drawing.
  const task = useRef(refresh);
  task.current = refresh;
  usePolling(() => void (live && task.current()), 2000, [id, live]);

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
      {run && <Timeline run={run} onChange={() => void refresh()} />}
    </div>
  );
}

function Timeline({ run, onChange }: { run: RunDetail; onChange: () => void }) {
  const lines = useMemo(() => linesOf(run, Date.now()), [run]);
  const [selected, setSelected] = useState(-1);
  // The pane stays when another step is opened, so that requests can be compared.
  const [pane, setPane] = useState<Pane>("step");
  const [seen, setSeen] = useState({ first: 0, last: 40 });
  const list = useRef<HTMLDivElement>(null);
  const scale = useMemo(() => scaleOf(leaves(lines.slice(seen.first, seen.last).filter(isRow))), [lines, seen]);
  const keys = useRowKeys(list, { count: lines.length, onMove: setSelected, skip: (index) => !isRow(lines[index]) });
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

  const chosen = lines[selected];
  const row = isRow(chosen) ? chosen : null;
  // Tab enters the list at one row and then leaves it, so that the step beside it is near.
  const isSeen = selected >= seen.first && selected < seen.last;
  const entry = isSeen ? selected : lines.findIndex((line, index) => index >= seen.first && isRow(line));
  return (
    <>
      <Summary run={run} lines={lines} />
      {isLeft(run.info) && <LeftRun info={run.info} onChange={onChange} />}
      <div class={`timeline ${row ? "with-detail" : ""} ${pane === "step" ? "" : "with-wire"}`}>
        <div class="timeline-main" ref={list} onKeyDown={keys}>
          <div class="timeline-head">
            <span>Step</span>
            <Axis scale={scale} start={run.info.started} />
            <span class="number tokens" title="Tokens sent, and how many of them the provider had cached">
              Sent
            </span>
            <span class="number tokens">Written</span>
            <span class="number dollars">Cost</span>
            <span class="number">Time</span>
          </div>
          <VirtualList
            count={lines.length}
            rowHeight={ROW}
            label="Steps of the run"
            reveal={selected}
            onVisible={(first, last) => setSeen({ first, last })}
          >
            {(index) => {
              const line = lines[index];
              if (!isRow(line)) return line && <MarkView mark={line} />;
              return (
                <RowView
                  row={line}
                  index={index}
                  scale={scale}
                  selected={index === selected}
                  entry={index === entry}
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
            <StepDetail key={selected} info={run.info} row={row} lines={lines} pane={pane} onPane={setPane} />
          </aside>
        )}
      </div>
    </>
  );
}

function Summary({ run, lines }: { run: RunDetail; lines: Line[] }) {
  const { info } = run;
  const usage = useMemo(() => {
    const sum = { sent: 0, written: 0, cached: 0 };
    for (const { usage } of run.steps) {
      sum.sent += usage?.sent ?? 0;
      sum.written += usage?.written ?? 0;
      sum.cached += usage?.cached ?? 0;
    }
    return sum;
  }, [run]);
  return (
    <header class="run-head">
      <div class="run-title">
        <h1>{oneLine(info.agent, 60)}</h1>
        <RunState info={info} />
        {info.conversation && <a href={href("talk", info.conversation)}>Open the conversation</a>}
        <code class="run-id">{oneLine(info.run, 80)}</code>
      </div>
      <RunActions info={info} />
      <dl class="figures">
        <Figure name="Started" value={moment(info.started)} />
        <Figure name="Took" value={duration(info.updated - info.started)} />
        <Figure name="Steps" value={lines.filter(isRow).length.toLocaleString("en")} />
        <Figure name="Tokens sent" value={count(usage.sent)} />
        <Figure name="of them cached" value={count(usage.cached)} />
        <Figure name="Tokens written" value={count(usage.written)} />
        <Figure name="Cost" value={dollars(info.cost) || "unknown"} />
      </dl>
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

/** The bars span what can be seen, because those of 10,000 steps together would all be hairlines. */
function Axis({ scale, start }: { scale: Scale; start: number }) {
  const after = (time: number) => (time > start ? duration(time - start) : "0 s");
  return (
    <span class="axis">
      <span class="visually-hidden">Time from the start of the run: </span>
      <span>{after(scale.since)}</span>
      <span class="axis-line" aria-hidden="true" />
      <span class="visually-hidden">to</span>
      <span>{after(scale.at)}</span>
    </span>
  );
}

function MarkView({ mark }: { mark: Mark }) {
  return (
    <p class={mark.crash ? "mark crash" : "mark"}>
      {mark.crash && <FindingsIcon />}
      <span title={mark.text}>{mark.text}</span>
    </p>
  );
}

interface RowProps {
  row: Row;
  index: number;
  scale: Scale;
  selected: boolean;
  /** Whether Tab leads here. */
  entry: boolean;
  onOpen: () => void;
}

/** Scrolling draws the list again and again, but a row only if something of it has changed. */
class RowView extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    const { row, index, scale, selected, entry } = this.props;
    return (
      row !== next.row || index !== next.index || scale !== next.scale || selected !== next.selected || entry !== next.entry
    );
  }

  override render(props: RowProps) {
    return drawRow(props);
  }
}

function drawRow({ row, index, scale, selected, entry, onOpen }: RowProps) {
  const { step } = row;
  const from = scale.place(row.since - row.waited);
  const to = scale.place(row.at);
  const usage = step.usage;
  return (
    <button
      type="button"
      class={step.kind === "interrupted" ? "step crash" : row.open && row.waited > 0 ? "step waits" : "step"}
      data-row={index}
      tabIndex={entry ? 0 : -1}
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
      <span class="number">{timeOf(row)}</span>
    </button>
  );
}

function timeOf({ since, at, waited, open }: Row): string {
  if (at - since + waited > 0) return duration(at - since + waited);
  return open ? "open" : "";
}

function barKind({ step, nested, waited }: Row): string {
  if (waited > 0) return "bar-wait";
  if (step.kind === "failed" || step.kind === "interrupted" || (step.error ?? null) !== null) return "bar-failed";
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
