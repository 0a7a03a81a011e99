// Signs a request with the Node package and sends it: one JSON object a line in, one out.

import { createInterface } from "node:readline";

import { sign } from "../node/index.js";

for await (const line of createInterface({ input: process.stdin })) {
  const { origin, secret, path, body, at } = JSON.parse(line);
  const headers = sign({ secret, method: "POST", path, body, at });
  const reply = await fetch(origin + path, { method: "POST", headers, body });
  process.stdout.write(`${JSON.stringify({ status: reply.status, body: await reply.text() })}\n`);
}
