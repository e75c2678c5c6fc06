// What the server sends. Members may be added later, so nothing here is exhaustive.

export interface Schema {
  type?: string | string[];
  title?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  additionalProperties?: Schema | boolean;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  $ref?: string;
  $defs?: Record<string, Schema>;
}

export interface Agent {
  name: string;
  document: string;
  description: string;
  instruction: string;
  model: string;
  signature: string;
  parameters: Schema | null;
  tools: string[];
  agents: string[];
  /** The resources that the tools of this agent may access, if they are fewer than those of other agents. */
  grants: string[] | null;
  settings: Record<string, unknown>;
  /** Whether the model and the settings are those of this page, in place of the document's. */
  changed: boolean;
}

/** A model of the catalogue. Prices are dollars for a million tokens. */
export interface Model {
  id: string;
  provider: string;
  context: number | null;
  output: number | null;
  sent: number | null;
  written: number | null;
  /** The day after which the vendor no longer serves it. */
  ends: string | null;
}

export interface ModelFinding {
  severity: "error" | "warning";
  code: string;
  message: string;
  help: string | null;
}

export interface Tool {
  name: string;
  description: string;
  signature: string;
  parameters: Schema;
  /** The schema of the result. */
  result: Schema | null;
  requiresApproval: boolean;
  settings: Record<string, unknown>;
  source: string;
  callable: boolean;
}

export interface Document {
  path: string;
  errors: number;
  warnings: number;
  runs: "this" | "last good" | "none";
}

export interface Finding {
  document: string;
  severity: "error" | "warning";
  code: string;
  message: string;
  help: string | null;
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
  excerpt: { line: number; text: string }[];
}

export interface State {
  version: number;
  readOnly: boolean;
  offline: boolean;
  /** Why the documents cannot be read or served. */
  problem: string | null;
  agents: Agent[];
  /** Descriptions of the resources that tools may access. */
  grants: string[];
  tools: Tool[];
  documents: Document[];
  findings: Finding[];
}

export interface PendingCall {
  id: string;
  tool: string;
  path: string;
  args: Record<string, unknown>;
  inDoubt?: boolean;
  /** Why the call waits, if words of strangers are in the conversation. */
  guarded?: { reason: string; effect: string };
  refusedEdit?: string;
}

/** What a result brought into the conversation: values that a stranger may have chosen, or words of strangers. */
export type Taint = "touched" | "tainted";

export interface Waiting {
  run: string;
  agent: string;
  calls: PendingCall[];
}

export interface OpenRun {
  run: string;
  agent: string;
  state: string;
}

export interface ConversationInfo {
  name: string;
  updated: number;
  messages: number;
  run: OpenRun | null;
}

/** A version of a conversation. `shared` counts the messages at the beginning that are those of the one that was asked for. */
export interface Branch {
  name: string;
  updated: number;
  messages: number;
  shared: number;
}

/** A part of a message. Media have their bytes in `data` (base64), or one of `url`, `sha256` and `fileId` in place of them. */
export interface Part {
  type: string;
  text?: string;
  name?: string;
  mediaType?: string;
  data?: string;
  url?: string;
  sha256?: string;
  fileId?: string;
  provider?: string;
}

export interface Message {
  role: string;
  content?: string | Part[];
  toolCalls?: { id: string; tool: string; args: unknown }[];
  callId?: string;
  name?: string;
  isError?: boolean;
  taint?: Taint;
}

export interface Conversation {
  name: string;
  messages: Message[];
  run: OpenRun | null;
  waiting: PendingCall[];
}

export interface RunInfo {
  run: string;
  agent: string;
  state: string;
  started: number;
  updated: number;
  cost: number | null;
  conversation: string | null;
  owner?: string | null;
  /** Whether the process of this page drives the run. */
  driven?: boolean;
}

export interface Usage {
  sent: number;
  written: number;
  cached: number;
}

export interface Step {
  at: number;
  since: number | null;
  place: string;
  path: string;
  kind: string;
  text?: string;
  thoughts?: string;
  model?: string;
  finishReason?: string;
  usage?: Usage;
  dollars?: number | null;
  calls?: string[];
  call?: string;
  taint?: Taint | null;
  tool?: string;
  args?: unknown;
  result?: unknown;
  error?: string | null;
  errorKind?: string;
  decision?: string;
  detail?: unknown;
  begun?: number | null;
  number?: number;
  /** The members of which there is only the beginning. */
  cut?: string[];
}

export interface RunDetail {
  info: RunInfo;
  steps: Step[];
  open?: { call: string; tool: string; args: unknown; state: string; place?: string; path?: string; begun?: number | null }[];
}

/** A request to a provider and its answer, as HTTP. */
export interface Exchange {
  number: number;
  place: string;
  started: number;
  /** Null while the request is running. */
  ended: number | null;
  url: string;
  status: number | null;
  sentBytes: number;
  receivedBytes: number;
}

export interface ExchangeBodies extends Exchange {
  request: string;
  response: string;
  /** Whether a body was too long to be kept whole. */
  cut: boolean;
}

/** The requests of a recorded run, compared with those that its agent would send now. */
export interface Comparison {
  requests: number;
  same: boolean;
  /** The numbers of the requests that were not sent in the form that the records lead to. */
  sentOtherwise: number[];
  difference: RequestDifference | null;
}

export interface RequestDifference {
  request: number;
  agent: string;
  part: string;
  name?: string | number;
  recorded: string | null;
  new: string | null;
  /** The error with which the new run ended. */
  ended?: string;
}

/** A recorded run and a new one, as one list of steps. */
export interface LiveReplay {
  steps: ReplayStep[];
  content?: string;
  error?: string;
}

export interface ReplayStep {
  side: "both" | "recorded" | "new";
  agent: string;
  text?: string;
  tool?: string;
  arguments?: unknown;
  result?: unknown;
  error?: string;
}
