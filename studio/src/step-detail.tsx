import { Json } from "./json";
import { Markdown } from "./markdown";
import type { Row } from "./steps";
import { block, count, dollars, duration, moment, oneLine } from "./text";

/** Everything that is known of one step. */
export function StepDetail({ row, rows }: { row: Row; rows: Row[] }) {
  const { step } = row;
  const tools = new Map(rows.flatMap((other) => (other.step.kind === "called" ? [[other.step.call, other.step.tool]] : [])));
  return (
    <>
      <h2>{row.title}</h2>
      <p class="note">
        {oneLine(step.path, 120)}
        {step.path && ", "}
        {moment(row.since)}
        {row.at > row.since && `, ${duration(row.at - row.since)}`}
      </p>
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
      {step.thoughts && (
        <section>
          <h3>Thoughts</h3>
          <p class="thoughts-text">{block(step.thoughts)}</p>
        </section>
      )}
      {step.text && (
        <section>
          <h3>{step.kind === "said" ? "Said" : "Text"}</h3>
          <Markdown text={step.text} top={4} />
        </section>
      )}
      {step.calls && step.calls.length > 0 && (
        <section>
          <h3>Calls</h3>
          <ul class="plain-list">
            {step.calls.map((call) => (
              <li>
                <code>{oneLine(tools.get(call) ?? "", 60)}</code> <span class="note">{oneLine(call, 60)}</span>
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
          <Json value={step.result} label="Result" />
        </section>
      )}
      {row.open && <p class="note">It has not ended: {oneLine(String(step.detail ?? "open"), 60)}.</p>}
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
