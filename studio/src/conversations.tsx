import { useEffect, useRef, useState } from "preact/hooks";
import { message, send } from "./api";
import { forget, titleOf } from "./conversation";
import { baseOf, families, type Family } from "./family";
import { DeleteIcon, PlusIcon } from "./icons";
import { go, href } from "./route";
import { usePolling, useStore } from "./store";
import { conversations, refreshConversations, refreshRuns } from "./studio";
import { ago, oneLine, plural } from "./text";
import type { ConversationInfo } from "./types";

export function ConversationList({ current }: { current: string | null }) {
  const list = useStore(conversations);
  usePolling(() => void refreshConversations(), 8000);
  // Runs know the agent of a conversation that began elsewhere.
  usePolling(() => void refreshRuns(), 30_000);
  return (
    <nav class="conversations" aria-label="Conversations">
      <a class="button new" href={href("talk")} aria-current={current === null ? "page" : undefined}>
        <PlusIcon />
        <span>New conversation</span>
      </a>
      {list?.length === 0 && <p class="hint">Conversations are kept here. Write a message to begin one.</p>}
      <ul>
        {families(list ?? []).map((family) => (
          <Entry key={family.base} family={family} current={current && baseOf(current) === family.base ? current : null} />
        ))}
      </ul>
    </nav>
  );
}

/** One entry for a conversation and its branches. `current` is the branch that is open, or null. */
function Entry({ family, current }: { family: Family; current: string | null }) {
  const [asking, setAsking] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const asked = useRef(false);
  // The question took the place of the button, which gets the focus back.
  useEffect(() => {
    if (!asking && asked.current) button.current?.focus();
    asked.current = asking;
  }, [asking]);
  const { shown, members } = family;
  const title = oneLine(titleOf(shown.name), 60);
  const state = shown.run?.state;
  const size = members.length > 1 ? plural(members.length, "version") : plural(shown.messages, "message");
  if (asking) return <Deletion family={family} title={title} current={current} onEnd={() => setAsking(false)} />;
  return (
    <li class="conversation">
      <a href={href("talk", shown.name)} aria-current={current !== null ? "page" : undefined}>
        <span class="title">{title}</span>
        <span class="meta">
          {state === "running" && <span class="state running">running</span>}
          {state === "waiting" && <span class="state waiting">waits for you</span>}
          {!state && `${ago(shown.updated)}, ${size}`}
        </span>
      </a>
      <button type="button" class="quiet icon-only delete" ref={button} aria-label={`Delete ${title}`} onClick={() => setAsking(true)}>
        <DeleteIcon />
      </button>
    </li>
  );
}

interface DeletionProps {
  family: Family;
  title: string;
  current: string | null;
  onEnd: () => void;
}

/** Asks before it deletes. An entry stands for all versions, so all are deleted; the open one alone is a second choice. */
function Deletion({ family: { members }, title, current, onEnd }: DeletionProps) {
  const [problem, setProblem] = useState<string | null>(null);
  const many = members.length > 1;
  const keep = useRef<HTMLButtonElement>(null);
  // The harmless answer has the focus.
  useEffect(() => keep.current?.focus(), []);
  const remove = async (chosen: ConversationInfo[]) => {
    try {
      for (const { name } of chosen) {
        await send(`/api/conversations/${encodeURIComponent(name)}`, { method: "DELETE" });
        forget(name);
      }
      onEnd();
      const left = members.find((info) => !chosen.includes(info));
      if (chosen.some(({ name }) => name === current)) go("talk", left?.name);
    } catch (error) {
      setProblem(message(error));
    }
    void refreshConversations();
  };
  const open = members.filter(({ name }) => name === current);
  return (
    <li class="conversation">
      <div
        class="asking"
        role="group"
        aria-label={`Delete ${title}?`}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          // The list stays open.
          event.preventDefault();
          onEnd();
        }}
      >
        <p>{problem ?? `Delete ${many ? `all ${members.length} versions of ` : ""}“${title}” for good?`}</p>
        <div class="actions">
          <button type="button" class="danger small" onClick={() => void remove(members)}>
            {many ? `Delete all ${members.length}` : "Delete"}
          </button>
          {many && open.length > 0 && (
            <button type="button" class="small" onClick={() => void remove(open)}>
              Only the open one
            </button>
          )}
          <button type="button" class="quiet small" ref={keep} onClick={onEnd}>
            Keep
          </button>
        </div>
      </div>
    </li>
  );
}
