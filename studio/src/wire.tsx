import { useMemo, useState } from "preact/hooks";
import { load } from "./api";
import { Frames, framesOf } from "./frames";
import { DownloadIcon } from "./icons";
import { JsonTree } from "./json-tree";
import { useLoaded } from "./loaded";
import { Pieces } from "./pieces";
import { saveFile } from "./save";
import { useStore } from "./store";
import { studio } from "./studio";
import { bytes, duration, oneLine, plural } from "./text";
import type { Exchange, ExchangeBodies, RunInfo, Step } from "./types";

export type Side = "request" | "answer";

/** A longer text is not parsed: a tree of it would take seconds. */
const LONGEST_TREE = 4_000_000;

const pathOf = (run: string) => `/studio/runs/${encodeURIComponent(run)}/exchanges`;

// The last list and the last bodies are kept, because a person opens the steps of one run one after the other, and both
// sides of an exchange.
let lastList: { key: string; list: Promise<Kept> } | null = null;
let lastBodies: { key: string; bodies: Promise<ExchangeBodies> } | null = null;

interface Kept {
  exchanges: Exchange[];
  /** Why something could not be kept. */
  problem?: string | null;
}

function listOf({ run, updated }: RunInfo): Promise<Kept> {
  const key = `${run} ${updated}`;
  if (lastList?.key !== key) {
    const list = load<Kept>(pathOf(run));
    lastList = { key, list };
    list.catch(() => (lastList = null));
  }
  return lastList.list;
}

function bodiesOf(run: string, { number, ended }: Exchange): Promise<ExchangeBodies> {
  const key = `${run} ${number} ${ended ?? ""}`;
  if (lastBodies?.key !== key) {
    const bodies = load<ExchangeBodies>(`${pathOf(run)}/${number}`);
    lastBodies = { key, bodies };
    bodies.catch(() => (lastBodies = null));
  }
  return lastBodies.bodies;
}

/** The exchanges of a step: those of its place that began while it was under way. */
export function exchangesOf(step: Step, exchanges: Exchange[]): Exchange[] {
  const since = step.since ?? step.at;
  // The next request of the same agent may begin in the millisecond in which this one ended.
  const begins = ({ started }: Exchange) => started >= since && (started < step.at || since === step.at);
  return exchanges.filter((exchange) => exchange.place === step.place && begins(exchange));
}

/** The exact request of a step, or the answer to it. */
export function Wire({ info, step, side }: { info: RunInfo; step: Step; side: Side }) {
  // Exchanges are kept before their step is recorded, so they need not be loaded again while the run goes on.
  const listed = useLoaded(() => listOf(info), [info.run, step.place, step.at]);
  const exchanges = useMemo(() => exchangesOf(step, listed.value?.exchanges ?? []), [step, listed.value]);
  const [chosen, setChosen] = useState(-1);
  if (listed.problem) return <p class="problem">{listed.problem}</p>;
  if (!listed.value) return <p class="note">Loading…</p>;
  const exchange = exchanges.at(chosen);
  if (!exchange) return <NotKept info={info} problem={listed.value.problem ?? null} />;
  return (
    <>
      {exchanges.length > 1 && <Attempts exchanges={exchanges} chosen={exchange} onChoose={setChosen} />}
      <p class="wire-address">
        <code>{oneLine(exchange.url, 300)}</code>
      </p>
      <Figures exchange={exchange} />
      <Late step={step} first={exchanges[0] ?? exchange} />
      <Bodies key={exchange.number} info={info} exchange={exchange} side={side} />
    </>
  );
}

function NotKept({ info, problem }: { info: RunInfo; problem: string | null }) {
  const offline = useStore(studio)?.offline ?? false;
  if (problem) return <p class="problem">Requests could not be kept: {oneLine(problem, 300)}</p>;
  const reason =
    info.owner !== undefined && info.owner !== "studio"
      ? "another program made this run."
      : offline
        ? "the offline model answers without a network."
        : "the run is an old one, or the offline model answered.";
  return <p class="note">There is nothing to show of this request: {reason}</p>;
}

/** Says that a request was sent long after it was due. */
function Late({ step, first }: { step: Step; first: Exchange }) {
  const late = first.started - (step.since ?? first.started);
  if (late < 5000) return null;
  return (
    <p class="note">
      It was sent {duration(late)} after the step before it: hooks took so long, or no program drove the run.
    </p>
  );
}

function statusOf({ status, ended }: Exchange): string {
  return status !== null ? String(status) : ended === null ? "under way" : "no answer";
}

const took = ({ started, ended }: Exchange): string => (ended === null ? "" : duration(ended - started));

function Attempts(props: { exchanges: Exchange[]; chosen: Exchange; onChoose: (index: number) => void }) {
  return (
    <div class="attempts" role="group" aria-label="Attempts">
      <span class="note">Sent {plural(props.exchanges.length, "time")}</span>
      {props.exchanges.map((exchange, index) => (
        <button
          key={exchange.number}
          type="button"
          class={`small ${exchange.status === 200 ? "" : "failed"}`}
          aria-pressed={exchange === props.chosen}
          onClick={() => props.onChoose(index)}
        >
          {index + 1}: {statusOf(exchange)}
        </button>
      ))}
    </div>
  );
}

function Figures({ exchange }: { exchange: Exchange }) {
  const figures = {
    Status: statusOf(exchange),
    Took: took(exchange),
    Sent: bytes(exchange.sentBytes),
    Received: bytes(exchange.receivedBytes),
  };
  return (
    <dl class="figures">
      {Object.entries(figures).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value || "–"}</dd>
        </div>
      ))}
    </dl>
  );
}

function Bodies({ info, exchange, side }: { info: RunInfo; exchange: Exchange; side: Side }) {
  const { value, problem } = useLoaded(() => bodiesOf(info.run, exchange), [info.run, exchange.number, exchange.ended]);
  if (problem) return <p class="problem">{problem}</p>;
  if (!value) return <p class="note">Loading…</p>;
  return (
    <>
      {value.cut && <p class="note">It was too long to be kept whole: a part of it was left out.</p>}
      <Body
        key={side}
        text={side === "request" ? value.request : value.response}
        side={side}
        file={`${info.run}-${exchange.number}-${side}`}
      />
    </>
  );
}

function Body({ text, side, file }: { text: string; side: Side; file: string }) {
  const [asText, setAsText] = useState(false);
  const found = useMemo(() => contentOf(text, side), [text]);
  if (text === "") return <p class="note">{side === "request" ? "The request has no body." : "No answer arrived."}</p>;
  const label = side === "request" ? "Request" : "Answer";
  return (
    <section class="wire-body" aria-label={label}>
      <div class="wire-tools">
        {found.kind !== "text" && (
          <div class="segments" role="group" aria-label="How it is shown">
            <button type="button" aria-pressed={!asText} onClick={() => setAsText(false)}>
              {found.kind === "tree" ? "Tree" : "Frames"}
            </button>
            <button type="button" aria-pressed={asText} onClick={() => setAsText(true)}>
              Exact text
            </button>
          </div>
        )}
        <button type="button" class="quiet small" onClick={() => saveFile(`${file}.${found.kind === "tree" ? "json" : "txt"}`, text)}>
          <DownloadIcon />
          <span>Save as a file</span>
        </button>
      </div>
      {found.kind === "text" && text.length > LONGEST_TREE && (
        <p class="note">It is too long to be drawn as a tree. Save it to see the whole.</p>
      )}
      {asText || found.kind === "text" ? (
        <Pieces text={text} label={label} />
      ) : found.kind === "tree" ? (
        <JsonTree value={found.value} label={label} />
      ) : (
        <Frames frames={found.frames} />
      )}
    </section>
  );
}

type Content = { kind: "tree"; value: unknown } | { kind: "frames"; frames: string[] } | { kind: "text" };

function contentOf(text: string, side: Side): Content {
  if (text.length <= LONGEST_TREE) {
    try {
      return { kind: "tree", value: JSON.parse(text) };
    } catch {
      // An answer may be streamed, or come from a proxy that writes HTML.
    }
  }
  const frames = side === "answer" ? framesOf(text) : null;
  return frames ? { kind: "frames", frames } : { kind: "text" };
}
