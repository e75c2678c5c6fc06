import { useEffect } from "preact/hooks";
import { online, token } from "./api";
import { WaitingView } from "./approve";
import { FindingsView } from "./findings";
import { CloseIcon, DarkIcon, FindingsIcon, LightIcon, RunsIcon, SystemIcon, TalkIcon, ToolsIcon, WaitingIcon } from "./icons";
import { ReplayView } from "./replay";
import { href, route } from "./route";
import { RunsView } from "./runs";
import { usePolling, useStore } from "./store";
import { changed, errorsOf, failure, notice, refreshWaiting, studio, waiting, watchDocuments } from "./studio";
import { TalkView } from "./talk";
import { block, oneLine, plural } from "./text";
import { setTheme, theme, type Theme } from "./theme";
import { RunView } from "./timeline";
import { ToolsView } from "./tools";

export function App() {
  return useStore(token) === null ? <NoToken /> : <Studio />;
}

function NoToken() {
  return (
    <main class="no-token">
      <h1>agent dev</h1>
      <p>
        Open the address that <code>agent dev</code> printed in the terminal. It ends with a token, which lets this page speak to
        your agents and nobody else’s page.
      </p>
      <p class="hint">The token changes with every start, so an address from an earlier one no longer works.</p>
    </main>
  );
}

function Studio() {
  const { view, name, part } = useStore(route);
  const loaded = useStore(studio) !== null;
  useEffect(() => void watchDocuments(), []);
  usePolling(() => void refreshWaiting(), 4000);
  const titles: Record<string, string> = { talk: "Talk", waiting: "Waiting", runs: "Runs", tools: "Tools", findings: "Findings" };
  const waits = useStore(waiting).length;
  useEffect(() => {
    document.title = `${waits > 0 ? `(${waits}) ` : ""}${titles[view] ?? "Talk"} · agent dev`;
  }, [view, waits]);
  return (
    <div class="shell">
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          // The fragment of the address is the route, so the focus is moved by hand.
          event.preventDefault();
          document.getElementById("main")?.focus();
        }}
      >
        Skip to the content
      </a>
      <Rail view={view} />
      <div class="content">
        <Banners />
        <main id="main" tabIndex={-1}>
          {!loaded ? (
            <div class="page">
              <h1>{titles[view] ?? "Talk"}</h1>
              <p class="note">Loading…</p>
            </div>
          ) : view === "waiting" ? (
            <WaitingView />
          ) : view === "runs" ? (
            !name ? <RunsView /> : part === "replay" ? <ReplayView key={name} id={name} /> : <RunView key={name} id={name} />
          ) : view === "tools" ? (
            <ToolsView name={name} />
          ) : view === "findings" ? (
            <FindingsView />
          ) : (
            <TalkView name={name} />
          )}
        </main>
      </div>
    </div>
  );
}

function Rail({ view }: { view: string }) {
  const state = useStore(studio);
  const list = useStore(waiting);
  const errors = errorsOf(state);
  const warnings = state?.documents.reduce((sum, { warnings }) => sum + warnings, 0) ?? 0;
  const calls = list.flatMap((entry) => entry.calls.map((call) => ({ agent: entry.agent, run: entry.run, call })));
  const current = (name: string) => (view === name ? "page" : undefined);
  return (
    <header class="rail">
      <p class="brand">agent dev</p>
      <nav aria-label="Views">
        <a href={href("talk")} aria-current={current("talk")}>
          <TalkIcon />
          <span class="name">Talk</span>
        </a>
        <a href={href("runs")} aria-current={current("runs")}>
          <RunsIcon />
          <span class="name">Runs</span>
        </a>
        <a href={href("tools")} aria-current={current("tools")}>
          <ToolsIcon />
          <span class="name">Tools</span>
        </a>
        <a href={href("findings")} aria-current={current("findings")}>
          <FindingsIcon />
          <span class="name">Findings</span>
          {errors > 0 && <Badge kind="red" text={String(errors)} label={plural(errors, "error")} />}
          {warnings > 0 && <Badge kind="amber" text={String(warnings)} label={plural(warnings, "warning")} />}
        </a>
        <a href={href("waiting")} aria-current={current("waiting")}>
          <WaitingIcon />
          <span class="name">Waiting</span>
          {calls.length > 0 && <Badge kind="amber" text={String(calls.length)} label={plural(calls.length, "call")} />}
        </a>
      </nav>
      {calls.length > 0 && (
        <ul class="rail-waiting" aria-label="Calls that wait for you">
          {calls.slice(0, 5).map(({ agent, run, call }) => (
            <li key={`${run}/${call.id}`}>
              <a href={href("waiting")}>
                <code>{oneLine(call.tool, 40)}</code>
                <span>{oneLine(agent, 40)}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
      <div class="rail-end">
        {state?.offline && <p class="mode">Offline: models are imitated.</p>}
        {state?.readOnly && <p class="mode">Read-only: nothing can be changed.</p>}
        <ThemeSwitch />
      </div>
    </header>
  );
}

function Badge({ kind, text, label }: { kind: string; text: string; label: string }) {
  return (
    <span class={`count ${kind}`}>
      <span aria-hidden="true">{text}</span>
      <span class="visually-hidden">{label}</span>
    </span>
  );
}

const THEMES: [Theme, string, () => preact.VNode][] = [
  ["system", "Colours of the system", SystemIcon],
  ["light", "Light", LightIcon],
  ["dark", "Dark", DarkIcon],
];

function ThemeSwitch() {
  const now = useStore(theme);
  const at = THEMES.findIndex(([name]) => name === now);
  const [, label, NowIcon] = THEMES[at] ?? THEMES[0]!;
  const [next] = THEMES[(at + 1) % THEMES.length] ?? THEMES[0]!;
  return (
    <>
      <div class="segments themes wide-only" role="group" aria-label="Colours">
        {THEMES.map(([name, label, Icon]) => (
          <button type="button" aria-label={label} title={label} aria-pressed={now === name} onClick={() => setTheme(name)}>
            <Icon />
          </button>
        ))}
      </div>
      {/* The top bar has room for one button, which goes through the three. */}
      <button type="button" class="quiet icon-only narrow-only" aria-label={`Colours: ${label}`} onClick={() => setTheme(next)}>
        <NowIcon />
      </button>
    </>
  );
}

function Banners() {
  const reachable = useStore(online);
  const version = useStore(changed);
  const wrong = useStore(failure);
  const told = useStore(notice);
  const state = useStore(studio);
  const errors = errorsOf(state);
  return (
    <div class="banners" role="status">
      {!reachable && (
        <p class="banner amber">
          <span class="pulse" />
          The server is gone. Start <code>agent dev</code> again: what is here stays, and runs go on where they were.
        </p>
      )}
      {reachable && wrong && <p class="banner red">{wrong}</p>}
      {reachable && state?.problem && <p class="banner red">{block(state.problem).slice(0, 2000)}</p>}
      {told && (
        <p class="banner amber">
          <span>{told}</span>
          <Close onClick={() => notice.set(null)} />
        </p>
      )}
      {reachable && version !== null && (
        <p class="banner">
          <span>
            The documents changed.{" "}
            {errors > 0 ? (
              <>
                There {errors === 1 ? "is" : "are"} <a href={href("findings")}>{plural(errors, "error")}</a>, so the last good version
                goes on.
              </>
            ) : (
              "New runs use what they say now."
            )}
          </span>
          <Close onClick={() => changed.set(null)} />
        </p>
      )}
    </div>
  );
}

function Close({ onClick }: { onClick: () => void }) {
  return (
    <button type="button" class="quiet icon-only" aria-label="Close" onClick={onClick}>
      <CloseIcon />
    </button>
  );
}
