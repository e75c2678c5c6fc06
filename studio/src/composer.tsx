import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Question } from "./conversation";
import type { Follower } from "./follow";
import { defaults, Fields } from "./form";
import { SendIcon, StopIcon } from "./icons";
import { oneLine } from "./text";
import type { Agent, Schema } from "./types";

interface Props {
  agent: Agent;
  live: Follower | null;
  sending: boolean;
  problem: string | null;
  /** What the box has in it at first. */
  draft: string;
  onSend: (question: Question) => Promise<boolean>;
  onStop: () => void;
}

export function Composer(props: Props) {
  const { agent, live, problem } = props;
  return (
    <footer class="composer">
      <div class="column">
        {problem && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        {/* A run that goes on takes plain messages, whatever its agent's parameters are. */}
        {agent.parameters && !live ? <Arguments {...props} schema={agent.parameters} /> : <TextBox {...props} />}
      </div>
    </footer>
  );
}

function TextBox({ agent, live, sending, draft, onSend, onStop }: Props) {
  const [text, setText] = useState(draft);
  const area = useRef<HTMLTextAreaElement>(null);

  useLayoutEffect(() => {
    // As high as its text; the style sheet limits it.
    const box = area.current;
    if (!box) return;
    box.style.height = "auto";
    box.style.height = `${box.scrollHeight}px`;
  }, [text]);

  const send = async () => {
    const message = text.trim();
    if (message === "" || sending) return;
    setText("");
    const sent = await onSend({ message });
    if (!sent) setText((now) => now || message);
    area.current?.focus();
  };

  const placeholder = !live
    ? `Message ${oneLine(agent.name, 40)}`
    : live.state === "waiting"
      ? "Decide on the call above, or add something"
      : "Say something while it works";
  return (
    <form
      class="text-box"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <textarea
        ref={area}
        rows={1}
        value={text}
        placeholder={placeholder}
        aria-label={placeholder}
        aria-describedby="composer-keys"
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          // Enter while an input method composes a character belongs to it.
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          void send();
        }}
      />
      <div class="text-box-actions">
        <span class="hint keys" id="composer-keys">
          <kbd>Enter</kbd> sends, <kbd>Shift Enter</kbd> begins a line
        </span>
        {live && (
          <button type="button" class="plain-button" onClick={onStop}>
            <StopIcon />
            <span>Stop</span>
          </button>
        )}
        <button type="submit" class="primary icon-only" aria-label="Send" disabled={text.trim() === "" || sending}>
          <SendIcon />
        </button>
      </div>
    </form>
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
