import { useEffect, useRef, useState } from "preact/hooks";
import { load, message, Problem, send } from "./api";
import { Combobox } from "./combobox";
import { WithCode } from "./findings";
import { CheckIcon, CloseIcon } from "./icons";
import { catalogue, endOf, factsOfModel, loadCatalogue, price, tokens } from "./models";
import { SettingsForm } from "./settings-form";
import { useStore } from "./store";
import { refreshState, studio } from "./studio";
import { block, oneLine, plural } from "./text";
import type { Agent, Model, ModelFinding } from "./types";

/** A model and settings. `settings` has only those that are set. */
interface Draft {
  model: string;
  settings: Record<string, unknown>;
}

// Drafts are kept outside the component, which is mounted anew for each conversation.
const drafts = new Map<string, Draft>();

/** A panel to try another model and other settings than those of the document. */
export function ModelPanel({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const state = useStore(studio);
  const known = useStore(catalogue);
  const used: Draft = { model: agent.model, settings: agent.settings };
  const [draft, setDraft] = useState(drafts.get(agent.name) ?? null);
  // JSON fields keep their own text, so that undoing has to mount the form anew.
  const [resets, setResets] = useState(0);
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState<string | null>(null);
  const panel = useRef<HTMLElement>(null);
  const { model, settings } = draft ?? used;
  const outcome = useFindings(agent.name, draft ?? used);
  useEffect(() => {
    loadCatalogue().catch((error: unknown) => setProblem(message(error)));
  }, []);

  const edit = (next: Draft | null) => {
    if (next === null) drafts.delete(agent.name);
    else drafts.set(agent.name, next);
    setDraft(next);
    setProblem(null);
    setDone(null);
  };
  const undo = () => {
    edit(null);
    setResets((n) => n + 1);
  };
  const change = async (method: "PUT" | "DELETE", told: string) => {
    setBusy(true);
    setProblem(null);
    try {
      const path = `/studio/agents/${encodeURIComponent(agent.name)}`;
      await send(path, method === "PUT" ? { method, body: { model: model.trim(), settings } } : { method });
      await refreshState();
      undo();
      setDone(told);
      // The pressed button is about to be disabled or removed, which would drop the focus.
      requestAnimationFrame(() => panel.current?.querySelector<HTMLElement>("footer button:enabled, #model")?.focus());
    } catch (error) {
      setProblem(message(error));
    }
    setBusy(false);
  };

  const edited = draft !== null && textOf(draft) !== textOf(used);
  const errors = outcome.findings.filter(({ severity }) => severity === "error").length;
  // Says why the button is disabled, because the findings may be scrolled out of view.
  const summary = errors > 0 ? `${plural(errors, "error")} to mend first: see the findings.` : null;
  const readOnly = state?.readOnly ?? false;
  return (
    <aside
      class="model-panel"
      aria-labelledby="model-title"
      ref={panel}
      onKeyDown={(event) => {
        if (event.key === "Escape" && !event.isComposing) onClose();
      }}
    >
      <header>
        <h2 id="model-title">Model and settings</h2>
        <button type="button" class="quiet icon-only" aria-label="Close" onClick={onClose}>
          <CloseIcon />
        </button>
      </header>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void change("PUT", "New messages use this now.");
        }}
      >
        <div class="panel-content">
          <p class="hint">
            New messages to <strong>{oneLine(agent.name, 40)}</strong>{" "}
            {agent.changed ? "use what was chosen here, in place of what its document says." : "use what its document says."}
            {state?.offline && " The offline model answers in place of each model."}
          </p>
          <div class="field">
            <label for="model">Model</label>
            <Combobox
              id="model"
              value={model}
              describedBy="model-facts"
              options={known?.models.map((found) => ({ value: found.id, facts: factsOfModel(found) })) ?? []}
              onChange={(next) => edit({ model: next, settings })}
            />
            <Facts id="model-facts" model={known?.models.find(({ id }) => id === model.trim())} loaded={known !== null} />
          </div>
          {known && (
            <SettingsForm
              key={resets}
              schema={known.settings}
              values={settings}
              onChange={(next) => edit({ model, settings: next })}
            />
          )}
          <Findings outcome={outcome} />
        </div>
        <footer>
          {problem && (
            <p class="problem" role="alert">
              {problem}
            </p>
          )}
          <p class="hint" role="status">
            {readOnly ? "Read-only: what new messages use cannot be changed." : (done ?? summary)}
          </p>
          <div class="actions">
            <button type="submit" class="primary" disabled={busy || readOnly || errors > 0 || !edited}>
              Use for new messages
            </button>
            {edited && (
              <button type="button" class="quiet" disabled={busy} onClick={undo}>
                Undo
              </button>
            )}
            {agent.changed && !edited && (
              <button
                type="button"
                class="plain-button"
                disabled={busy || readOnly}
                onClick={() => void change("DELETE", "New messages use what the document says again.")}
              >
                Back to the document
              </button>
            )}
          </div>
        </footer>
      </form>
    </aside>
  );
}

/** Serializes a draft for comparison, independent of the order of its settings. */
const textOf = ({ model, settings }: Draft): string =>
  JSON.stringify([model.trim(), Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1))]);

function Facts({ id, model, loaded }: { id: string; model: Model | undefined; loaded: boolean }) {
  if (!model) {
    return (
      <p class="hint" id={id}>
        {loaded ? "The catalogue has no such model, so its price and its context are not known." : "Loading…"}
      </p>
    );
  }
  const end = endOf(model);
  return (
    <div id={id}>
      <dl class="model-facts">
        <div>
          <dt>Context</dt>
          <dd>{tokens(model.context)}</dd>
        </div>
        <div>
          <dt>Output</dt>
          <dd>{tokens(model.output)}</dd>
        </div>
        <div>
          <dt>Sent</dt>
          <dd>{price(model.sent)}</dd>
        </div>
        <div>
          <dt>Written</dt>
          <dd>{price(model.written)}</dd>
        </div>
      </dl>
      <p class="hint">
        Prices are for a million tokens.
        {end && ` ${oneLine(model.provider, 40)} ${end.past ? "stopped serving it on" : "serves it until"} ${end.day}.`}
      </p>
    </div>
  );
}

interface Outcome {
  findings: ModelFinding[];
  checking: boolean;
}

/** Checks a draft on the server, 300 ms after its last change. */
function useFindings(agent: string, draft: Draft): Outcome {
  const [outcome, setOutcome] = useState<Outcome>({ findings: [], checking: true });
  const text = textOf(draft);
  useEffect(() => {
    const stop = new AbortController();
    setOutcome((now) => ({ ...now, checking: true }));
    const timer = setTimeout(async () => {
      const body = { model: draft.model.trim(), settings: draft.settings };
      try {
        const path = `/studio/agents/${encodeURIComponent(agent)}/check`;
        const { findings } = await load<{ findings: ModelFinding[] }>(path, { body, signal: stop.signal });
        setOutcome({ findings, checking: false });
      } catch (error) {
        if (stop.signal.aborted) return;
        // The server rejects text that cannot be a model or a setting.
        const said = error instanceof Problem && error.status === 400;
        const findings: ModelFinding[] = said ? [{ severity: "error", code: "", message: error.message, help: null }] : [];
        setOutcome({ findings, checking: false });
      }
    }, 300);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [agent, text]);
  return outcome;
}

function Findings({ outcome: { findings, checking } }: { outcome: Outcome }) {
  // Errors first, because they prevent the use of the model.
  const sorted = [...findings].sort((a, b) => Number(b.severity === "error") - Number(a.severity === "error"));
  return (
    <section class="model-findings" aria-labelledby="model-findings" aria-busy={checking}>
      <h3 id="model-findings">Findings</h3>
      <div role="status">
        {sorted.map((finding) => (
          <div class={`finding ${finding.severity}`} key={`${finding.code} ${finding.message}`}>
            <p>
              <span class="severity">{finding.severity}</span> <WithCode text={oneLine(finding.message, 400)} />
            </p>
            {finding.help && (
              <p class="help">
                <WithCode text={block(finding.help).slice(0, 2000)} />
              </p>
            )}
          </div>
        ))}
        {findings.length === 0 && (
          <p class="nothing-found">
            {checking ? (
              "Checking…"
            ) : (
              <>
                <CheckIcon />
                No findings
              </>
            )}
          </p>
        )}
      </div>
    </section>
  );
}
