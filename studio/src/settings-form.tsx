import { useRef, useState } from "preact/hooks";
import { Fields } from "./form";
import { CloseIcon, PlusIcon } from "./icons";
import type { Schema } from "./types";

type Values = Record<string, unknown>;

interface Props {
  schema: Schema;
  values: Values;
  /** Called with the settings that have a value. */
  onChange: (values: Values) => void;
}

/** A form for the settings that are set. Each can be removed, and others can be added. */
export function SettingsForm({ schema, values, onChange }: Props) {
  // Settings whose field is empty. The field stays, so that the user can type another value.
  const [empty, setEmpty] = useState<string[]>([]);
  const [adding, setAdding] = useState("");
  const list = useRef<HTMLDivElement>(null);
  const properties = schema.properties ?? {};
  // The order is that of the schema, so that fields do not move when one is added.
  const names = [...new Set([...Object.keys(properties), ...Object.keys(values)])];
  const isShown = (name: string) => values[name] !== undefined || empty.includes(name);
  const others = names.filter((name) => !isShown(name));

  const set = (name: string, value: unknown) => {
    const { [name]: _, ...next } = values;
    if (value === undefined || value === "") setEmpty([...empty.filter((other) => other !== name), name]);
    else next[name] = value;
    onChange(next);
  };
  const chosen = others.includes(adding) ? adding : "";
  const add = (name: string) => {
    setAdding("");
    set(name, firstValue(properties[name] ?? {}));
    // The field exists after the next render.
    requestAnimationFrame(() => fieldOf(list.current, name)?.querySelector<HTMLElement>("input, select, textarea")?.focus());
  };
  const remove = (name: string) => {
    const { [name]: _, ...next } = values;
    setEmpty(empty.filter((other) => other !== name));
    onChange(next);
    document.getElementById("add-setting")?.focus();
  };

  return (
    <section class="settings" aria-labelledby="settings-title">
      <h3 id="settings-title">Settings</h3>
      <div class="settings-list" ref={list}>
        {names.filter(isShown).map((name) => (
          <div class="setting" key={name} data-name={name}>
            <Fields
              schema={{ ...schema, properties: { [name]: properties[name] ?? {} }, required: [name] }}
              values={{ [name]: values[name] }}
              onChange={(next) => set(name, next[name])}
            />
            <button
              type="button"
              class="quiet icon-only"
              aria-label={`Remove ${name}`}
              title="Remove"
              onClick={() => remove(name)}
            >
              <CloseIcon />
            </button>
          </div>
        ))}
      </div>
      {!names.some(isShown) && <p class="hint">None is set: the model has its own.</p>}
      {others.length > 0 && (
        <div class="add-setting">
          <select
            id="add-setting"
            aria-label="Setting to add"
            value={chosen}
            onChange={(event) => setAdding(event.currentTarget.value)}
          >
            <option value="" selected={chosen === ""}>
              Another setting…
            </option>
            {others.map((name) => (
              <option value={name} selected={chosen === name}>
                {name}
              </option>
            ))}
          </select>
          <button type="button" disabled={chosen === ""} onClick={() => add(chosen)}>
            <PlusIcon />
            <span>Add</span>
          </button>
        </div>
      )}
    </section>
  );
}

// A checkbox cannot show that it has no value, so that a new one has `false`.
const firstValue = (schema: Schema): unknown => schema.default ?? (schema.type === "boolean" ? false : undefined);

const fieldOf = (list: HTMLElement | null, name: string): HTMLElement | undefined =>
  [...(list?.querySelectorAll<HTMLElement>("[data-name]") ?? [])].find((field) => field.dataset.name === name);
