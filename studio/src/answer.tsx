import { useStore } from "./store";
import { studio } from "./studio";
import { ApprovalCard } from "./approve";
import { Json } from "./json";
import { Markdown } from "./markdown";
import { MediaList } from "./media-view";
import { Pieces } from "./pieces";
import { AgentIcon, CallIcon, ChevronIcon } from "./icons";
import { parsed, type Call, type Item, type Scope } from "./events";
import { block, jsonLine, oneLine } from "./text";
import type { Part } from "./types";
import { TaintBadge } from "./taint";

/** A longer text is drawn in pieces and without Markdown, because laying it out would stop the page. */
const LONGEST_DRAWN = 200_000;

/** What an agent said and did. `run` is there while calls of it may be decided. */
export function Answer({ scope, run }: { scope: Scope; run: string | null }) {
  return (
    <>
      {scope.items.map((item, index) => (
        // Items are only added at the end or taken from there.
        <Piece key={index} item={item} run={run} />
      ))}
    </>
  );
}

function Piece({ item, run }: { item: Item; run: string | null }) {
  switch (item.kind) {
    case "text":
      return <AnswerText text={item.text} />;
    case "thoughts":
      return <Thoughts text={item.text} />;
    case "said":
      return <Said text={item.text} />;
    case "media":
      return <MediaList parts={[item.part]} />;
    case "note":
      return <p class="note">{oneLine(item.text)}</p>;
    case "error":
      return (
        <div class="problem">
          <strong>The run failed{item.errorKind ? ` (${oneLine(item.errorKind, 40)})` : ""}</strong>
          <p>{block(item.text).slice(0, 4000)}</p>
        </div>
      );
    case "call":
      return <CallView call={item.call} run={run} />;
  }
}

export function Said({ text, media = [] }: { text: string; media?: Part[] }) {
  return (
    <>
      {media.length > 0 && (
        <div class="said-media">
          <span class="visually-hidden">You attached: </span>
          <MediaList parts={media} />
        </div>
      )}
      {(text !== "" || media.length === 0) && (
        <div class="said">
          <span class="visually-hidden">You said: </span>
          {text.length > LONGEST_DRAWN ? <Pieces text={text} label="Your message" /> : block(text)}
        </div>
      )}
    </>
  );
}

/** An agent that answers with a value writes JSON, which reads better indented. */
function AnswerText({ text }: { text: string }) {
  if (text.length > LONGEST_DRAWN) return <Pieces text={text} label="Answer" />;
  if (/^\s*[{[]/.test(text) && text.length < 200_000) {
    const value = parsed(text);
    if (typeof value === "object" && value !== null) return <Json value={value} label="Answer" />;
  }
  return <Markdown text={text} />;
}

function Thoughts({ text }: { text: string }) {
  return (
    <details class="thoughts">
      <summary>
        <ChevronIcon />
        <span>Thoughts</span>
        <span class="preview">{oneLine(text, 90)}</span>
      </summary>
      {text.length > LONGEST_DRAWN ? <Pieces text={text} label="Thoughts" /> : <p>{block(text)}</p>}
    </details>
  );
}

const STATES: Record<Call["state"], string> = {
  writing: "writing arguments",
  asked: "asked for",
  waiting: "waits for you",
  running: "running",
  done: "done",
  failed: "failed",
};

function CallView({ call, run }: { call: Call; run: string | null }) {
  const agents = useStore(studio)?.agents ?? [];
  const isAgent = call.nested !== null || agents.some(({ name }) => name === call.tool);
  if (call.state === "waiting" && call.pending && run) {
    return <ApprovalCard key={call.id} run={run} call={call.pending} />;
  }
  const live = call.state === "writing" || call.state === "running";
  return (
    <div class={`call ${call.state}`}>
      <details>
        <summary>
          <ChevronIcon />
          {isAgent ? <AgentIcon /> : <CallIcon />}
          <code class="tool">{oneLine(call.tool, 60)}</code>
          <span class="preview">{call.state === "writing" ? oneLine(call.written, 90) : jsonLine(call.args, 90)}</span>
          {call.taint && <TaintBadge taint={call.taint} />}
          <span class={`state ${call.state}`}>
            {live && <span class="pulse" />}
            {STATES[call.state]}
          </span>
        </summary>
        <div class="call-body">
          <p class="label">Arguments</p>
          {call.args === undefined ? <pre>{block(call.written) || "…"}</pre> : <Json value={call.args} label="Arguments" />}
          {call.error !== null && (
            <>
              <p class="label">Error</p>
              <pre class="error-text">{block(call.error).slice(0, 4000)}</pre>
            </>
          )}
          {call.state === "done" && (call.result !== undefined || call.media.length === 0) && (
            <>
              <p class="label">Result</p>
              <Json value={call.result} label="Result" />
            </>
          )}
        </div>
      </details>
      {call.media.length > 0 && (
        <div class="call-media" role="group" aria-label={`Files from ${oneLine(call.tool, 60)}`}>
          <MediaList parts={call.media} />
        </div>
      )}
      {call.progress && call.state === "running" && <p class="progress">{oneLine(call.progress)}</p>}
      {call.nested && (
        <div class="nested" role="group" aria-label={`What ${oneLine(call.tool, 60)} did`}>
          <Answer scope={call.nested} run={run} />
        </div>
      )}
    </div>
  );
}
