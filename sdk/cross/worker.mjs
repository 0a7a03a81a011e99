// Signs and verifies with the Node package: one JSON object a line in, one out.

import { createInterface } from "node:readline";

import { sign, verifySignature } from "../node/index.js";

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  request.body = Buffer.from(request.body, "base64");
  const answer = request.header === undefined ? sign(request) : verifySignature(request);
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
