import { useRef, useState } from "preact/hooks";
import { load, message } from "./api";
import { defaults, Fields } from "./form";
import { BackIcon, ChevronIcon } from "./icons";
import { Json } from "./json";
import { href } from "./route";
import { useStore } from "./store";
import { studio } from "./studio";
import { block, duration, jsonLine, oneLine, plural } from "./text";
import type { Schema, State, Tool } from "./types";

export function ToolsView({ name }: { name: string | null }) {
  const state = useStore(studio);
  const [search, setSearch] = useState("");
  if (!state) return null;
  if (state.tools.length === 0) {
    return (
      <div class="page">
        <h1>Tools</h1>
        <div class="empty">
          <h2>No tools</h2>
          <p>Tools of the documents, built-in ones and those of MCP servers appear here as soon as an agent may call them.</p>
        </div>
      </div>
    );
  }
  const words = search.trim().toLowerCase();
  const found = state.tools.filter((tool) => `${tool.name} ${tool.description}`.toLowerCase().includes(words));
  // An agent's header links to agents too, which are no tools: then the first tool is shown.
  const tool = state.tools.find((tool) => tool.name === name) ?? found[0] ?? state.tools[0];
  return (
    <div class={`split ${name ? "named" : ""}`}>
      <h1 class="visually-hidden">Tools</h1>
      <nav class="split-list" aria-label="Tools">
        <p class="split-title" aria-hidden="true">
          Tools
        </p>
        <input
          type="search"
          placeholder="Search"
          aria-label="Search tools"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
        <p class="visually-hidden" role="status">
          {plural(found.length, "tool")}
        </p>
        <ul>
          {found.map((entry) => (
            <li key={entry.name}>
              <a href={href("tools", entry.name)} aria-current={entry === tool ? "page" : undefined}>
                <code>{oneLine(entry.name, 60)}</code>
                <span class="meta">{oneLine(entry.description, 80)}</span>
              </a>
            </li>
          ))}
        </ul>
        {found.length === 0 && <p class="hint">No tool is called like this.</p>}
        <Grants state={state} />
      </nav>
      {tool && <ToolView key={tool.name} tool={tool} />}
    </div>
  );
}

const EFFECTS = [
  ["reads", "reads private data"],
  ["untrusted", "returns strangers' words"],
  ["sends", "sends what it is given"],
  ["writes", "stores what it is given"],
] as const;

const SOURCES: Record<string, string> = { document: "of a document", "built-in": "built in", server: "of an MCP server" };

function ToolView({ tool }: { tool: Tool }) {
  return (
    <section class="split-main" aria-label={oneLine(tool.name, 60)}>
      <p class="back narrow-only">
        <a href={href("tools")}>
          <BackIcon />
          <span>Tools</span>
        </a>
      </p>
      <h2 class="tool-name">{oneLine(tool.name, 80)}</h2>
      <p class="badges">
        {tool.requiresApproval && <span class="badge amber">requires approval</span>}
        {tool.settings.destructive === true && <span class="badge red">destructive</span>}
        {tool.settings.readOnly === true && <span class="badge green">read-only</span>}
        {EFFECTS.map(([key, text]) => tool.settings[key] === true && <span key={key} class="badge amber">{text}</span>)}
        <span class="badge">{SOURCES[tool.source] ?? oneLine(tool.source, 40)}</span>
      </p>
      <p class="description">{block(tool.description).slice(0, 4000)}</p>
      <pre class="signature" tabIndex={0} role="group" aria-label="Signature">
        {breakSignature(block(tool.signature))}
      </pre>
      <Facts tool={tool} />
      <CallForm tool={tool} />
      <div>
        <SchemaView title="JSON Schema of its arguments" schema={tool.parameters} />
        {tool.result && <SchemaView title="JSON Schema of its result" schema={tool.result} />}
      </div>
    </section>
  );
}

/** What tools may reach, which is the same for all of them. */
function Grants({ state }: { state: State }) {
  const narrow = state.agents.filter(({ grants }) => grants);
  return (
    <section class="grants" aria-labelledby="grants">
      <h2 id="grants">What tools may reach</h2>
      <GrantList grants={state.grants} />
      {narrow.map(({ name, grants }) => (
        <div key={name}>
          <h3>if {oneLine(name, 40)} calls them</h3>
          <GrantList grants={grants ?? []} />
        </div>
      ))}
    </section>
  );
}

function GrantList({ grants }: { grants: string[] }) {
  if (grants.length === 0) return <p class="hint">no files, no hosts and no programs</p>;
  return (
    <ul class="badges">
      {grants.map((grant) => (
        <li key={grant} class="badge">
          {oneLine(grant, 120)}
        </li>
      ))}
    </ul>
  );
}

/** Settings that are badges already. */
const BADGES = ["requiresApproval", "readOnly", "destructive", ...EFFECTS.map(([key]) => key)];

/** How a call is made. */
function Facts({ tool }: { tool: Tool }) {
  const settings = Object.entries(tool.settings).filter(([name]) => !BADGES.includes(name));
  if (settings.length === 0) return null;
  return (
    <dl class="facts">
      {settings.map(([name, value]) => (
        <div key={name}>
          <dt>
            <code>{oneLine(name, 60)}</code>
          </dt>
          <dd>{typeof value === "boolean" ? (value ? "yes" : "no") : jsonLine(value, 400)}</dd>
        </div>
      ))}
    </dl>
  );
}

function SchemaView({ title, schema }: { title: string; schema: Schema }) {
  return (
    <details class="schema">
      <summary>
        <ChevronIcon />
        <span>{title}</span>
      </summary>
      <Json value={schema} label={title} />
    </details>
  );
}

/** A long signature has a parameter on each line. */
function breakSignature(signature: string): string {
  return signature.length > 72 ? signature.replaceAll(")==>(", ")\n  ==>(") : signature;
}

type Outcome = { result?: unknown; error?: string; kind?: string; milliseconds: number };

function CallForm({ tool }: { tool: Tool }) {
  const [values, setValues] = useState(() => defaults(tool.parameters));
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const isDestructive = tool.settings.destructive === true;

  if (!tool.callable) return <p class="note">It cannot be called from here, because only a run can give it what it needs.</p>;

  const call = async () => {
    setBusy(true);
    setProblem(null);
    setOutcome(null);
    try {
      const path = `/studio/tools/${encodeURIComponent(tool.name)}/call`;
      setOutcome(await load<Outcome>(path, { body: { arguments: values } }));
    } catch (error) {
      setProblem(message(error));
    }
    setBusy(false);
  };

  return (
    <form
      class="call-form"
      ref={form}
      aria-label={`Call ${oneLine(tool.name, 60)}`}
      onSubmit={(event) => {
        event.preventDefault();
        void call();
      }}
    >
      <h3>Call it</h3>
      <Fields schema={tool.parameters} values={values} onChange={setValues} />
      {isDestructive && <p class="caution">This call acts for real, and what it does may not be undone.</p>}
      <div class="actions">
        <button type="submit" class={isDestructive ? "danger" : "primary"} disabled={busy}>
          {busy ? "Calling…" : "Call"}
        </button>
      </div>
      <div class="outcome" role="status">
        {problem && <p class="problem">{problem}</p>}
        {outcome && outcome.error === undefined && (
          <>
            <h4>
              Result <span class="note">{duration(outcome.milliseconds)}</span>
            </h4>
            <Json value={outcome.result} label="Result" />
          </>
        )}
        {outcome?.error !== undefined && (
          <>
            <h4>
              Error{outcome.kind && ` (${oneLine(outcome.kind, 40)})`} <span class="note">{duration(outcome.milliseconds)}</span>
            </h4>
            <pre class="error-text" tabIndex={0}>{block(outcome.error).slice(0, 20_000)}</pre>
          </>
        )}
      </div>
    </form>
  );
}
