import { useEffect, useRef, useState } from "preact/hooks";
import { decide, type Decision } from "./follow";
import { Fields } from "./form";
import { CheckIcon, WaitingIcon } from "./icons";
import { Json } from "./json";
import { go, href } from "./route";
import { usePolling, useStore } from "./store";
import { refreshAll, refreshRuns, runs, studio, waiting } from "./studio";
import { block, oneLine } from "./text";
import type { PendingCall, Schema } from "./types";

/** A call that waits for a person. */
export function ApprovalCard({ run, call }: { run: string; call: PendingCall }) {
  const state = useStore(studio);
  const [args, setArgs] = useState(call.args);
  // JSON areas keep their own text: undoing draws the form anew.
  const [resets, setResets] = useState(0);
  const [denying, setDenying] = useState(false);
  const [reason, setReason] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const actions = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The reason makes the card higher, and its buttons must not leave the view.
    if (denying) actions.current?.scrollIntoView({ block: "nearest" });
  }, [denying]);

  const tool = state?.tools.find(({ name }) => name === call.tool);
  const agent = state?.agents.find(({ name }) => name === call.tool);
  const schema: Schema | null = tool?.parameters ?? agent?.parameters ?? null;
  const edited = JSON.stringify(args) !== JSON.stringify(call.args);
  const agents = call.path.split("/").slice(0, -1);

  const send = async (decision: Decision) => {
    if (decision.type === "edit" && !form.current?.reportValidity()) return;
    setBusy(true);
    const wrong = await decide(run, call.id, decision);
    setProblem(wrong);
    setBusy(false);
    refreshAll();
  };

  return (
    <form class="approval" ref={form} aria-label={`Decide on ${call.tool}`} onSubmit={(event) => event.preventDefault()}>
      <header>
        <WaitingIcon />
        <span class="approval-title">
          <code class="tool">{oneLine(call.tool, 60)}</code> waits for you
        </span>
        <span class="path">{agents.map((name) => oneLine(name, 40)).join(" › ")}</span>
      </header>
      {tool?.description && <p class="hint">{oneLine(tool.description, 300)}</p>}
      {tool?.settings.destructive === true && call.guarded?.effect !== "destructive" && (
        <p class="caution">This tool says that what it does cannot be undone.</p>
      )}
      {call.guarded && <p class="caution">This call waits because {oneLine(call.guarded.reason, 400)}.</p>}
      {call.inDoubt && (
        <p class="caution">
          The program ended while this call was being made: it may already have acted. Approving makes it again.
        </p>
      )}
      {call.refusedEdit && <p class="caution">The last change was refused: {block(call.refusedEdit).slice(0, 500)}</p>}
      {schema ? <Fields key={resets} schema={schema} values={args} onChange={setArgs} fold /> : <Json value={call.args} label="Arguments" />}
      {denying && (
        <div class="field">
          <label for={`${call.id}-reason`}>Reason, which the model reads</label>
          <textarea
            id={`${call.id}-reason`}
            rows={2}
            value={reason}
            ref={(area) => area?.focus()}
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        </div>
      )}
      {problem && (
        <p class="caution" role="alert">
          {problem}
        </p>
      )}
      <div class="actions" ref={actions}>
        {denying ? (
          <>
            <button type="button" class="danger" disabled={busy} onClick={() => send({ type: "deny", reason })}>
              Deny
            </button>
            <button type="button" class="quiet" onClick={() => setDenying(false)}>
              Cancel
            </button>
          </>
        ) : (
          <>
            {edited ? (
              <button type="button" class="primary" disabled={busy} onClick={() => send({ type: "edit", args })}>
                Approve with changes
              </button>
            ) : (
              <button type="button" class="primary" disabled={busy} onClick={() => send({ type: "approve" })}>
                <CheckIcon />
                <span>Approve</span>
              </button>
            )}
            {edited && (
              <button
                type="button"
                class="quiet"
                onClick={() => {
                  setArgs(call.args);
                  setResets(resets + 1);
                }}
              >
                Undo changes
              </button>
            )}
            <button type="button" class="plain-button" disabled={busy} onClick={() => setDenying(true)}>
              Deny…
            </button>
          </>
        )}
      </div>
    </form>
  );
}

/** All calls that wait, of whatever run. */
export function WaitingView() {
  const list = useStore(waiting);
  const known = useStore(runs) ?? [];
  // Runs know their conversation.
  usePolling(() => void refreshRuns(), 15_000);
  const calls = list.flatMap((entry) => entry.calls.map((call) => ({ ...entry, call })));
  return (
    <div class="page narrow">
      <h1>Waiting</h1>
      {calls.length === 0 && (
        <div class="empty">
          <h2>Nothing waits for you</h2>
          <p>A call of a tool that requires approval pauses its run, and appears here and in its conversation.</p>
          <button type="button" onClick={() => go("talk")}>
            Talk to an agent
          </button>
        </div>
      )}
      {calls.map(({ run, agent, call }) => {
        const conversation = known.find((info) => info.run === run)?.conversation;
        return (
          <section key={`${run}/${call.id}`} class="waiting-entry" aria-label={`${call.tool} of ${agent}`}>
            <p class="where">
              {oneLine(agent, 40)}
              {conversation && <a href={href("talk", conversation)}>Open the conversation</a>}
              <a href={href("runs", run)}>Open the run</a>
            </p>
            <ApprovalCard run={run} call={call} />
          </section>
        );
      })}
    </div>
  );
}

