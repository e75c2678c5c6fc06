import { useMemo, useRef, useState } from "preact/hooks";
import { JsonTree } from "./json-tree";
import { Pieces } from "./pieces";
import { oneLine, plural } from "./text";
import { useRowKeys, VirtualList } from "./virtual";

const ROW = 26;
const FIELD = /^(?:event|data|id|retry)?:/;

/** Returns the frames of a streamed answer, or null if the text is another kind of answer. */
export function framesOf(text: string): string[] | null {
  const start = text.trimStart().slice(0, 20);
  const lines = FIELD.test(start);
  if (!lines && !start.startsWith("{")) return null;
  const frames = text.split(/\r?\n\r?\n/).filter((frame) => frame.trim() !== "");
  // Some frames are JSON values without field names. A single JSON value is an answer that was not streamed.
  return lines || (frames.length > 1 && parsed(frames[0] ?? "") !== undefined) ? frames : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

interface Frame {
  event: string;
  data: string;
}

function frameOf(text: string): Frame {
  if (!FIELD.test(text.trimStart())) return { event: "", data: text };
  const lines = text.split(/\r?\n/);
  const field = (name: string) =>
    lines.filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).replace(/^ /, ""));
  return { event: field("event").join(" "), data: field("data").join("\n") };
}

/** The list of frames, and below it the chosen frame. */
export function Frames({ frames }: { frames: string[] }) {
  const [chosen, setChosen] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const keys = useRowKeys(list, { count: frames.length, onMove: setChosen });
  const text = frames[chosen] ?? "";
  const value = useMemo(() => parsed(frameOf(text).data), [text]);
  return (
    <div class="frames">
      <p class="note">It was streamed in {plural(frames.length, "frame")}.</p>
      <div class="frame-list" ref={list} onKeyDown={keys} style={{ height: `${Math.min(frames.length, 9) * ROW + 2}px` }}>
        <VirtualList count={frames.length} rowHeight={ROW} label="Frames" reveal={chosen}>
          {(index) => (
            <FrameRow
              index={index}
              text={frames[index] ?? ""}
              before={frames[index - 1] ?? ""}
              chosen={index === chosen}
              onChoose={() => setChosen(index)}
            />
          )}
        </VirtualList>
      </div>
      {value === undefined ? (
        <Pieces key={chosen} text={text} label={`Frame ${chosen + 1}`} />
      ) : (
        <JsonTree key={chosen} value={value} label={`Frame ${chosen + 1}`} />
      )}
    </div>
  );
}

/** Returns the members that differ from those of the frame before, because a row has room for little. */
function previewOf(data: string, before: string, type: unknown): string {
  const value = data.length < 10_000 ? parsed(data) : undefined;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return data;
  const last = before.length < 10_000 ? parsed(before) : undefined;
  const known = (typeof last === "object" && last !== null ? last : {}) as Record<string, unknown>;
  const isNew = ([name, member]: [string, unknown]) =>
    !(name === "type" && member === type) && JSON.stringify(member) !== JSON.stringify(known[name]);
  return JSON.stringify(Object.fromEntries(Object.entries(value).filter(isNew)));
}

function FrameRow(props: { index: number; text: string; before: string; chosen: boolean; onChoose: () => void }) {
  const { event, data } = frameOf(props.text);
  const type = event || /^\{"type": ?"([^"]{1,60})"/.exec(data)?.[1];
  const preview = previewOf(data, frameOf(props.before).data, type);
  return (
    <button
      type="button"
      class="frame"
      data-row={props.index}
      tabIndex={props.chosen ? 0 : -1}
      aria-pressed={props.chosen}
      onClick={props.onChoose}
    >
      <span class="number">{(props.index + 1).toLocaleString("en")}</span>
      {type && <span class="frame-event">{oneLine(type, 60)}</span>}
      <span class="preview">{oneLine(preview || props.text, 160)}</span>
    </button>
  );
}
