import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { message } from "./api";
import { AttachIcon, CloseIcon } from "./icons";
import { factsOf, imageUrl, nameOf, readFile } from "./media";
import { MediaIcon, useBytes } from "./media-view";
import type { Part } from "./types";

// The list of files that are sent with a message, and the ways to add one: button, paste, drop.

export interface Attachments {
  files: Part[];
  /** Whether a file is being read. */
  reading: boolean;
  problem: string | null;
  add: (files: Iterable<File>) => Promise<void>;
  remove: (index: number) => void;
  replace: (files: Part[]) => void;
}

/** Keeps the files of a message box. `refusal` is the reason why files cannot be attached now, or null. */
export function useAttachments(first: Part[], refusal: string | null): Attachments {
  const [files, setFiles] = useState(first);
  const [reading, setReading] = useState(0);
  const [problem, setProblem] = useState<string | null>(null);
  // Reading takes time. A file that is added or removed meanwhile must not be lost, so the list is read from here.
  const latest = useRef(first);
  const set = (next: Part[]) => {
    latest.current = next;
    setFiles(next);
  };
  useEffect(() => setProblem(null), [refusal]);
  const add = async (given: Iterable<File>) => {
    if (refusal !== null) return setProblem(refusal);
    setReading((count) => count + 1);
    const problems = [];
    for (const file of given) {
      try {
        const part = await readFile(file, latest.current);
        set([...latest.current, part]);
      } catch (error) {
        problems.push(message(error));
      }
    }
    setProblem(problems.join("\n") || null);
    setReading((count) => count - 1);
  };
  const replace = (next: Part[]) => {
    set(next);
    setProblem(null);
  };
  return {
    files,
    reading: reading > 0,
    problem,
    add,
    remove: (index) => replace(latest.current.filter((_, at) => at !== index)),
    replace,
  };
}

/** Passes files that are dropped anywhere on the page to `take`. Returns whether files are being dragged over the page. */
export function useDroppedFiles(take: (files: File[]) => void): boolean {
  const [over, setOver] = useState(false);
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    const drag = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      // Without `preventDefault`, the browser leaves the page and opens the file.
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      setOver(false);
      if (!hasFiles(event)) return;
      event.preventDefault();
      latest.current([...(event.dataTransfer?.files ?? [])]);
    };
    addEventListener("dragover", drag);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", drag);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, []);
  return over;
}

export function AttachButton({ attachments, refusal }: { attachments: Attachments; refusal: string | null }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={(event) => {
          const { files } = event.currentTarget;
          void attachments.add([...(files ?? [])]);
          // An input that keeps its value reports no change when a removed file is chosen again.
          event.currentTarget.value = "";
        }}
      />
      <button
        type="button"
        class="quiet icon-only"
        aria-label="Attach files"
        title={refusal ?? "Attach files"}
        aria-disabled={refusal !== null}
        onClick={() => (refusal === null ? input.current?.click() : void attachments.add([]))}
      >
        <AttachIcon />
      </button>
    </>
  );
}

export function AttachedFiles({ attachments, onEmpty }: { attachments: Attachments; onEmpty: () => void }) {
  const { files, problem, remove } = attachments;
  const list = useRef<HTMLUListElement>(null);
  const removeAt = (index: number) => {
    remove(index);
    // Moves the focus before its button disappears, so that it does not fall back to the page.
    const buttons = list.current?.querySelectorAll("button") ?? [];
    if (buttons.length > 1) buttons[index === buttons.length - 1 ? index - 1 : index + 1]?.focus();
    else onEmpty();
  };
  return (
    <>
      {files.length > 0 && (
        <ul class="attached" aria-label="Attached files" ref={list}>
          {files.map((part, index) => (
            <li key={index} class="file">
              <Attached part={part} />
              <button type="button" class="quiet icon-only" aria-label={`Remove ${nameOf(part)}`} onClick={() => removeAt(index)}>
                <CloseIcon />
              </button>
            </li>
          ))}
        </ul>
      )}
      {problem && (
        <p class="caution" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}

function Attached({ part: given }: { part: Part }) {
  const part = useBytes(given);
  const url = useMemo(() => imageUrl(part), [part]);
  return (
    <>
      {url !== null ? (
        <img class="thumbnail" src={url} alt="" />
      ) : (
        <span class="thumbnail">
          <MediaIcon part={part} />
        </span>
      )}
      <span class="file-text">
        <span class="file-name">{nameOf(part)}</span>
        <span class="file-facts">{factsOf(part)}</span>
      </span>
    </>
  );
}
