import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Answer, Said } from "./answer";
import { Composer } from "./composer";
import { forget, newName, rememberAgent, rememberedAgent, talkOf, type Question, type Talk, type Turn } from "./conversation";
import { ConversationList } from "./conversations";
import { parsed, type Scope } from "./events";
import { stop, type Follower } from "./follow";
import { ChevronIcon, ListIcon } from "./icons";
import { Json } from "./json";
import { go, href } from "./route";
import { Store, useStore } from "./store";
import { conversations, runs, studio } from "./studio";
import { block, count, dollars, oneLine, plural } from "./text";
import type { Agent } from "./types";

const nothing = new Store(0);

export function TalkView({ name }: { name: string | null }) {
  const [listOpen, setListOpen] = useState(false);
  useEffect(() => setListOpen(false), [name]);
  return (
    <div class={`talk ${listOpen ? "list-open" : ""}`}>
      <ConversationList current={name} />
      <Conversation
        key={name ?? ""}
        name={name}
        listButton={
          <button
            type="button"
            class="quiet icon-only narrow-only"
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

function Conversation({ name, listButton }: { name: string | null; listButton: preact.ComponentChildren }) {
  const agents = useStore(studio)?.agents ?? [];
  const talk = useMemo(() => (name ? talkOf(name) : null), [name]);
  useStore(talk?.changed ?? nothing);
  useStore(talk?.turns.at(-1)?.follower?.changed ?? nothing);

  const known = useStore(conversations)?.find((info) => info.name === name);
  const ofRun = useStore(runs)?.find((info) => info.conversation === name && name !== null)?.agent;
  const [chosen, setChosen] = useState<string | null>(null);
  const before = talk?.turns.at(-1)?.follower?.agent ?? known?.run?.agent ?? (name && rememberedAgent(name)) ?? ofRun;
  const agent = agents.find(({ name }) => name === (chosen ?? before)) ?? agents[0];

  // Another tab may have begun a run.
  const openRun = known?.run?.run;
  useEffect(() => {
    if (!talk || talk.sending) return;
    if (!talk.loaded || (openRun && openRun !== talk.lastRun && !talk.live)) void talk.load();
  }, [talk, openRun]);

  if (!agent) {
    return (
      <section class="talk-main" aria-label="Conversation">
        <div class="empty">
          <h1>No agent yet</h1>
          <p>Write one in a .gram document of the project, and it appears here.</p>
          <a class="button" href={href("findings")}>
            See the documents
          </a>
        </div>
      </section>
    );
  }

  const send = async (question: Question): Promise<boolean> => {
    const words = "message" in question ? question.message : agent.name;
    const target = talk ?? talkOf(newName(words));
    rememberAgent(target.name, agent.name);
    const sent = target.send(agent.name, question);
    if (!talk) go("talk", target.name);
    const done = await sent;
    // A conversation that never began is not worth an entry in the history.
    if (!done && !talk && target.turns.length === 0) {
      forget(target.name);
      failedStart.set({ problem: target.problem, text: words });
      go("talk");
    } else failedStart.set(null);
    return done;
  };

  return (
    <section class="talk-main" aria-label="Conversation">
      <AgentHeader agent={agent} agents={agents} fixed={talk?.live != null} onChoose={setChosen} listButton={listButton} />
      {talk ? <Messages talk={talk} /> : <Beginning agent={agent} />}
      <Composer
        key={agent.name}
        agent={agent}
        live={talk?.live ?? null}
        sending={talk?.sending ?? false}
        problem={talk ? talk.problem : (failedStart.get()?.problem ?? null)}
        draft={talk || agent.parameters ? "" : (failedStart.get()?.text ?? "")}
        onSend={send}
        onStop={async () => {
          if (talk?.live) await stop(talk.live.run).catch(() => {});
        }}
      />
    </section>
  );
}

// Why the last new conversation did not begin, and what was to be said in it.
const failedStart = new Store<{ problem: string | null; text: string } | null>(null);

interface HeaderProps {
  agent: Agent;
  agents: Agent[];
  fixed: boolean;
  onChoose: (name: string) => void;
  listButton: preact.ComponentChildren;
}

function AgentHeader({ agent, agents, fixed, onChoose, listButton }: HeaderProps) {
  const callable = agent.tools.length + agent.agents.length;
  return (
    <header class="agent">
      <div class="agent-line">
        {listButton}
        <h1 class="visually-hidden">Talk to {agent.name}</h1>
        <select aria-label="Agent" value={agent.name} disabled={fixed} onChange={(event) => onChoose(event.currentTarget.value)}>
          {agents.map(({ name }) => (
            <option value={name} selected={name === agent.name}>
              {oneLine(name, 60)}
            </option>
          ))}
        </select>
        <p class="agent-description">{oneLine(agent.description, 200)}</p>
      </div>
      <details class="agent-more">
        <summary>
          <ChevronIcon />
          <code>{oneLine(agent.model, 60)}</code>
          <span>{callable === 0 ? "no tools" : plural(callable, "tool")}</span>
        </summary>
        <dl>
          <dt>Signature</dt>
          <dd>
            <code>{oneLine(agent.signature, 400)}</code>
          </dd>
          <dt>Instruction</dt>
          <dd class="instruction">{block(agent.instruction).slice(0, 4000)}</dd>
          <dt>Tools</dt>
          <dd class="chips">
            {[...agent.agents, ...agent.tools].map((tool) => (
              <a class="chip" href={href("tools", tool)}>
                {oneLine(tool, 60)}
              </a>
            ))}
          </dd>
          <dt>Document</dt>
          <dd>
            <code>{oneLine(agent.document, 200)}</code>
          </dd>
        </dl>
      </details>
    </header>
  );
}

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

function Messages({ talk }: { talk: Talk }) {
  const last = talk.turns.at(-1);
  const log = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const follower = last?.follower ?? null;
  const tick = useStore(follower?.changed ?? nothing);

  // Text that comes in scrolls the page only for those who read its end.
  const waits = follower?.state === "waiting";
  useLayoutEffect(() => {
    const box = log.current;
    if (box && atEnd.current && !waits) box.scrollTop = box.scrollHeight;
  }, [tick, talk.changed.get()]);

  // A call that waits is read from its beginning, and what comes after the decision is followed again.
  useEffect(() => {
    if (!waits) atEnd.current = true;
    else if (atEnd.current) log.current?.querySelector(".approval")?.scrollIntoView({ block: "start" });
  }, [waits]);

  // Turns that are over are drawn once, however often the last one changes.
  const past = useMemo(
    () => talk.turns.slice(0, -1).map((turn, index) => <TurnView key={index} turn={turn} />),
    [talk, talk.turns, talk.turns.length],
  );

  return (
    <div
      class="messages"
      ref={log}
      tabIndex={0}
      role="region"
      aria-label="Messages"
      onScroll={(event) => {
        const box = event.currentTarget;
        atEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < 60;
      }}
    >
      <div class="column">
        {!talk.loaded && <p class="note">Loading…</p>}
        {talk.loaded && talk.turns.length === 0 && (
          <div class="empty">
            <h2>Nothing here</h2>
            <p>This conversation does not exist, or was deleted. A message begins it anew.</p>
          </div>
        )}
        {past}
        {last && <TurnView key={talk.turns.length - 1} turn={last} sending={talk.sending} />}
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

function TurnView({ turn, sending }: { turn: Turn; sending?: boolean }) {
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
      {turn.said !== null && args === undefined && <Said text={turn.said} />}
      {args !== undefined && (
        <div class="said args">
          <span class="visually-hidden">You called it with: </span>
          <Json value={args} label="Arguments of your call" />
        </div>
      )}
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
