// A mock model server that speaks OpenAI's chat completions. The checks script its answers.
import { once } from "node:events";
import { createServer } from "node:http";

/** Returns the options that connect `agent dev` with the mock server. */
export const modelOptions = (model) => ["--provider", `Mock=${model.url}`, "--price", "Mock/small=2,10"];

/** The environment with the API key of the mock server. */
export const MODEL_ENV = { MOCK_API_KEY: "mock-key-0123456789abcdef" };

/** Returns a document with one agent that uses the mock server. `tools` and `more` are gram. */
export const agentOf = (tools = "currentTime", more = "") => `[helper:Agent {
  description: "Answers as it is told",
  instruction: "Help with sums.",
  model: "Mock/small"${more}
} |
  ${tools}
]
`;

export const CALCULATOR = calculator("");

/** The calculator, with `requiresApproval`. */
export const ASKING_CALCULATOR = calculator(", requiresApproval: true");

function calculator(more) {
  return `[calculator:Tool {description: "Evaluates mathematical expressions."${more}} |
    (expression::Text {description: "Math expression like '2 + 2'"})==>(::Object {
      fields: [{name: "result", type: "Double", optional: true}, {name: "exact", type: "Text", optional: true}]
    })
  ]`;
}

/** An answer that is being written: streamed, or one JSON object if the request does not ask for a stream. */
class Answer {
  #response;
  #isStream;
  #calls = 0;
  #whole = { role: "assistant", content: "" };
  usage = { prompt_tokens: 80, completion_tokens: 12, total_tokens: 92 };

  constructor(response, isStream) {
    this.#response = response;
    this.#isStream = isStream;
  }

  #event(data) {
    if (!this.#response.headersSent) this.#response.writeHead(200, { "content-type": "text/event-stream" });
    return this.#response.write(`data: ${data}\n\n`);
  }

  /** Writes a delta. Returns false if the write buffer is full. */
  #delta(delta) {
    if (this.#isStream) return this.#event(JSON.stringify(bodyOf("chat.completion.chunk", { delta, finish_reason: null })));
    for (const [name, value] of Object.entries(delta)) {
      this.#whole[name] = this.#whole[name] === undefined ? value : this.#whole[name].concat(value);
    }
    return true;
  }

  /** Writes a piece of text, and waits while the write buffer is full. */
  async text(content) {
    if (this.#delta({ content }) || this.#response.closed) return;
    // The losing listener is removed, so that listeners do not accumulate.
    const stop = new AbortController();
    const events = ["drain", "close"].map((name) => once(this.#response, name, stop));
    await Promise.race(events);
    stop.abort();
    await Promise.allSettled(events);
  }

  thought(text) {
    this.#delta({ reasoning_content: text });
  }

  image(url) {
    this.#delta({ images: [{ type: "image_url", image_url: { url } }] });
  }

  call(name, args, id = `call_${this.#calls + 1}_${Math.random().toString(36).slice(2, 8)}`) {
    const made = { index: this.#calls++, id, type: "function", function: { name, arguments: JSON.stringify(args) } };
    this.#delta({ tool_calls: [made] });
  }

  end() {
    const { usage } = this;
    const finish_reason = this.#calls > 0 ? "tool_calls" : "stop";
    if (this.#isStream) {
      this.#event(JSON.stringify({ ...bodyOf("chat.completion.chunk", { delta: {}, finish_reason }), usage }));
      this.#event("[DONE]");
      this.#response.end();
    } else this.#json(200, { ...bodyOf("chat.completion", { message: this.#whole, finish_reason }), usage });
  }

  #json(status, value) {
    this.#response.writeHead(status, { "content-type": "application/json" });
    this.#response.end(JSON.stringify(value));
  }

  /** Answers with an error. */
  fail(status, message) {
    this.#json(status, { error: { message } });
  }

  /** Closes the connection in the middle of the answer. */
  drop() {
    this.#response.destroy();
  }

  get isOpen() {
    return !this.#response.writableEnded && !this.#response.destroyed;
  }
}

const bodyOf = (object, choice) => ({ id: "c1", object, created: 1, model: "small", choices: [{ index: 0, ...choice }] });

/**
 * Starts the server. `model.when(pattern, write)` registers a script: `write(answer, question)` answers each request whose last
 * user message matches. An answer that is still open when `write` returns is ended.
 */
export async function startModel() {
  const scripts = [];
  const requests = [];
  const server = createServer(async (request, response) => {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const body = JSON.parse(Buffer.concat(pieces).toString("utf8"));
    requests.push({ headers: request.headers, body });
    const { messages } = body;
    // agent-runtime sends the images of tool results as a user message after them, which no script is about.
    const asked = messages.findLast(({ role }, at) => role === "user" && messages[at - 1]?.role !== "tool");
    const script = scripts.findLast(({ pattern }) => pattern.test(textOf(asked)));
    const isAfterCalls = messages.findLast(({ role }) => role === "assistant")?.tool_calls !== undefined;
    const result = messages.findLast(({ role }) => role === "tool")?.content;
    const question = { body, isAfterCalls, result, headers: request.headers };
    const answer = new Answer(response, body.stream === true);
    try {
      if (script) await script.write(answer, question);
      else await answer.text("Fine.");
      if (answer.isOpen) answer.end();
    } catch (error) {
      console.error(error);
      answer.drop();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // An open server would keep the process alive.
  server.unref();
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    when: (pattern, write) => scripts.push({ pattern, write }),
  };
}

function textOf(message) {
  const content = message?.content ?? "";
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("");
}

/** A PNG of one pixel. */
export const IMAGE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Returns a promise and the function that resolves it. Scripts await it to pause an answer. */
export function gate() {
  let open;
  const opened = new Promise((done) => (open = done));
  return { opened, open };
}
