import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { ChevronIcon, CloseIcon, PlusIcon } from "./icons";
import { plural } from "./text";
import type { Schema } from "./types";

// A form made from the JSON Schema of an object. What has no field of its own is written as JSON.

type Values = Record<string, unknown>;
const DEEPEST = 4;

interface FieldsProps {
  schema: Schema;
  values: Values;
  onChange: (values: Values) => void;
  /** Hides optional fields that had no value at first. */
  fold?: boolean;
}

export function Fields({ schema, values, onChange, fold = false }: FieldsProps) {
  return <ObjectFields schema={schema} root={schema} values={values} onChange={onChange} fold={fold} depth={0} />;
}

/** What a form begins with: the defaults, and false for switches that must be there. */
export function defaults(schema: Schema): Values {
  const values: Values = {};
  for (const [name, raw] of Object.entries(schema.properties ?? {})) {
    const field = resolve(raw, schema);
    const required = schema.required?.includes(name) ?? false;
    if (field.default !== undefined) values[name] = field.default;
    else if (required && field.type === "boolean") values[name] = false;
    else if (required && field.type === "array") values[name] = [];
    else if (required && field.type === "object" && field.properties) values[name] = defaults(field);
  }
  return values;
}

/** Follows references inside the schema, and takes the one type of `X or null`. */
function resolve(schema: Schema, root: Schema): Schema {
  let found = schema;
  for (let step = 0; step < 8; step++) {
    const name = found.$ref?.startsWith("#/$defs/") ? found.$ref.slice(8) : null;
    const options = (found.anyOf ?? found.oneOf)?.filter((option) => option.type !== "null");
    if (name !== null) found = { ...root.$defs?.[name], ...without(found, "$ref") };
    else if (options?.length === 1) found = { ...options[0], ...without(found, "anyOf", "oneOf") };
    else break;
  }
  if (Array.isArray(found.type)) {
    const types = found.type.filter((type) => type !== "null");
    return types.length === 1 ? { ...found, type: types[0]! } : found;
  }
  return found;
}

function without(schema: Schema, ...keys: (keyof Schema)[]): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !keys.includes(key as keyof Schema)));
}

interface ObjectProps extends FieldsProps {
  root: Schema;
  depth: number;
}

function ObjectFields({ schema, root, values, onChange, fold, depth }: ObjectProps) {
  const [first] = useState(values);
  const set = (name: string, value: unknown) => {
    const next = { ...values };
    if (value === undefined) delete next[name];
    else next[name] = value;
    onChange(next);
  };
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0) {
    if (schema.additionalProperties === undefined || schema.additionalProperties === false) {
      return <p class="hint">It takes no arguments.</p>;
    }
    return <JsonField name="arguments" schema={schema} value={values} required onChange={(v) => onChange((v ?? {}) as Values)} />;
  }
  const isRequired = (name: string) => schema.required?.includes(name) ?? false;
  const draw = ([name, field]: [string, Schema]) => (
    <Field
      key={name}
      name={name}
      schema={resolve(field, root)}
      root={root}
      depth={depth}
      fold={fold}
      required={isRequired(name)}
      value={values[name]}
      onChange={(value) => set(name, value)}
    />
  );
  const hidden = fold ? properties.filter(([name]) => !isRequired(name) && first[name] === undefined) : [];
  return (
    <div class="fields">
      {properties.filter((property) => !hidden.includes(property)).map(draw)}
      {hidden.length > 0 && (
        <details class="more-fields">
          <summary>
            <ChevronIcon />
            <span>{plural(hidden.length, "more argument")}, not given</span>
          </summary>
          <div class="fields">{hidden.map(draw)}</div>
        </details>
      )}
    </div>
  );
}

interface FieldProps {
  name: string;
  schema: Schema;
  value: unknown;
  required: boolean;
  onChange: (value: unknown) => void;
}

const isScalar = (schema: Schema) => ["string", "number", "integer"].includes(String(schema.type));

function Field(props: FieldProps & { root: Schema; depth: number; fold: boolean | undefined }) {
  const { name, schema, root, value, required, onChange, depth, fold } = props;
  const fits = (type: string) => value === undefined || value === null || typeof value === type;
  if (schema.enum && schema.enum.every((option) => typeof option !== "object")) return <EnumField {...props} />;
  if (schema.type === "boolean" && fits("boolean")) return <BooleanField {...props} />;
  if (schema.type === "string" && fits("string")) return <TextField {...props} />;
  if ((schema.type === "number" || schema.type === "integer") && fits("number")) return <NumberField {...props} />;
  if (schema.type === "array" && typeof schema.items === "object" && (value === undefined || Array.isArray(value))) {
    const item = resolve(schema.items, root);
    if (isScalar(item) && !item.enum) return <ListField {...props} item={item} value={value as unknown[] | undefined} />;
  }
  if (schema.type === "object" && schema.properties && depth < DEEPEST && fits("object") && !Array.isArray(value)) {
    return (
      <fieldset>
        <legend>
          <Label name={name} required={required} />
        </legend>
        {schema.description && <p class="hint">{schema.description}</p>}
        <ObjectFields schema={schema} root={root} values={(value ?? {}) as Values} onChange={onChange} fold={fold} depth={depth + 1} />
      </fieldset>
    );
  }
  return <JsonField {...props} />;
}

function Label({ name, required }: { name: string; required: boolean }) {
  return (
    <>
      {name}
      {!required && <span class="optional"> optional</span>}
    </>
  );
}

/** The label and description around an input. `children` gets the ids. */
function Labelled(props: FieldProps & { wide?: boolean; children: (id: string, hint: string | undefined) => preact.ComponentChildren }) {
  const id = useId();
  const hint = props.schema.description ? `${id}-hint` : undefined;
  return (
    <div class={props.wide ? "field wide" : "field"}>
      <label for={id}>
        <Label name={props.name} required={props.required} />
      </label>
      {props.children(id, hint)}
      {hint && (
        <p class="hint" id={hint}>
          {props.schema.description}
        </p>
      )}
    </div>
  );
}

function TextField(props: FieldProps) {
  const { schema, required, onChange } = props;
  const value = typeof props.value === "string" ? props.value : "";
  // It begins as one line and grows with what is in it.
  const long = value.length > 60 || value.includes("\n");
  const write = (text: string) => onChange(text === "" && !required ? undefined : text);
  return (
    <Labelled {...props} wide>
      {(id, hint) => (
        <textarea
          id={id}
          aria-describedby={hint}
          rows={long ? 4 : 1}
          value={value}
          required={required && (schema.minLength ?? 0) > 0}
          maxLength={schema.maxLength}
          onInput={(event) => write(event.currentTarget.value)}
        />
      )}
    </Labelled>
  );
}

function NumberField(props: FieldProps) {
  const { schema, required, value, onChange } = props;
  const input = useRef<HTMLInputElement>(null);
  // While a user types `1.` or `1e`, the browser reports no value. Setting one then would erase these characters.
  useLayoutEffect(() => {
    const box = input.current;
    if (!box || (box.validity.badInput && box === document.activeElement)) return;
    const shown = box.value === "" ? undefined : box.valueAsNumber;
    if (shown !== value) box.value = typeof value === "number" ? String(value) : "";
  }, [value]);
  return (
    <Labelled {...props}>
      {(id, hint) => (
        <input
          ref={input}
          id={id}
          type="number"
          aria-describedby={hint}
          step={schema.type === "integer" ? 1 : "any"}
          min={schema.minimum}
          max={schema.maximum}
          required={required}
          onInput={(event) => {
            const { value: text, valueAsNumber, validity } = event.currentTarget;
            // An unfinished number leaves the last value.
            if (validity.badInput) return;
            if (text === "") onChange(undefined);
            else if (Number.isFinite(valueAsNumber)) onChange(valueAsNumber);
          }}
        />
      )}
    </Labelled>
  );
}

function BooleanField({ name, schema, value, required, onChange }: FieldProps) {
  const id = useId();
  return (
    <div class="field check">
      <input
        id={id}
        type="checkbox"
        checked={value === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <label for={id}>
        <Label name={name} required={required} />
        {schema.description && <span class="hint"> {schema.description}</span>}
      </label>
    </div>
  );
}

function EnumField(props: FieldProps) {
  const { schema, required, value, onChange } = props;
  const options = schema.enum ?? [];
  return (
    <Labelled {...props}>
      {(id, hint) => (
        <select
          id={id}
          aria-describedby={hint}
          required={required}
          value={options.includes(value) ? String(options.indexOf(value)) : required ? "" : "-1"}
          onChange={(event) => onChange(options[Number(event.currentTarget.value)])}
        >
          <option value={required ? "" : "-1"} selected={!options.includes(value)}>
            {required ? "Choose…" : "Not set"}
          </option>
          {options.map((option, index) => (
            <option value={String(index)} selected={option === value}>
              {String(option)}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

function ListField({ name, schema, item, value, required, onChange }: FieldProps & { item: Schema; value: unknown[] | undefined }) {
  const entries = value ?? [];
  const numeric = item.type !== "string";
  const set = (index: number, text: string) => {
    const next = [...entries];
    next[index] = numeric && text !== "" ? Number(text) : text;
    onChange(next);
  };
  const remove = (index: number) => {
    const next = entries.filter((_, at) => at !== index);
    onChange(next.length === 0 && !required ? undefined : next);
  };
  return (
    <fieldset class="list">
      <legend>
        <Label name={name} required={required} />
      </legend>
      {schema.description && <p class="hint">{schema.description}</p>}
      {entries.map((entry, index) => (
        <div class="entry" key={index}>
          <input
            // The types of Preact want one known word here.
            type={(numeric ? "number" : "text") as "number"}
            step={item.type === "integer" ? 1 : "any"}
            aria-label={`${name} ${index + 1}`}
            required={numeric}
            value={String(entry ?? "")}
            onInput={(event) => set(index, event.currentTarget.value)}
          />
          <button type="button" class="quiet icon-only" aria-label={`Remove ${name} ${index + 1}`} onClick={() => remove(index)}>
            <CloseIcon />
          </button>
        </div>
      ))}
      <button type="button" class="quiet small" onClick={() => onChange([...entries, ""])}>
        <PlusIcon />
        <span>Add {name}</span>
      </button>
    </fieldset>
  );
}

/** Text that need not be JSON while it is written. The form cannot be sent before it is. */
function JsonField(props: FieldProps) {
  const { required, value, onChange } = props;
  const [text, setText] = useState(() => (value === undefined ? "" : JSON.stringify(value, null, 2)));
  return (
    <Labelled {...props} wide>
      {(id, hint) => (
        <textarea
          id={id}
          class="code"
          aria-describedby={hint}
          rows={Math.min(10, Math.max(3, text.split("\n").length))}
          spellcheck={false}
          placeholder="JSON"
          required={required}
          value={text}
          onInput={(event) => {
            const area = event.currentTarget;
            setText(area.value);
            try {
              onChange(area.value.trim() === "" ? undefined : JSON.parse(area.value));
              area.setCustomValidity("");
            } catch {
              area.setCustomValidity("This is not JSON yet.");
            }
          }}
        />
      )}
    </Labelled>
  );
}
