import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { AttachButton, AttachedFiles, useAttachments, useDroppedFiles } from "./attachments";
import type { Part } from "./types";

interface Props {
  label: string;
  text: string;
  /** The name under which this tab keeps an unsent text, also while the page is loaded again. */
  keptAs?: string;
  files: Part[];
  /** The reason why files cannot be attached now, or null. */
  refusal: string | null;
  busy: boolean;
  /** Whether the box edits an earlier message. It then takes the focus, and keeps its text while that is being sent. */
  edits?: boolean;
  /** The hint about keys, beside the buttons. */
  keys: ComponentChildren;
  /** Whether files that are dropped on the page are attached here. */
  takesDrops: boolean;
  /** Sends the message. Returns whether that succeeded. */
  onSend: (message: string, parts: Part[]) => Promise<boolean>;
  onEscape?: () => void;
  buttons: (canSend: boolean) => ComponentChildren;
}

/** A text box with attachments, for a new message and for one that is edited. */
export function MessageBox(props: Props) {
  const { label, refusal, busy, edits = false, onSend, onEscape, buttons } = props;
  const kept = props.keptAs === undefined ? null : `agent-dev-draft:${props.keptAs}`;
  const [text, setText] = useState(props.text || (kept && sessionStorage.getItem(kept)) || "");
  const attachments = useAttachments(props.files, refusal);
  const { files, reading } = attachments;
  const area = useRef<HTMLTextAreaElement>(null);
  const keys = useId();

  useEffect(() => {
    if (kept === null) return;
    sessionStorage.removeItem(kept);
    try {
      if (text !== "") sessionStorage.setItem(kept, text);
    } catch {
      // A text of megabytes has no room there.
    }
  }, [kept, text]);

  useLayoutEffect(() => {
    // The height follows the text, up to the maximum of the style sheet.
    const box = area.current;
    if (!box) return;
    box.style.height = "auto";
    box.style.height = `${box.scrollHeight}px`;
  }, [text]);

  useEffect(() => {
    if (!props.edits) return;
    area.current?.focus();
    area.current?.setSelectionRange(text.length, text.length);
  }, []);

  const canSend = (text.trim() !== "" || files.length > 0) && !busy && !reading;
  const send = async () => {
    if (!canSend) return;
    // A run may have begun after the files were attached.
    if (refusal !== null && files.length > 0) return void attachments.add([]);
    const message = text.trim();
    if (edits) return void (await onSend(message, files));
    setText("");
    // The first message of a conversation opens another page, before the effect above.
    if (kept !== null) sessionStorage.removeItem(kept);
    attachments.replace([]);
    const sent = await onSend(message, files);
    if (!sent) {
      setText((now) => now || message);
      attachments.replace(files);
    }
    area.current?.focus();
  };

  return (
    <form
      class="text-box"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <AttachedFiles attachments={attachments} onEmpty={() => area.current?.focus()} />
      <textarea
        ref={area}
        rows={1}
        value={text}
        placeholder={label}
        aria-label={label}
        aria-describedby={keys}
        onInput={(event) => setText(event.currentTarget.value)}
        onPaste={(event) => {
          const pasted = [...(event.clipboardData?.files ?? [])];
          // Office programs put a picture of copied text beside the text.
          if (pasted.length === 0 || event.clipboardData?.types.includes("text/plain")) return;
          event.preventDefault();
          void attachments.add(pasted);
        }}
        onKeyDown={(event) => {
          // Enter and Escape while an input method composes a character belong to it.
          if (event.isComposing) return;
          if (event.key === "Escape" && onEscape) {
            event.preventDefault();
            onEscape();
          }
          if (event.key !== "Enter" || event.shiftKey) return;
          event.preventDefault();
          void send();
        }}
      />
      <div class="text-box-actions">
        <AttachButton attachments={attachments} refusal={refusal} />
        <span class="hint keys" id={keys}>{props.keys}</span>
        {buttons(canSend)}
      </div>
      {props.takesDrops && <DropTarget onFiles={(files) => void attachments.add(files)} />}
    </form>
  );
}

function DropTarget({ onFiles }: { onFiles: (files: File[]) => void }) {
  return useDroppedFiles(onFiles) ? <p class="drop">Drop the files to attach them</p> : null;
}
