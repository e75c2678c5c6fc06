import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Answer, Said } from "./answer";
import { message } from "./api";
import { talkOf, type Question, type Talk, type Turn } from "./conversation";
import { EditArguments, EditMessage } from "./edit";
import { parsed, type Scope } from "./events";
import type { Follower } from "./follow";
import { AgainIcon, EditIcon } from "./icons";
import { Json } from "./json";
import { go, href } from "./route";
import { Switcher } from "./switcher";
import { count, dollars, oneLine } from "./text";
import type { Agent } from "./types";
import type { Choice } from "./versions";

interface Props {
  talk: Talk;
  agent: Agent;
  turn: Turn;
  last: boolean;
  /** Whether messages can be edited and tried again: no run goes on, and the server is not read-only. */
  free: boolean;
  versions: Choice | null;
  editing: boolean;
  onEdit: (editing: boolean) => void;
  sending?: boolean;
}

/** A message of the user with its answer. */
export function TurnView({ talk, agent, turn, last, free, versions, editing, onEdit, sending = false }: Props) {
  const { follower } = turn;
  const args = turn.args ?? storedArguments(turn.said);
  const scope: Scope | null = follower?.log.folded.scope ?? turn.scope;
  const live = follower !== null && ["running", "waiting"].includes(follower.state);
  // Nothing has come yet, or a call has ended and the next answer has not begun.
  const lastItem = scope?.items.at(-1);
  const thinking =
    (sending && !follower) ||
    (follower?.state === "running" && !follower.problem && lastItem?.kind !== "text" && !isBusyCall(lastItem));
  return (
    <article class="turn">
      <Asked {...{ talk, agent, turn, last, free, versions, editing, onEdit, args }} />
      <div class="answer">
        {scope && <Answer scope={scope} run={live ? (follower?.run ?? null) : null} />}
        {thinking && (
          <p class="thinking">
            <span class="pulse" />
            Thinking
          </p>
        )}
        {follower?.problem && <p class="problem">{follower.problem}</p>}
        {follower && !live && <Footer follower={follower} />}
      </div>
    </article>
  );
}

/** The message of a turn, with the buttons to edit it, to try again, and to switch between its versions. */
function Asked({ talk, agent, turn, last, free, versions, editing, onEdit, args }: Omit<Props, "sending"> & { args: unknown }) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const editButton = useRef<HTMLButtonElement>(null);
  const edited = useRef(false);
  useLayoutEffect(() => {
    if (!editing && edited.current) editButton.current?.focus();
    edited.current = editing;
  }, [editing]);
  if (turn.said === null && args === undefined) return null;

  // The arguments have a form only while the agent has parameters. Otherwise their JSON is edited as text.
  const asFunction = args !== undefined && agent.parameters !== null;
  const same: Question = asFunction ? { arguments: args } : { message: turn.said ?? JSON.stringify(args), parts: turn.media };
  const ask = async (question: Question): Promise<boolean> => {
    setBusy(true);
    setProblem(null);
    try {
      const name = await talk.askInstead(agent.name, turn, question);
      onEdit(false);
      talkOf(name).arrival = "composer";
      go("talk", name);
      return true;
    } catch (error) {
      setProblem(message(error));
      return false;
    } finally {
      setBusy(false);
    }
  };
  const edit = (next: boolean) => {
    setProblem(null);
    onEdit(next);
  };

  const wrong = problem && (
    <p class="problem" role="alert">
      {problem}
    </p>
  );
  if (editing) {
    return (
      <div class="editing">
        {asFunction ? (
          <EditArguments schema={agent.parameters!} values={args} busy={busy} onSend={ask} onCancel={() => edit(false)} />
        ) : (
          <EditMessage text={turn.said ?? ""} files={turn.media} busy={busy} onSend={ask} onCancel={() => edit(false)} />
        )}
        {wrong}
      </div>
    );
  }
  // A failed turn is not stored. Only at the end of the conversation can another one take its place.
  const changeable = free && (turn.stored || (turn.stored === false && last));
  return (
    <div class="asked">
      {args === undefined ? (
        <Said text={turn.said ?? ""} media={turn.media} />
      ) : (
        <div class="said args">
          <span class="visually-hidden">You called it with: </span>
          <Json value={args} label="Arguments of your call" />
        </div>
      )}
      {(changeable || versions) && (
        <div class="asked-actions">
          {changeable && (
            <div class="on-hover">
              <button type="button" class="quiet small" ref={editButton} disabled={busy} onClick={() => edit(true)}>
                <EditIcon />
                <span>Edit</span>
              </button>
              {last && (
                <button type="button" class="quiet small" disabled={busy} onClick={() => void ask(same)}>
                  <AgainIcon />
                  <span>Try again</span>
                </button>
              )}
            </div>
          )}
          {versions && <Switcher talk={talk} choice={versions} />}
        </div>
      )}
      {wrong}
    </div>
  );
}

/** The arguments of an agent are stored as the JSON that its model reads. */
function storedArguments(said: string | null): unknown {
  const value = said?.startsWith("{") ? parsed(said) : undefined;
  return typeof value === "object" && value !== null ? value : undefined;
}

const isBusyCall = (item: Scope["items"][number] | undefined): boolean =>
  item?.kind === "call" && ["writing", "running"].includes(item.call.state);

function Footer({ follower }: { follower: Follower }) {
  const { usage: reported, cost, warnings } = follower.log.folded;
  // The offline model reports no tokens.
  const usage = reported && reported.sent + reported.written > 0 ? reported : null;
  return (
    <>
      {warnings.map((warning) => (
        <p class="caution">{oneLine(warning, 400)}</p>
      ))}
      <p class="footer">
        {usage && (
          <span>
            {count(usage.sent)} tokens sent{usage.cached > 0 && `, ${count(usage.cached)} of them cached`}
          </span>
        )}
        {usage && <span>{count(usage.written)} written</span>}
        {cost !== null && <span>{dollars(cost)}</span>}
        <a href={href("runs", follower.run)}>Open the run</a>
      </p>
    </>
  );
}
