import { useEffect, useState } from "preact/hooks";
import { load, message } from "./api";
import { DiffView } from "./diff-view";
import { BackIcon, CheckIcon } from "./icons";
import { useLoaded } from "./loaded";
import { ReplaySteps } from "./replay-steps";
import { href } from "./route";
import { Store, useStore } from "./store";
import { studio } from "./studio";
import { duration, oneLine } from "./text";
import type { Comparison, LiveReplay, RequestDifference, RunInfo } from "./types";

const pathOf = (run: string) => `/studio/runs/${encodeURIComponent(run)}`;

/** A recorded run beside what the documents as they are now would make of it. */
export function ReplayView({ id }: { id: string }) {
  const state = useStore(studio);
  const run = useLoaded(() => load<{ info: RunInfo }>(pathOf(id)), [id]);
  const compared = useLoaded(
    (signal) => load<Comparison>(`${pathOf(id)}/replay`, { signal }),
    [id, state?.version],
  );
  const agent = run.value?.info.agent;
  return (
    <div class="page replay">
      <p class="back">
        <a href={href("runs", id)}>
          <BackIcon />
          <span>The run</span>
        </a>
      </p>
      <h1>Replay{agent && ` of ${oneLine(agent, 60)}`}</h1>
      <section aria-labelledby="requests">
        <h2 id="requests">The requests</h2>
        <p class="hint">
          Each request of the recorded run is compared with the one that the document as it is now would send. No model is asked.
        </p>
        <div role="status">
          {compared.problem ? (
            <p class="problem">{compared.problem}</p>
          ) : compared.value ? (
            <ComparisonView comparison={compared.value} />
          ) : (
            <p class="note">
              <span class="pulse" /> Comparing…
            </p>
          )}
        </div>
      </section>
      <Anew id={id} />
    </div>
  );
}

function ComparisonView({ comparison: { requests, difference, sentOtherwise } }: { comparison: Comparison }) {
  return (
    <>
      {requests === 0 && difference === null ? (
        <p class="verdict">The run has no requests.</p>
      ) : difference === null ? (
        <p class="verdict same">
          <CheckIcon />
          {requests === 1 ? "Its one request is the same." : `All ${requests.toLocaleString("en")} requests are the same.`}
        </p>
      ) : (
        <DifferenceView difference={difference} />
      )}
      {sentOtherwise.length > 0 && (
        <p class="note">
          {sentOtherwise.length === 1 ? "Request" : "Requests"} {sentOtherwise.slice(0, 10).join(", ")}
          {sentOtherwise.length > 10 && ` and ${sentOtherwise.length - 10} more`}{" "}
          {sentOtherwise.length === 1 ? "was" : "were"} sent in another form than the records lead to, because a hook or another
          version of the program changed {sentOtherwise.length === 1 ? "it" : "them"}.
        </p>
      )}
    </>
  );
}

function partOf({ part, name }: RequestDifference): string {
  const named = oneLine(String(name ?? ""), 60);
  const parts: Record<string, string> = {
    model: "the model",
    settings: "the settings",
    instruction: "the instruction",
    tool: `the tool ${named}`,
    toolOrder: "the order of the tools",
    message: `message ${named}`,
  };
  return parts[part] ?? "the request";
}

function DifferenceView({ difference }: { difference: RequestDifference }) {
  const { recorded, part, ended } = difference;
  const request = `Request ${difference.request.toLocaleString("en")} of ${oneLine(difference.agent, 80)}`;
  const changed =
    recorded !== null && difference.new !== null
      ? `differs in ${partOf(difference)}`
      : part === "request"
        ? recorded === null
          ? "was not sent by the recorded run"
          : "is not sent any more"
        : recorded === null
          ? `has ${partOf(difference)} now`
          : `no longer has ${partOf(difference)}`;
  return (
    <>
      <p class="verdict differs">
        {request} {changed}.
      </p>
      {ended && <p class="problem">The new run ended before it: {oneLine(ended, 500)}</p>}
      <p class="note">This is the first difference. What follows it may be another run, so it is not compared.</p>
      <DiffView before={recorded} after={difference.new} titles={["Recorded", "As the document is now"]} />
    </>
  );
}

interface Asked {
  since: number | null;
  value: LiveReplay | null;
  problem: string | null;
}

// The answers cost money, so they stay while one looks elsewhere.
const askedOf = new Map<string, Store<Asked>>();
const NOTHING: Asked = { since: null, value: null, problem: null };

function asked(id: string): Store<Asked> {
  const known = askedOf.get(id) ?? new Store<Asked>(NOTHING);
  askedOf.set(id, known);
  return known;
}

async function ask(id: string): Promise<void> {
  const store = asked(id);
  store.set({ ...NOTHING, since: Date.now() });
  try {
    store.set({ ...NOTHING, value: await load<LiveReplay>(`${pathOf(id)}/replay`, { body: {} }) });
  } catch (error) {
    store.set({ ...NOTHING, problem: message(error) });
  }
}

function Anew({ id }: { id: string }) {
  const { since, value, problem } = useStore(asked(id));
  const state = useStore(studio);
  return (
    <section aria-labelledby="anew">
      <h2 id="anew">The models, asked anew</h2>
      <p class="hint">
        The agent of the document as it is now gets the same input{!state?.offline && ", and costs what it costs in any run"}. A call
        that equals a recorded one gets the recorded result. Any other call is not made: the model gets an error in its place.
      </p>
      {state?.readOnly && <p class="note">This page is read-only, so it cannot ask models.</p>}
      <div class="actions">
        <button type="button" disabled={since !== null || state?.readOnly} onClick={() => void ask(id)}>
          {value || problem ? "Ask again" : "Ask the models anew"}
        </button>
        {since !== null && <Asking since={since} />}
      </div>
      <div role="status">
        {problem && <p class="problem">{problem}</p>}
        {value && <ReplaySteps replay={value} />}
      </div>
    </section>
  );
}

function Asking({ since }: { since: number }) {
  const [, redraw] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => redraw((n) => n + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  return (
    <span class="note">
      <span class="pulse" /> Asking, for {duration(Math.floor((Date.now() - since) / 1000) * 1000)}
    </span>
  );
}
