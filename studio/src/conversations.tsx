import { useState } from "preact/hooks";
import { message, send } from "./api";
import { forget, titleOf } from "./conversation";
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
        {list?.map((info) => <Entry key={info.name} info={info} current={info.name === current} />)}
      </ul>
    </nav>
  );
}

function Entry({ info, current }: { info: ConversationInfo; current: boolean }) {
  const [asking, setAsking] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const title = oneLine(titleOf(info.name), 60);
  const state = info.run?.state;

  const remove = async () => {
    try {
      await send(`/api/conversations/${encodeURIComponent(info.name)}`, { method: "DELETE" });
      forget(info.name);
      void refreshConversations();
      if (current) go("talk");
    } catch (error) {
      setProblem(message(error));
    }
  };

  if (asking) {
    return (
      <li class="conversation asking" role="group" aria-label={`Delete ${title}?`}>
        <p>{problem ?? `Delete “${title}” for good?`}</p>
        <div class="actions">
          <button type="button" class="danger small" onClick={remove}>
            Delete
          </button>
          {/* The harmless answer has the focus. */}
          <button type="button" class="quiet small" ref={(button) => button?.focus()} onClick={() => setAsking(false)}>
            Keep
          </button>
        </div>
      </li>
    );
  }
  return (
    <li class="conversation">
      <a href={href("talk", info.name)} aria-current={current ? "page" : undefined}>
        <span class="title">{title}</span>
        <span class="meta">
          {state === "running" && <span class="state running">running</span>}
          {state === "waiting" && <span class="state waiting">waits for you</span>}
          {!state && `${ago(info.updated)}, ${plural(info.messages, "message")}`}
        </span>
      </a>
      <button type="button" class="quiet icon-only delete" aria-label={`Delete ${title}`} onClick={() => setAsking(true)}>
        <DeleteIcon />
      </button>
    </li>
  );
}
