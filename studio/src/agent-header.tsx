import { ChevronIcon, SettingsIcon } from "./icons";
import { href } from "./route";
import { block, oneLine, plural } from "./text";
import type { Agent } from "./types";

interface Props {
  agent: Agent;
  agents: Agent[];
  fixed: boolean;
  onChoose: (name: string) => void;
  listButton: preact.ComponentChildren;
  panelOpen: boolean;
  onPanel: (open: boolean) => void;
}

/** Shows the agent of the conversation with its model, and opens the panel for both. */
export function AgentHeader({ agent, agents, fixed, onChoose, listButton, panelOpen, onPanel }: Props) {
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
        <button
          type="button"
          class="quiet small model-button"
          id="model-button"
          aria-label="Model and settings"
          aria-expanded={panelOpen}
          onClick={() => onPanel(!panelOpen)}
        >
          <SettingsIcon />
          <span class="wide-only">Model and settings</span>
        </button>
      </div>
      <About agent={agent} />
    </header>
  );
}

function About({ agent }: { agent: Agent }) {
  const callable = agent.tools.length + agent.agents.length;
  return (
    <details class="agent-more">
      <summary>
        <ChevronIcon />
        <code>{oneLine(agent.model, 60)}</code>
        {agent.changed && <span class="badge accent"><span class="wide-only">model </span>changed here</span>}
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
  );
}
