import { useState } from "preact/hooks";
import type { Question } from "./conversation";
import type { Follower } from "./follow";
import { defaults, Fields } from "./form";
import { SendIcon, StopIcon } from "./icons";
import { MessageBox } from "./message-box";
import { oneLine } from "./text";
import type { Agent, Part, Schema } from "./types";

interface Props {
  /** The name of the conversation; null for a new one. */
  name: string | null;
  agent: Agent;
  live: Follower | null;
  sending: boolean;
  problem: string | null;
  /** The initial content of the box. */
  draft: { text: string; files: Part[] };
  /** Whether an earlier message is being edited: dropped files then go to its box. */
  editing: boolean;
  onSend: (question: Question) => Promise<boolean>;
  onStop: () => void;
}

export function Composer(props: Props) {
  const { agent, live, problem } = props;
  return (
    <footer class="composer">
      <div class="talk-column">
        {problem && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        {/* A run that goes on takes plain messages, whatever its agent's parameters are. */}
        {agent.parameters && !live ? (
          <Arguments key={agent.name} {...props} schema={agent.parameters} />
        ) : (
          <NewMessage {...props} />
        )}
      </div>
    </footer>
  );
}

function NewMessage({ name, agent, live, sending, draft, editing, onSend, onStop }: Props) {
  const label = !live
    ? `Message ${oneLine(agent.name, 40)}`
    : live.state === "waiting"
      ? "Decide on the call above, or add something"
      : "Say something while it works";
  return (
    <MessageBox
      label={label}
      text={draft.text}
      keptAs={name ?? "new conversation"}
      files={draft.files}
      refusal={live ? "A run that goes on takes text only. Attach files when it has ended." : null}
      busy={sending}
      keys={
        <>
          <kbd>Enter</kbd> sends, <kbd>Shift Enter</kbd> begins a line
        </>
      }
      takesDrops={!editing}
      onSend={(message, parts) => onSend({ message, parts })}
      buttons={(canSend) => (
        <>
          {live && (
            <button type="button" class="plain-button" onClick={onStop}>
              <StopIcon />
              <span>Stop</span>
            </button>
          )}
          <button type="submit" class="primary icon-only" aria-label="Send" disabled={!canSend}>
            <SendIcon />
          </button>
        </>
      )}
    />
  );
}

function Arguments({ agent, schema, sending, onSend }: Props & { schema: Schema }) {
  const [values, setValues] = useState(() => defaults(schema));
  return (
    <form
      class="arguments"
      aria-label={`Arguments of ${agent.name}`}
      onSubmit={(event) => {
        event.preventDefault();
        void onSend({ arguments: values });
      }}
    >
      <div class="arguments-fields">
        <Fields schema={schema} values={values} onChange={setValues} />
      </div>
      <div class="actions end">
        <button type="submit" class="primary" disabled={sending}>
          Call {oneLine(agent.name, 40)}
        </button>
      </div>
    </form>
  );
}
