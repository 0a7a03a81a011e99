// The recipe that the README gives to those who do not want the package.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const read = (/** @type {string} */ path) => readFileSync(new URL(path, import.meta.url), "utf8");
const cases = JSON.parse(read("../../../fixtures/signatures/signatures.json"));
const [, recipe = ""] = /## By hand[^]*?```js\n([^]*?)```/.exec(read("../README.md")) ?? [];

test("the recipe without the package judges alike", async () => {
  for (const row of cases.verifier) {
    if (row.header === null) continue;
    const source = recipe.replace("Date.now() / 1000", String(row.now));
    assert.notEqual(source, recipe);
    const { valid } = await import(`data:text/javascript,${encodeURIComponent(source)}`);
    const judged = row.secrets.some((/** @type {string} */ secret) =>
      valid(row.header, secret, row.method, row.path, Buffer.from(row.body)),
    );
    assert.equal(judged, row.accept, row.name);
  }
});
