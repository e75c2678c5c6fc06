import { useMemo, useState } from "preact/hooks";
import { titleOf } from "./conversation";
import { dateOf, dayName, dayOf } from "./days";
import { CloseIcon } from "./icons";
import { DayPlot } from "./plot";
import { go, href } from "./route";
import { RunState, stateOf } from "./run-state";
import { usePolling, useStore } from "./store";
import { refreshRuns, runs } from "./studio";
import { dollars, duration, moment, oneLine, plural } from "./text";
import type { RunInfo } from "./types";
import { VirtualList } from "./virtual";

const ROW = 44;
const STATES = ["running", "unfinished", "waiting", "done", "failed", "cancelled", "damaged"];

// Kept while one looks at a run.
const filter = { state: "", agent: "", search: "", day: "" };

export function RunsView() {
  const list = useStore(runs);
  const [, redraw] = useState(0);
  usePolling(() => void refreshRuns(), 3000);
  const set = (key: keyof typeof filter, value: string) => {
    filter[key] = value;
    redraw((n) => n + 1);
  };
  const agents = useMemo(() => [...new Set(list?.map(({ agent }) => agent))].sort(), [list]);
  const ofDays = useMemo(() => list?.filter(matches) ?? [], [list, filter.state, filter.agent, filter.search]);
  const found = filter.day ? ofDays.filter(({ started }) => dayOf(started) === filter.day) : ofDays;

  if (list?.length === 0) {
    return (
      <div class="page">
        <h1>Runs</h1>
        <div class="empty">
          <h2>No runs yet</h2>
          <p>Every message to an agent begins a run, and what happens in it is recorded here.</p>
          <button type="button" onClick={() => go("talk")}>
            Talk to an agent
          </button>
        </div>
      </div>
    );
  }
  return (
    <div class="page full">
      <div class="page-head">
        <h1>Runs</h1>
        <div class="filters" role="search">
          <input
            type="search"
            placeholder="Search"
            aria-label="Search runs"
            value={filter.search}
            onInput={(event) => set("search", event.currentTarget.value)}
          />
          <select aria-label="State" value={filter.state} onChange={(event) => set("state", event.currentTarget.value)}>
            <option value="">Every state</option>
            {STATES.map((state) => (
              <option value={state}>{state}</option>
            ))}
          </select>
          <select aria-label="Agent" value={filter.agent} onChange={(event) => set("agent", event.currentTarget.value)}>
            <option value="">Every agent</option>
            {agents.map((agent) => (
              <option value={agent}>{oneLine(agent, 40)}</option>
            ))}
          </select>
          {filter.day && (
            <button type="button" class="small" onClick={() => set("day", "")}>
              <span>{dayName(dateOf(filter.day))}</span>
              <CloseIcon />
              <span class="visually-hidden">Show every day</span>
            </button>
          )}
          <span class="note" role="status">
            {list && plural(found.length, "run")}
          </span>
        </div>
      </div>
      {ofDays.length > 0 && <DayPlot runs={ofDays} day={filter.day} onDay={(day) => set("day", day)} />}
      {list && found.length === 0 ? (
        <div class="empty">
          <h2>No run is like this</h2>
          <button type="button" onClick={() => Object.keys(filter).forEach((key) => set(key as keyof typeof filter, ""))}>
            Show all runs
          </button>
        </div>
      ) : (
        <div class="run-list">
          <div class="run-row head">
            <span>State</span>
            <span>Agent</span>
            <span class="conversation-name">Conversation</span>
            <span class="number started">Started</span>
            <span class="number">Took</span>
            <span class="number">Cost</span>
          </div>
          <VirtualList count={found.length} rowHeight={ROW} label="Runs">
            {(index) => {
              const info = found[index];
              return info && <RunRow info={info} />;
            }}
          </VirtualList>
        </div>
      )}
    </div>
  );
}

function matches(info: RunInfo): boolean {
  if (filter.state && stateOf(info) !== filter.state) return false;
  if (filter.agent && info.agent !== filter.agent) return false;
  const words = filter.search.trim().toLowerCase();
  if (words === "") return true;
  const text = `${info.run} ${info.agent} ${info.conversation ?? ""} ${titleOf(info.conversation ?? "")}`;
  return text.toLowerCase().includes(words);
}

function RunRow({ info }: { info: RunInfo }) {
  const end = stateOf(info) === "running" ? Date.now() : info.updated;
  return (
    <a class="run-row" href={href("runs", info.run)}>
      <RunState info={info} />
      <span class="run-agent">{oneLine(info.agent, 60)}</span>
      <span class="conversation-name">{info.conversation ? oneLine(titleOf(info.conversation), 80) : ""}</span>
      <span class="number started">{moment(info.started)}</span>
      <span class="number">{duration(end - info.started)}</span>
      <span class="number">{dollars(info.cost)}</span>
    </a>
  );
}
