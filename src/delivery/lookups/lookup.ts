// What a lookup by address is. Types only.

/**
 * A fact about the address of a visitor, trimmed; undefined when it is not known, for whatever reason. Never rejects, and
 * ends within its time limit.
 */
export type Lookup = (ip: string) => Promise<string | undefined>;

export interface LookupLog {
  warn(fields: object, message: string): void;
}
