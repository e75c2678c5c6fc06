// Calls the one tool of a server with the TypeScript SDK, and prints its names and its answer. Takes the server's command.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: "client", version: "1" });
await client.connect(new StdioClientTransport({ command, args }));
const { tools } = await client.listTools();
console.log(tools.map((tool) => tool.name));
const call = { name: "hello_world_agent", arguments: { message: "Hello, I'm Ada" } };
const result = await client.callTool(call);
console.log(result.content[0].text);
await client.close();
