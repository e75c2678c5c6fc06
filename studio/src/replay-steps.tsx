import { AgentIcon, CallIcon, ReplyIcon } from "./icons";
import { Json } from "./json";
import { Markdown } from "./markdown";
import { block, jsonLine, oneLine, plural } from "./text";
import type { LiveReplay, ReplayStep } from "./types";

type Side = ReplayStep["side"];

const MARKS: Record<Side, [string, string]> = {
  both: ["=", "Both runs"],
  recorded: ["−", "Only recorded"],
  new: ["+", "Only new"],
};

/** Both runs as one list: shared steps across, the others in the column of their run. */
export function ReplaySteps({ replay: { steps, error } }: { replay: LiveReplay }) {
  const counted = (side: Side) => steps.filter((step) => step.side === side).length;
  const differ = counted("recorded") + counted("new") > 0;
  return (
    <div class="replay-steps">
      <p class="verdict">
        {differ
          ? `${plural(counted("both"), "step")} in both runs, ` +
            `${counted("recorded")} only in the recorded one, ${counted("new")} only in the new one.`
          : `Both runs have the same ${plural(steps.length, "step")}.`}
      </p>
      {differ && (
        <div class="replay-titles" aria-hidden="true">
          <span>Recorded</span>
          <span>New</span>
        </div>
      )}
      {stretches(steps).map((stretch, index) => (
        <div key={index} class={stretch.shared ? "replay-stretch shared" : "replay-stretch"}>
          {stretch.columns.map((column, at) => (
            <ol key={at}>
              {column.map((step, place) => (
                <StepView key={place} step={step} />
              ))}
            </ol>
          ))}
        </div>
      ))}
      {error !== undefined && (
        <div class="replay-error">
          <h3>The new run failed</h3>
          <pre class="error-text" tabIndex={0}>
            {block(error).slice(0, 20_000)}
          </pre>
        </div>
      )}
    </div>
  );
}

interface Stretch {
  shared: boolean;
  /** The steps of the recorded run and of the new one, or those of both. */
  columns: ReplayStep[][];
}

function stretches(steps: ReplayStep[]): Stretch[] {
  const found: Stretch[] = [];
  for (const step of steps) {
    const shared = step.side === "both";
    let last = found.at(-1);
    if (last?.shared !== shared) {
      last = { shared, columns: shared ? [[]] : [[], []] };
      found.push(last);
    }
    last.columns[step.side === "new" ? 1 : 0]?.push(step);
  }
  return found;
}

function StepView({ step }: { step: ReplayStep }) {
  const [mark, words] = MARKS[step.side];
  const called = step.tool !== undefined;
  // The run's own agent need not be named at each of its steps.
  const agent = step.agent.split("/").slice(1).map((name) => oneLine(name, 40)).join(" › ");
  return (
    <li class={`replay-step ${step.side}`}>
      <span class="diff-mark">
        <span aria-hidden="true">{mark}</span>
        <span class="visually-hidden">{words}: </span>
      </span>
      {called ? <CallIcon /> : agent ? <AgentIcon /> : <ReplyIcon />}
      <div class="replay-what">
        {agent && <p class="note">{agent}</p>}
        {called ? <CallOf step={step} /> : <Markdown text={step.text ?? ""} top={3} />}
      </div>
    </li>
  );
}

function CallOf({ step }: { step: ReplayStep }) {
  const failed = step.error !== undefined;
  return (
    <details>
      <summary>
        <code>{oneLine(step.tool ?? "", 60)}</code>
        <span class="preview">
          {jsonLine(step.arguments)}
          {failed ? ` → error: ${oneLine(step.error ?? "")}` : step.result !== undefined && ` → ${jsonLine(step.result)}`}
        </span>
      </summary>
      <Json value={step.arguments} label="Arguments" />
      <h3>{failed ? "Error" : "Result"}</h3>
      {failed ? (
        <pre class="error-text">{block(step.error ?? "").slice(0, 20_000)}</pre>
      ) : (
        <Json value={step.result} label="Result" />
      )}
    </details>
  );
}
