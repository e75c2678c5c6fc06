import { useState } from "preact/hooks";
import { message, send } from "./api";
import { href } from "./route";
import { markResumed } from "./run-state";
import { saveFile } from "./save";
import { useStore } from "./store";
import { refreshAll, studio } from "./studio";
import { moment } from "./text";
import type { RunInfo } from "./types";

const pathOf = (run: string) => `/studio/runs/${encodeURIComponent(run)}`;

/** Runs an action at most once at a time, and keeps the problem with which it ended. */
function useAction(action: () => Promise<void>) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const begin = async () => {
    setBusy(true);
    setProblem(null);
    try {
      await action();
    } catch (error) {
      setProblem(message(error));
    }
    setBusy(false);
  };
  return { busy, problem, begin: () => void begin() };
}

/** What can be done with each run. */
export function RunActions({ info }: { info: RunInfo }) {
  const cassette = useAction(async () => {
    const response = await send(`${pathOf(info.run)}/cassette`);
    saveFile(`${info.run}.json`, await response.text());
  });
  return (
    <div class="run-actions">
      <div class="actions">
        <a class="button" href={href("runs", info.run, "replay")}>
          <span>
            Replay<span class="more-words"> with the document as it is now</span>
          </span>
        </a>
        <button type="button" disabled={cassette.busy} aria-describedby="cassette" onClick={cassette.begin}>
          Save as cassette
        </button>
      </div>
      <p class="hint" id="cassette">
        A test replays a cassette without asking a model.
      </p>
      <div role="status">{cassette.problem && <p class="problem">{cassette.problem}</p>}</div>
    </div>
  );
}

/** A run that has not ended, and that no program seems to drive. */
export function LeftRun({ info, onChange }: { info: RunInfo; onChange: () => void }) {
  const readOnly = useStore(studio)?.readOnly ?? false;
  const resume = useAction(async () => {
    await send(`${pathOf(info.run)}/resume`, { body: {} });
    markResumed(info.run);
    onChange();
    refreshAll();
  });
  return (
    <div class="left-run">
      <div>
        <p>
          Nothing was recorded of this run since {moment(info.updated)}. If its program has ended, resume the run: it goes on where it
          was.
        </p>
        <div role="status">{resume.problem && <p class="problem">{resume.problem}</p>}</div>
      </div>
      <button type="button" class="primary" disabled={resume.busy || readOnly} onClick={resume.begin}>
        Resume
      </button>
    </div>
  );
}
