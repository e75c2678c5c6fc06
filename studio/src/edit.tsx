import { useEffect, useRef, useState } from "preact/hooks";
import type { Question } from "./conversation";
import { Fields } from "./form";
import { MessageBox } from "./message-box";
import type { Part, Schema } from "./types";

// The boxes in which an earlier message, or an earlier call of an agent, is edited.

interface Props {
  busy: boolean;
  onSend: (question: Question) => Promise<boolean>;
  onCancel: () => void;
}

export function EditMessage({ text, files, busy, onSend, onCancel }: Props & { text: string; files: Part[] }) {
  return (
    <MessageBox
      label="Edit your message"
      text={text}
      files={files}
      refusal={null}
      busy={busy}
      edits
      keys={
        <>
          <kbd>Escape</kbd> cancels
        </>
      }
      takesDrops
      onSend={(message, parts) => onSend({ message, parts })}
      onEscape={onCancel}
      buttons={(canSend) => (
        <>
          <button type="button" class="quiet" onClick={onCancel}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={!canSend}>
            Save &amp; send
          </button>
        </>
      )}
    />
  );
}

export function EditArguments({ schema, values: first, busy, onSend, onCancel }: Props & { schema: Schema; values: unknown }) {
  const [values, setValues] = useState(first as Record<string, unknown>);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>("input, select, textarea")?.focus(), []);
  return (
    <form
      ref={form}
      class="arguments"
      aria-label="Edit the arguments of your call"
      onSubmit={(event) => {
        event.preventDefault();
        void onSend({ arguments: values });
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape" && !event.isComposing) onCancel();
      }}
    >
      <Fields schema={schema} values={values} onChange={setValues} />
      <div class="actions end">
        <button type="button" class="quiet" onClick={onCancel}>
          Cancel
        </button>
        <button type="submit" class="primary" disabled={busy}>
          Save &amp; send
        </button>
      </div>
    </form>
  );
}
