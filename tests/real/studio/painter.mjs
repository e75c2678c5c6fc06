// An MCP server on standard input and output. Its one tool returns a text and an image.
import { createInterface } from "node:readline";
import { IMAGE } from "./model.mjs";


const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "painter", version: "1.0.0" },
  }),
  "tools/list": () => ({
    tools: [
      {
        name: "paint",
        description: "Paints a picture.",
        inputSchema: { type: "object", properties: { subject: { type: "string" } }, required: ["subject"] },
      },
    ],
  }),
  "tools/call": ({ arguments: { subject } }) => ({
    content: [
      { type: "text", text: `A picture of ${subject}` },
      { type: "image", mimeType: "image/png", data: IMAGE },
    ],
  }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const result = answers[method]?.(params ?? {});
  const error = { code: -32601, message: `there is no method ${method}` };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error }) }));
}
