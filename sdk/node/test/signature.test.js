// The shared cases, and what Node adds to them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { DEFAULT_TOLERANCE, headerNames, rejectReason, sign, verifySignature } from "../index.js";

const here = new URL("../../../fixtures/signatures/signatures.json", import.meta.url);
const cases = JSON.parse(readFileSync(here, "utf8"));
const { secret, t: at } = cases;
const body = "{}";
const header = sign({ secret, method: "POST", path: "/t?a=1", body, at })["X-Manos-Signature-V2"];
const request = { header, secret, method: "POST", path: "/t?a=1", body, now: at };

for (const vector of cases.vectors) {
  test(`signs ${vector.id}`, () => {
    const headers = sign({ secret, method: vector.method, path: vector.path, body: vector.body, at });
    assert.deepEqual(headers, {
      "X-Manos-Signature-V2": `t=${at},v1=${vector.v1}`,
      "X-Manos-Signature": vector.legacy,
    });
  });
}

for (const row of cases.verifier) {
  test(`${row.accept ? "accepts" : "refuses"}: ${row.name}`, () => {
    assert.equal(verifySignature({ ...row, secret: row.secrets }), row.accept);
  });
}

const unfit = "no signature fits the secret, method, path and body";
for (const [why, changes, reason] of /** @type {[string, object, string | null][]} */ ([
  ["nothing changed", {}, null],
  ["bytes", { body: new TextEncoder().encode(body) }, null],
  ["a buffer", { body: Buffer.from(body) }, null],
  ["the header twice, as some servers give it", { header: [header, "v1=00"] }, null],
  ["several secrets", { secret: ["other", secret] }, null],
  ["at the edge", { now: at + 300 }, null],
  ["over the edge", { now: at + 300.5 }, "the signature is more than 300 seconds away from this clock"],
  ["a smaller tolerance", { now: at + 6, tolerance: 5 }, "the signature is more than 5 seconds away from this clock"],
  ["a clock that is none", { now: NaN }, "the signature is more than 300 seconds away from this clock"],
  ["no header", { header: undefined }, "the signature header is missing"],
  ["an empty list", { header: [] }, "the signature header is missing"],
  ["nothing in it", { header: "hello" }, "the header has no time"],
  ["no v1", { header: `t=${at},v1=` }, "the header has no v1 signature"],
  ["two times", { header: "t=1,t=1,v1=00" }, "the header names its time twice"],
  ["no digits", { header: "t=,v1=00" }, "the header's time is not a number of seconds"],
  ["a line break after the digits", { header: "t=1\n2,v1=00" }, "the header's time is not a number of seconds"],
  ["not ASCII", { header: `t=${at},v1=${"é".repeat(64)}` }, unfit],
  ["another method", { method: "PUT" }, unfit],
  ["another body", { body: "{} " }, unfit],
])) {
  test(`says why: ${why}`, () => {
    assert.equal(rejectReason({ ...request, ...changes }), reason);
  });
}

for (const empty of ["", [], ["right", ""], [null], undefined]) {
  test(`an empty secret is the program's mistake: ${JSON.stringify(empty)}`, () => {
    const broken = /** @type {any} */ ({ ...request, secret: empty });
    assert.throws(() => verifySignature(broken), /secret is empty/);
    // Also when nothing was signed: no caller learns that the server has no secret.
    assert.throws(() => verifySignature({ ...broken, header: null }), /secret is empty/);
  });
}

test("refuses to sign without a secret, and a negative tolerance", () => {
  assert.throws(() => sign({ secret: "", method: "GET", path: "/" }), /secret is empty/);
  assert.throws(() => verifySignature({ ...request, tolerance: -1 }), /tolerance/);
});

test("signs with the present time and any prefix", () => {
  const headers = sign({ secret: "s", method: "delete", path: "/x", prefix: "ThunderPhone" });
  const own = headers["X-ThunderPhone-Signature-V2"];
  assert.ok(verifySignature({ header: own, secret: "s", method: "DELETE", path: "/x", body: "" }));
  assert.equal(headerNames("ThunderPhone").callId, "X-ThunderPhone-Call-ID");
  assert.equal(DEFAULT_TOLERANCE, 300);
});
