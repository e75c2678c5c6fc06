import { useRef, useState } from "preact/hooks";
import { load, message } from "./api";
import { defaults, Fields } from "./form";
import { BackIcon, ChevronIcon } from "./icons";
import { Json } from "./json";
import { href } from "./route";
import { useStore } from "./store";
import { studio } from "./studio";
import { block, duration, oneLine, plural } from "./text";
import type { Tool } from "./types";

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
      </nav>
      {tool && <ToolView key={tool.name} tool={tool} />}
    </div>
  );
}

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
        {tool.destructive && <span class="badge red">destructive</span>}
        {tool.readOnly && <span class="badge green">read-only</span>}
        <span class="badge">{SOURCES[tool.source] ?? oneLine(tool.source, 40)}</span>
      </p>
      <p class="description">{block(tool.description).slice(0, 4000)}</p>
      <pre class="signature" tabIndex={0} role="group" aria-label="Signature">
        {breakSignature(block(tool.signature))}
      </pre>
      <CallForm tool={tool} />
      <details class="schema">
        <summary>
          <ChevronIcon />
          <span>JSON Schema of its arguments</span>
        </summary>
        <Json value={tool.parameters} label="JSON Schema" />
      </details>
    </section>
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
      {tool.destructive && <p class="caution">This call acts for real, and what it does may not be undone.</p>}
      <div class="actions">
        <button type="submit" class={tool.destructive ? "danger" : "primary"} disabled={busy}>
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
