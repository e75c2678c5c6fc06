// A TCP proxy between the browser and a server, which records requests and can cut connections.
import { once } from "node:events";
import { connect, createServer } from "node:net";

/** Starts the proxy. `server` of the result has the proxy's address. */
export async function startWire(server) {
  const pieces = [];
  const open = new Set();
  let isCut = false;
  const proxy = createServer((client) => {
    if (isCut) return client.destroy();
    const onward = connect(server.port, "127.0.0.1");
    for (const [from, to] of [[client, onward], [onward, client]]) {
      open.add(from);
      from.on("close", () => {
        open.delete(from);
        to.destroy();
      });
      from.on("error", () => from.destroy());
      from.pipe(to);
    }
    client.on("data", (piece) => pieces.push(piece));
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  proxy.unref();
  const address = new URL(server.address);
  address.port = proxy.address().port;
  return {
    server: Object.create(server, { address: { value: address }, origin: { value: address.origin } }),
    /** Returns all bytes that the browser has sent. */
    sent: () => Buffer.concat(pieces).toString("latin1"),
    /** Closes all connections, and refuses new ones until `mend`. */
    cut() {
      isCut = true;
      for (const socket of open) socket.destroy();
    },
    mend() {
      isCut = false;
    },
  };
}
