// A reporter of `node --test` that prints the lines of lib.sh: one for each check, followed by the error of a failed one.
import { inspect } from "node:util";

export default async function* reporter(events) {
  for await (const { type, data } of events) {
    const isRun = data.skip === undefined;
    if (type === "test:pass" && isRun) yield `ok      ${data.name}\n`;
    if (type === "test:fail") yield `FAILED  ${data.name}\n${textOf(data.details.error)}\n`;
    if (type === "test:stderr" || type === "test:stdout") yield data.message;
  }
}

function textOf(error) {
  const cause = error.cause ?? error;
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : inspect(cause);
  return text.split("\n").slice(0, 60).join("\n");
}
