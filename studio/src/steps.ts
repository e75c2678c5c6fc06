import { jsonLine, oneLine } from "./text";
import type { RunDetail, Step } from "./types";

/** A row of the timeline. */
export interface Row {
  depth: number;
  step: Step;
  title: string;
  preview: string;
  since: number;
  at: number;
  /** Whether it has not ended. */
  open: boolean;
  /** Whether a called agent did something meanwhile: its steps follow. */
  nested: boolean;
}

/** The steps in the order in which they began, those of called agents below their call. */
export function rowsOf(run: RunDetail, now: number): Row[] {
  const open: Step[] = (run.open ?? []).map(({ call, tool, args, state, place, begun }) => ({
    at: now,
    since: begun ?? (state === "waiting" ? now : run.info.updated),
    place: place ?? "",
    path: "",
    kind: "called",
    call,
    tool,
    args,
    detail: state,
  }));
  const openSteps = new Set(open);
  const byPlace = new Map<string, Step[]>();
  for (const step of [...run.steps, ...open]) {
    const group = byPlace.get(step.place);
    if (group) group.push(step);
    else byPlace.set(step.place, [step]);
  }
  const rows: Row[] = [];
  const emit = (place: string, depth: number) => {
    const group = byPlace.get(place);
    if (!group) return;
    byPlace.delete(place);
    for (const step of group.sort((a, b) => begin(a) - begin(b))) {
      const inner = step.call === undefined ? null : place === "" ? step.call : `${place}/${step.call}`;
      const nested = step.kind === "called" && inner !== null && byPlace.has(inner);
      rows.push({
        depth,
        step,
        title: titleOf(step),
        preview: previewOf(step),
        since: begin(step),
        at: step.at,
        open: openSteps.has(step),
        nested,
      });
      if (nested && depth < 20) emit(inner, depth + 1);
    }
  };
  emit("", 0);
  // Steps whose call is not recorded yet.
  for (const place of [...byPlace.keys()]) emit(place, place.split("/").length);
  return rows;
}

const begin = (step: Step): number => step.since ?? step.begun ?? step.at;

function titleOf(step: Step): string {
  switch (step.kind) {
    case "said":
      return "Said";
    case "replied":
      return oneLine(step.model ?? "Answer", 60);
    case "called":
      return oneLine(step.tool ?? "Call", 60);
    case "decided":
      return `Decided: ${oneLine(step.decision ?? "", 40)}`;
    case "interrupted":
      return "Interrupted";
    case "failed":
      return "Failed";
    default:
      return oneLine(step.kind, 40);
  }
}

function previewOf(step: Step): string {
  switch (step.kind) {
    case "said":
      return oneLine(step.text ?? "");
    case "replied":
      return oneLine(step.text || (step.calls?.length ? `asks for ${step.calls.length} call${step.calls.length > 1 ? "s" : ""}` : ""));
    case "called":
      return step.error ? oneLine(step.error) : jsonLine(step.args);
    case "decided":
      return jsonLine(step.detail);
    case "failed":
      return oneLine(step.error ?? "");
    default:
      return "";
  }
}
