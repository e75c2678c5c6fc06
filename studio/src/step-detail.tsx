import { useState } from "preact/hooks";
import { load } from "./api";
import { Json } from "./json";
import { useLoaded } from "./loaded";
import { Markdown } from "./markdown";
import { Pieces } from "./pieces";
import { href } from "./route";
import { isRequest, isRow, type Line, type Row } from "./steps";
import { block, count, dollars, duration, moment, oneLine } from "./text";
import type { RunInfo, Step } from "./types";
import { Wire } from "./wire";
import { TaintBadge } from "./taint";

/** A step is shown as what it means, or as what was sent and received. */
export type Pane = "step" | "request" | "answer";

const PANES: [Pane, string][] = [
  ["step", "Step"],
  ["request", "Request"],
  ["answer", "Answer"],
];

/** A longer text is shown as it is, because drawing it as Markdown would take long. */
const LONGEST_MARKDOWN = 100_000;

interface MeaningProps {
  info: RunInfo;
  row: Row;
  lines: Line[];
}

interface Props extends MeaningProps {
  pane: Pane;
  onPane: (pane: Pane) => void;
}

/** Everything that is known of one step. */
export function StepDetail({ info, row, lines, pane, onPane }: Props) {
  const { step } = row;
  const onWire = isRequest(step);
  return (
    <>
      <h2>{row.title}</h2>
      <p class="note">
        {oneLine(step.path, 120)}
        {step.path && ", "}
        {moment(row.open ? row.since - row.waited : row.since)}
        {row.at > row.since && `, ${duration(row.at - row.since)}`}
      </p>
      {onWire && (
        <div class="segments panes" role="group" aria-label="What is shown of the step">
          {PANES.map(([name, title]) => (
            <button key={name} type="button" aria-pressed={pane === name} onClick={() => onPane(name)}>
              {title}
            </button>
          ))}
        </div>
      )}
      {onWire && pane !== "step" ? (
        <Wire info={info} step={step} side={pane} />
      ) : step.cut ? (
        <CutMeaning info={info} row={row} lines={lines} />
      ) : (
        <Meaning info={info} row={row} lines={lines} />
      )}
    </>
  );
}

/** A step of which a long part was left out until somebody asks for it. */
function CutMeaning({ info, row, lines }: MeaningProps) {
  const [asked, setAsked] = useState(0);
  const path = `/studio/runs/${encodeURIComponent(info.run)}/steps/${row.step.number ?? 0}`;
  const { value, problem } = useLoaded(() => (asked > 0 ? load<Step>(path) : null), [asked, path]);
  return (
    <>
      <Meaning key={value ? "whole" : "cut"} info={info} row={value ? { ...row, step: value } : row} lines={lines} />
      {!value && (
        <p class="cut-step">
          <span class="note">Only the beginning is here of: {row.step.cut?.join(", ")}.</span>
          <button type="button" class="small" disabled={asked > 0 && !problem} onClick={() => setAsked(asked + 1)}>
            Show all
          </button>
        </p>
      )}
      {problem && <p class="problem">{problem}</p>}
    </>
  );
}

function Meaning({ info, row, lines }: MeaningProps) {
  const { step } = row;
  const toolOf = (id: string) =>
    lines.filter(isRow).find(({ step }) => step.kind === "called" && step.call === id)?.step.tool;
  return (
    <>
      {step.usage && (
        <dl class="figures">
          <div>
            <dt>Sent</dt>
            <dd>{count(step.usage.sent)}</dd>
          </div>
          <div>
            <dt>Cached</dt>
            <dd>{count(step.usage.cached)}</dd>
          </div>
          <div>
            <dt>Written</dt>
            <dd>{count(step.usage.written)}</dd>
          </div>
          <div>
            <dt>Cost</dt>
            <dd>{dollars(step.dollars) || "unknown"}</dd>
          </div>
        </dl>
      )}
      {step.kind === "interrupted" && (
        <p>
          The program ended while <code>{oneLine(toolOf(step.call ?? "") ?? "a call", 60)}</code> was being called. The call may
          have acted, so it is not made again without a decision.
        </p>
      )}
      {row.waited > 0 && (
        <p class="note">
          {row.open ? "It has waited" : "The run had waited"} {duration(row.waited)}.
        </p>
      )}
      {step.thoughts && (
        <section>
          <h3>Thoughts</h3>
          <p class="thoughts-text">{block(step.thoughts)}</p>
        </section>
      )}
      {step.text && (
        <section>
          <h3>{step.kind === "said" ? "Said" : "Text"}</h3>
          {step.text.length > LONGEST_MARKDOWN ? <Pieces text={step.text} label="Text" /> : <Markdown text={step.text} top={4} />}
        </section>
      )}
      {step.calls && step.calls.length > 0 && (
        <section>
          <h3>Calls</h3>
          <ul class="plain-list">
            {step.calls.map((call) => (
              <li>
                <code>{oneLine(toolOf(call) ?? "", 60)}</code> <span class="note">{oneLine(call, 60)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {step.kind === "called" && (
        <section>
          <h3>Arguments</h3>
          <Json value={step.args} label="Arguments" />
        </section>
      )}
      {step.kind === "called" && !row.open && (step.error ?? null) === null && (
        <section>
          <h3>Result</h3>
          {step.taint && (
            <p class="badges">
              <TaintBadge taint={step.taint} />
            </p>
          )}
          <Json value={step.result} label="Result" />
        </section>
      )}
      {row.open && (
        <p class="note">
          It has not ended: {oneLine(String(step.detail ?? "open"), 60)}.{" "}
          {info.state === "waiting" && <a href={href("waiting")}>Decide on what waits</a>}
        </p>
      )}
      {step.kind === "decided" && step.detail !== undefined && step.detail !== null && (
        <section>
          <h3>{step.decision === "deny" ? "Reason" : "Detail"}</h3>
          <Json value={step.detail} label="Detail" />
        </section>
      )}
      {(step.error ?? null) !== null && (
        <section>
          <h3>Error{step.errorKind ? ` (${oneLine(step.errorKind, 40)})` : ""}</h3>
          <pre class="error-text" tabIndex={0}>{block(step.error ?? "").slice(0, 20_000)}</pre>
        </section>
      )}
      {step.finishReason && <p class="note">The model ended with “{oneLine(step.finishReason, 60)}”.</p>}
    </>
  );
}
