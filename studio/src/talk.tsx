import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { AgentHeader } from "./agent-header";
import { Said } from "./answer";
import { Composer } from "./composer";
import { forget, newName, rememberAgent, rememberedAgent, talkOf, type Question, type Talk, type Turn } from "./conversation";
import { ConversationList } from "./conversations";
import { stop, type Follower } from "./follow";
import { ListIcon } from "./icons";
import { nameOf } from "./media";
import { BytesOf } from "./media-view";
import { ModelPanel } from "./model-panel";
import { useNarrow } from "./narrow";
import { go, href } from "./route";
import { Store, useStore } from "./store";
import { conversations, errorsOf, runs, studio } from "./studio";
import { Switcher } from "./switcher";
import { oneLine, plural } from "./text";
import { TurnView } from "./turn";
import type { Agent, Part } from "./types";
import { useVersions } from "./versions";

const nothing = new Store(0);

export function TalkView({ name }: { name: string | null }) {
  const [wantsList, setListOpen] = useState(false);
  // Where there is room, the list is always there, beside the conversation.
  const listOpen = useNarrow() && wantsList;
  const [panelOpen, setPanelOpen] = useState(false);
  useEffect(() => setListOpen(false), [name]);
  const drawn = useRef(false);
  useLayoutEffect(() => {
    // Moves the focus into the panel when it opens, and back to its button when it closes.
    if (drawn.current) document.getElementById(panelOpen ? "model" : "model-button")?.focus();
    drawn.current = true;
  }, [panelOpen]);
  return (
    <div
      class={`talk ${listOpen ? "list-open" : ""} ${panelOpen ? "panel-open" : ""}`}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !listOpen || event.defaultPrevented) return;
        setListOpen(false);
        document.getElementById("list-button")?.focus();
      }}
    >
      <ConversationList current={name} />
      <Conversation
        key={name ?? ""}
        name={name}
        listOpen={listOpen}
        panelOpen={panelOpen}
        onPanel={setPanelOpen}
        listButton={
          <button
            type="button"
            class="quiet icon-only narrow-only"
            id="list-button"
            aria-label="Conversations"
            aria-expanded={listOpen}
            onClick={() => setListOpen(!listOpen)}
          >
            <ListIcon />
          </button>
        }
      />
    </div>
  );
}

interface Props {
  name: string | null;
  /** Whether the list covers the conversation, which then takes no focus. */
  listOpen: boolean;
  panelOpen: boolean;
  onPanel: (open: boolean) => void;
  listButton: preact.ComponentChildren;
}

function Conversation({ name, listOpen, panelOpen, onPanel, listButton }: Props) {
  const state = useStore(studio);
  const agents = state?.agents ?? [];
  const talk = useMemo(() => (name ? talkOf(name) : null), [name]);
  useStore(talk?.changed ?? nothing);
  useStore(talk?.turns.at(-1)?.follower?.changed ?? nothing);

  const known = useStore(conversations)?.find((info) => info.name === name);
  const ofRun = useStore(runs)?.find((info) => info.conversation === name && name !== null)?.agent;
  const [chosen, setChosen] = useState<string | null>(null);
  const [edited, setEdited] = useState<Turn | null>(null);
  const section = useRef<HTMLElement>(null);
  const before = talk?.turns.at(-1)?.follower?.agent ?? known?.run?.agent ?? (name && rememberedAgent(name)) ?? ofRun;
  const agent = agents.find(({ name }) => name === (chosen ?? before)) ?? agents[0];

  // Another tab may have begun a run.
  const openRun = known?.run?.run;
  useEffect(() => {
    if (!talk || talk.sending) return;
    if (!talk.loaded || (openRun && openRun !== talk.lastRun && !talk.live)) void talk.load();
  }, [talk, openRun]);

  // After a message was sent in another branch, the user goes on writing there.
  useEffect(() => {
    if (talk?.arrival !== "composer") return;
    talk.arrival = null;
    section.current?.querySelector<HTMLElement>(".composer :is(textarea, input, select, button)")?.focus();
  });

  if (!agent) {
    const errors = errorsOf(state);
    return (
      <section class="talk-main" aria-label="Conversation">
        <div class="empty">
          <h1>No agent yet</h1>
          <p>
            {errors > 0
              ? `The documents have ${plural(errors, "error")}. Agents appear here when they are mended.`
              : "Write one in a .gram document of the project, and it appears here."}
          </p>
          <a class="button" href={href("findings")}>
            See the documents
          </a>
        </div>
      </section>
    );
  }

  const send = async (question: Question): Promise<boolean> => {
    const [text, files]: [string, Part[]] = "message" in question ? [question.message, question.parts] : ["", []];
    const target = talk ?? talkOf(newName(text || (files[0] ? nameOf(files[0]) : agent.name)));
    rememberAgent(target.name, agent.name);
    const sent = target.send(agent.name, question);
    if (!talk) go("talk", target.name);
    const done = await sent;
    // A conversation that never began is not worth an entry in the history.
    if (!done && !talk && target.turns.length === 0) {
      forget(target.name);
      failedStart.set({ problem: target.problem, text, files });
      go("talk");
    } else failedStart.set(null);
    return done;
  };

  const failed = talk ? null : failedStart.get();
  return (
    <>
      <section class="talk-main" aria-label="Conversation" ref={section}>
        <AgentHeader
          agent={agent}
          agents={agents}
          fixed={talk?.live != null}
          onChoose={setChosen}
          listButton={listButton}
          panelOpen={panelOpen}
          onPanel={onPanel}
        />
        <div class="talk-body" inert={listOpen}>
          <BytesOf.Provider value={name}>
            {talk ? (
              <Messages talk={talk} agent={agent} readOnly={state?.readOnly ?? false} edited={edited} onEdit={setEdited} />
            ) : (
              <Beginning agent={agent} />
            )}
          </BytesOf.Provider>
          <Composer
            name={name}
            agent={agent}
            live={talk?.live ?? null}
            sending={talk?.sending ?? false}
            problem={talk ? talk.problem : (failed?.problem ?? null)}
            draft={{ text: failed?.text ?? "", files: failed?.files ?? [] }}
            editing={edited !== null}
            onSend={send}
            onStop={async () => {
              const live = talk?.live;
              if (!live) return;
              await stop(live.run).catch(() => {});
              // The stream of a run that waits has ended, so the events of its end are asked for.
              void live.follow();
            }}
          />
        </div>
      </section>
      {panelOpen && <ModelPanel key={agent.name} agent={agent} onClose={() => onPanel(false)} />}
    </>
  );
}

// The reason why the last new conversation did not begin, and its message, which goes back into the box.
const failedStart = new Store<{ problem: string | null; text: string; files: Part[] } | null>(null);

function Beginning({ agent }: { agent: Agent }) {
  return (
    <div class="messages">
      <div class="empty">
        <h2>{oneLine(agent.name, 60)}</h2>
        <p>{oneLine(agent.description, 300)}</p>
        <p class="hint">
          {agent.parameters
            ? "It is called as a function: fill in its arguments below."
            : "Write a message below. What it does appears here as it happens."}
        </p>
      </div>
    </div>
  );
}

interface MessagesProps {
  talk: Talk;
  agent: Agent;
  readOnly: boolean;
  /** The turn whose message is being edited. */
  edited: Turn | null;
  onEdit: (turn: Turn | null) => void;
}

function Messages({ talk, agent, readOnly, edited, onEdit }: MessagesProps) {
  const last = talk.turns.at(-1);
  const versions = useVersions(talk.name);
  const log = useRef<HTMLDivElement>(null);
  // A user who switches versions stays at the turn in which they differ.
  const atEnd = useRef(talk.arrival === null || talk.arrival === "composer");
  const top = useRef(0);
  const follower = last?.follower ?? null;
  const tick = useStore(follower?.changed ?? nothing);

  // New text scrolls the messages only if their end is in view.
  const waits = follower?.state === "waiting";
  const toEnd = () => {
    const box = log.current;
    if (box && atEnd.current && !waits) box.scrollTop = box.scrollHeight;
  };
  // Images get their height when they are loaded, so `toEnd` is also called then.
  useLayoutEffect(toEnd, [tick, talk.changed.get()]);

  // A call that waits is read from its beginning, and what comes after the decision is followed again.
  const waited = useRef(false);
  useEffect(() => {
    if (waits && atEnd.current) log.current?.querySelector(".approval")?.scrollIntoView({ block: "start" });
    if (!waits && waited.current) atEnd.current = true;
    waited.current = waits;
  }, [waits]);

  const free = talk.live === null && !talk.sending && !readOnly;
  const draw = (turn: Turn, index: number) => {
    const live = turn.follower !== null && turn.follower === talk.live;
    const end = talk.turns.slice(index + 1).find(({ stored }) => stored)?.start ?? null;
    return (
      <TurnView
        key={index}
        talk={talk}
        agent={agent}
        turn={turn}
        last={turn === last}
        free={free}
        versions={turn.stored || live ? (versions?.of(turn.start, end) ?? null) : null}
        editing={turn === edited}
        onEdit={(editing) => onEdit(editing ? turn : null)}
        sending={turn === last && talk.sending}
      />
    );
  };
  // Turns that are over are drawn once, however often the last one changes.
  const past = useMemo(
    () => talk.turns.slice(0, -1).map(draw),
    [talk, talk.changed.get(), agent, free, versions, edited],
  );
  // A branch whose run failed ends before the turn in which the others differ from it.
  const after = last?.stored && free ? (versions?.after() ?? null) : null;

  return (
    <div
      class="messages"
      ref={log}
      tabIndex={0}
      role="region"
      aria-label="Messages"
      onLoadCapture={toEnd}
      onErrorCapture={toEnd}
      onScroll={(event) => {
        const box = event.currentTarget;
        // Growing content also fires this event, and leaves `scrollTop` as it is: only a user decreases it.
        if (box.scrollHeight - box.scrollTop - box.clientHeight < 60) atEnd.current = true;
        else if (box.scrollTop < top.current) atEnd.current = false;
        top.current = box.scrollTop;
      }}
    >
      <div class="talk-column">
        {!talk.loaded && <p class="note">Loading…</p>}
        {talk.loaded && talk.turns.length === 0 && (
          <div class="empty">
            <h2>Nothing here</h2>
            <p>This conversation does not exist, or was deleted. A message begins it anew.</p>
          </div>
        )}
        {past}
        {last && draw(last, talk.turns.length - 1)}
        {after && (
          <div class="version-end">
            <p class="note">This version ends here. Others go on.</p>
            <Switcher talk={talk} choice={after} />
          </div>
        )}
        {talk.undelivered().map((text) => (
          <div class="queued">
            <Said text={text} />
            <p class="note">
              {talk.live ? "The model reads this with its next request." : "The run ended before the model read this."}
            </p>
          </div>
        ))}
      </div>
      <Announcer follower={follower} />
    </div>
  );
}

/** Tells a screen reader what has happened: whole answers and calls that wait, never single words. */
function Announcer({ follower }: { follower: Follower | null }) {
  let text = "";
  if (follower) {
    const { state, scope } = follower.log.folded;
    const said = scope.items.findLast((item) => item.kind === "text");
    if (state === "running") text = "The agent works.";
    else if (state === "waiting") text = "A call waits for you.";
    else if (state === "finished") text = said?.kind === "text" ? oneLine(said.text, 500) : "The run has finished.";
    else text = state === "failed" ? "The run failed." : "The run was stopped.";
  }
  return (
    <p class="visually-hidden" role="status">
      {text}
    </p>
  );
}
