// Maximum length of request bodies, by family of routes.

/** Bytes. A longer body is 413 before it is read, or as soon as it turns out to be longer. */
const MAX_BODY_BYTES = {
  /** The longest id and secret, each character percent-encoded. */
  token: 10_240,
  /** A few members, or nothing. */
  few: 16_384,
  /** A configuration file has at most as many characters. */
  config: 262_144,
  /** A policy has at most 100,000 characters, some of which may be escaped. */
  policy: 262_144,
  /** A thousand grants of collections and of endpoints, with the longest names. */
  client: 1_048_576,
  /** A thousand fields. */
  specification: 1_048_576,
  /** A route of a thousand branches. */
  definition: 1_048_576,
} as const;

/** The limit of a family, at most `jsonBytes` (`limits.jsonBytes`). */
export function bodyLimit(of: keyof typeof MAX_BODY_BYTES, jsonBytes: number): number {
  return Math.min(MAX_BODY_BYTES[of], jsonBytes);
}
