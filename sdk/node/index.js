// Checks, and for tests makes, the signatures that Manos puts on its requests.
// `index.d.ts` has the types and the documentation.

import { createHmac, timingSafeEqual } from "node:crypto";

export const DEFAULT_TOLERANCE = 300;

const TIME = /^[0-9]{1,15}$/;

/** @type {typeof import("./index.js").headerNames} */
export function headerNames(prefix = "Manos") {
  const start = `X-${prefix}-`;
  return {
    signatureV2: `${start}Signature-V2`,
    signature: `${start}Signature`,
    callId: `${start}Call-ID`,
    event: `${start}Event`,
  };
}

/** @type {typeof import("./index.js").verifySignature} */
export function verifySignature(request) {
  return rejectReason(request) === null;
}

/** @type {typeof import("./index.js").rejectReason} */
export function rejectReason({ header, secret, method, path, body, tolerance, now }) {
  const secrets = checkedSecrets(secret);
  const allowed = tolerance ?? DEFAULT_TOLERANCE;
  if (!(allowed >= 0)) throw new TypeError("the tolerance is below zero");
  const text = typeof header === "string" || header == null ? header : header.join(",");
  if (!text) return "the signature header is missing";
  const parsed = parse(text);
  if (typeof parsed === "string") return parsed;
  const clock = now ?? Math.floor(Date.now() / 1000);
  if (!(Math.abs(clock - parsed.time) <= allowed)) {
    return `the signature is more than ${allowed} seconds away from this clock`;
  }
  // Every pair is compared, so that the time taken tells nothing about which one fits.
  let fits = false;
  for (const candidate of secrets) {
    const expected = Buffer.from(v1(candidate, parsed.time, method, path, body));
    for (const signature of parsed.signatures) {
      const given = Buffer.from(signature);
      fits = (given.length === expected.length && timingSafeEqual(expected, given)) || fits;
    }
  }
  return fits ? null : "no signature fits the secret, method, path and body";
}

/** @type {typeof import("./index.js").sign} */
export function sign({ secret, method, path, body = "", at, prefix }) {
  if (!secret) throw new TypeError("the secret is empty");
  const time = Math.trunc(at ?? Date.now() / 1000);
  const names = headerNames(prefix);
  return {
    [names.signatureV2]: `t=${time},v1=${v1(secret, time, method, path, body)}`,
    [names.signature]: hmac(secret).update(body).digest("hex"),
  };
}

/**
 * Returns time and signatures, or the reason why the header is of no use.
 *
 * @param {string} header
 * @returns {{ time: number, signatures: string[] } | string}
 */
function parse(header) {
  /** @type {number | undefined} */
  let time;
  /** @type {string[]} */
  const signatures = [];
  for (const item of header.split(",")) {
    const equals = item.indexOf("=");
    if (equals < 0) continue;
    const key = item.slice(0, equals).trim();
    const value = item.slice(equals + 1).trim();
    if (key === "t") {
      if (time !== undefined) return "the header names its time twice";
      if (!TIME.test(value)) return "the header's time is not a number of seconds";
      time = Number(value);
    } else if (key === "v1" && value) {
      signatures.push(value.toLowerCase());
    }
  }
  if (time === undefined) return "the header has no time";
  if (signatures.length === 0) return "the header has no v1 signature";
  return { time, signatures };
}

/**
 * @param {string | readonly string[]} secret
 * @returns {readonly string[]}
 */
function checkedSecrets(secret) {
  const secrets = typeof secret === "string" ? [secret] : secret;
  const usable = Array.isArray(secrets) && secrets.length > 0;
  if (!usable || !secrets.every((one) => typeof one === "string" && one.length > 0)) {
    throw new TypeError("the secret is empty: give the webhook secret, or a list of them");
  }
  return secrets;
}

/**
 * @param {string} secret
 * @param {number} time
 * @param {string} method
 * @param {string} path
 * @param {string | Uint8Array} body
 */
function v1(secret, time, method, path, body) {
  const head = `${time}\n${method.toUpperCase()}\n${path}\n`;
  return hmac(secret).update(head).update(body).digest("hex");
}

/** @param {string} secret */
function hmac(secret) {
  return createHmac("sha256", Buffer.from(secret, "utf8"));
}
