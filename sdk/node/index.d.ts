/** How many seconds a signature may be older or newer than our clock, inclusive. */
export declare const DEFAULT_TOLERANCE: 300;

/** The names of the headers that Manos sends, for one prefix. */
export interface HeaderNames {
  readonly signatureV2: string;
  readonly signature: string;
  readonly callId: string;
  readonly event: string;
}

/** One request as it came. */
export interface SignedRequest {
  /** The value of `X-Manos-Signature-V2`; missing is invalid. */
  header: string | readonly string[] | null | undefined;
  /** The webhook secret, whole, or several while you rotate it. */
  secret: string | readonly string[];
  method: string;
  /** Path and query exactly as they came, such as `/tools/book?v=1`. */
  path: string;
  /** The raw body; empty for GET and DELETE. */
  body: string | Uint8Array;
  /** In seconds; 300 unless told. */
  tolerance?: number | undefined;
  /** The present time in Unix seconds; the clock's unless told. */
  now?: number | undefined;
}

/** Returns the header names for `signing.prefix`, `Manos` unless told. */
export declare function headerNames(prefix?: string): HeaderNames;

/**
 * Says whether a request carries a valid and fresh V2 signature. Answer 401 when it does not.
 *
 * @throws {TypeError} when a secret is empty: that is a mistake of the program, and never valid.
 */
export declare function verifySignature(request: SignedRequest): boolean;

/** Does what `verifySignature` does and says why, for your log: `null` when the signature is valid. */
export declare function rejectReason(request: SignedRequest): string | null;

/** Returns the two signature headers of a request, as Manos would send them. For your tests. */
export declare function sign(request: {
  secret: string;
  method: string;
  path: string;
  body?: string | Uint8Array | undefined;
  /** In Unix seconds; now unless told. */
  at?: number | undefined;
  prefix?: string | undefined;
}): Record<string, string>;
