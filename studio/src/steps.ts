import { isLeft } from "./run-state";
import { pausesOf, type Span } from "./scale";
import { duration, jsonLine, moment, oneLine } from "./text";
import type { RunDetail, Step } from "./types";

/** A step, as a line of the timeline. */
export interface Row {
  depth: number;
  step: Step;
  title: string;
  preview: string;
  since: number;
  at: number;
  /** How long the run waited for this step, in milliseconds. */
  waited: number;
  /** Whether it has not ended. */
  open: boolean;
  /** Whether a called agent did something meanwhile: its steps follow. */
  nested: boolean;
}

/** A line between two steps that says why nothing happened between them. */
export interface Mark {
  text: string;
  /** Whether the program of the run ended there. */
  crash: boolean;
}

export type Line = Row | Mark;

export const isRow = (line: Line | undefined): line is Row => line !== undefined && "step" in line;

/** Whether a step is a request to a model. An error that ends a run belongs to none. */
export const isRequest = ({ kind, since }: Step): boolean => kind === "replied" || (kind === "failed" && since !== null);

/** The lines of the timeline. */
export function linesOf(run: RunDetail, now: number): Line[] {
  const rows = rowsOf(run, now);
  // Each pause ends where a step begins.
  const pauses = new Map(pausesOf(leaves(rows)).map((pause) => [pause.at, pause]));
  const lines: Line[] = [];
  let end = run.info.started;
  let crashed = 0;
  for (const row of rows) {
    const pause = pauses.get(row.since);
    const { kind } = row.step;
    const waits = row.open && row.since === row.at;
    if (kind === "decided" || waits) row.waited = Math.max(0, row.since - (pause?.since ?? end));
    else if (kind === "interrupted") {
      // The program of a run ends once, however many calls it was making.
      if (row.at !== crashed) lines.push(crashMark(pause ?? { since: end, at: row.at }));
      crashed = row.at;
    } else if (pause) lines.push(pauseMark(row, pause));
    // Several calls may wait in one pause, but two steps that begin together have one mark.
    if (!waits) pauses.delete(row.since);
    lines.push(row);
    end = Math.max(end, row.at);
  }
  if (isLeft(run.info)) lines.push({ crash: true, text: `Nothing was recorded since ${moment(run.info.updated)}.` });
  return lines;
}

function crashMark({ since, at }: Span): Mark {
  return { crash: true, text: `The program ended here. Resumed after ${duration(at - since)}.` };
}

function pauseMark({ step }: Row, { since, at }: Span): Mark {
  const ms = duration(at - since);
  // A request is due at the step before it. One that begins later is the first of a program that continued the run.
  if (step.place === "" && isRequest(step)) return { crash: true, text: `No program drove the run for ${ms}.` };
  return { crash: false, text: `Nothing was recorded for ${ms}.` };
}

/** What was busy: a call of an agent is as long as what the agent did, waiting included, so it says nothing. */
export function leaves(rows: Row[]): Span[] {
  const found = rows.filter((row) => !row.nested);
  return found.length > 0 ? found : rows;
}

/** The steps in the order in which they began, those of called agents below their call. */
function rowsOf(run: RunDetail, now: number): Row[] {
  const open = openSteps(run, now);
  const isOpen = new Set(open);
  const tools = new Map<string, string>();
  const byPlace = new Map<string, Step[]>();
  for (const step of [...run.steps, ...open]) {
    if (step.kind === "called" && step.call !== undefined) tools.set(step.call, step.tool ?? "");
    const place = placeOf(step);
    const group = byPlace.get(place);
    if (group) group.push(step);
    else byPlace.set(place, [step]);
  }
  const rows: Row[] = [];
  const emit = (place: string, depth: number) => {
    const group = byPlace.get(place);
    if (!group) return;
    byPlace.delete(place);
    for (const step of group.sort((a, b) => begin(a) - begin(b))) {
      // The id of a call has those of the calls that lead to it, so it is the place of what the called agent did.
      const inner = step.kind === "called" ? step.call : undefined;
      const nested = inner !== undefined && byPlace.has(inner);
      const tool = oneLine(tools.get(step.call ?? "") ?? "", 60);
      rows.push({
        depth,
        step,
        title: titleOf(step, tool),
        preview: isOpen.has(step) ? `${oneLine(String(step.detail), 60)}: ${jsonLine(step.args)}` : previewOf(step, tool),
        since: begin(step),
        at: step.at,
        waited: 0,
        open: isOpen.has(step),
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

/** The calls without an outcome, as steps. Only a call that goes on takes time. */
function openSteps({ info, open }: RunDetail, now: number): Step[] {
  const goesOn = info.state === "running" && !isLeft(info);
  const end = goesOn || info.state === "waiting" ? now : info.updated;
  return (open ?? []).map(({ call, tool, args, state, place, path, begun }) => ({
    at: end,
    since: goesOn ? (begun ?? info.updated) : end,
    place: place ?? "",
    path: path ?? "",
    kind: "called",
    call,
    tool,
    args,
    detail: state,
  }));
}

/** A decision is recorded for the whole run: it belongs where its call is. */
function placeOf({ kind, place, call }: Step): string {
  return kind === "decided" && call !== undefined ? call.slice(0, Math.max(0, call.lastIndexOf("/"))) : place;
}

const begin = (step: Step): number => step.since ?? step.begun ?? step.at;

function titleOf(step: Step, tool: string): string {
  switch (step.kind) {
    case "said":
      return "Said";
    case "replied":
      return oneLine(step.model ?? "Answer", 60);
    case "called":
      return tool || "Call";
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

function previewOf(step: Step, tool: string): string {
  switch (step.kind) {
    case "said":
      return oneLine(step.text ?? "");
    case "replied":
      return oneLine(step.text || (step.calls?.length ? `asks for ${step.calls.length} call${step.calls.length > 1 ? "s" : ""}` : ""));
    case "called":
      return step.error ? oneLine(step.error) : jsonLine(step.args);
    case "decided":
      return jsonLine(step.detail) || tool;
    case "interrupted":
      return `${tool || "a call"} may have been made`;
    case "failed":
      return oneLine(step.error ?? "");
    default:
      return "";
  }
}
