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
}

export interface Tool {
  name: string;
  description: string;
  signature: string;
  parameters: Schema;
  requiresApproval: boolean;
  readOnly: boolean;
  destructive: boolean;
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
  refusedEdit?: string;
}

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

export interface Part {
  type: string;
  text?: string;
  name?: string;
  mediaType?: string;
}

export interface Message {
  role: string;
  content?: string | Part[];
  toolCalls?: { id: string; tool: string; args: unknown }[];
  callId?: string;
  name?: string;
  isError?: boolean;
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
  tool?: string;
  args?: unknown;
  result?: unknown;
  error?: string | null;
  errorKind?: string;
  decision?: string;
  detail?: unknown;
  begun?: number | null;
}

export interface RunDetail {
  info: RunInfo;
  steps: Step[];
  open?: { call: string; tool: string; args: unknown; state: string; place?: string; begun?: number | null }[];
}
