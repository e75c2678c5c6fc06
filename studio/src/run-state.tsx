import { oneLine } from "./text";
import type { RunInfo } from "./types";

/** The time without a record after which a run may have lost its program, in milliseconds. */
const SILENT = 60_000;

/** When runs were resumed here. Nothing is recorded of them before the next answer. */
const resumed = new Map<string, number>();

export function markResumed(run: string): void {
  resumed.set(run, Date.now());
}

/** Whether a run that has not ended seems to be driven by no program. */
export function isLeft({ run, state, driven, updated }: RunInfo): boolean {
  // Programs other than that of this page can drive a run too, and only its records show it.
  const heard = Math.max(updated, resumed.get(run) ?? 0);
  return state === "running" && driven !== true && Date.now() - heard > SILENT;
}

/** The state as it is shown. */
export const stateOf = (info: RunInfo): string => (isLeft(info) ? "unfinished" : info.state);

export function RunState({ info }: { info: RunInfo }) {
  const state = stateOf(info);
  return (
    <span class={`state ${state}`}>
      <span class={state === "running" ? "dot pulse" : "dot"} />
      {oneLine(state, 20)}
    </span>
  );
}
