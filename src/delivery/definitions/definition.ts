// A named JSON document in a file, such as a route or a recipe, and what its kind says about it. Types only.
import type { JsonObject } from '../../lib/json/json.ts';
import type { JsonPath } from '../../lib/json/json-line-numbers.ts';

/** Something that is wrong with a document. A warning refuses nothing. */
export interface DefinitionIssue {
  readonly severity: 'error' | 'warning';
  /** A sentence without full stop, as clients read it. */
  readonly message: string;
  /** Where in the document. */
  readonly path: JsonPath;
}

export interface ParsedDefinition<T> {
  /** Undefined when nothing can be done with the document. */
  readonly value: T | undefined;
  /** An error refuses a posted document. A file whose document has a value is in force all the same. */
  readonly issues: readonly DefinitionIssue[];
}

export interface DefinitionKind<T> {
  /** The member that holds the name, and the word in messages. */
  readonly noun: 'route' | 'recipe';
  /** Everything but the name, which has been looked at. `source` is as it came out of `JSON.parse`. */
  parse(source: JsonObject): ParsedDefinition<T>;
}

/** A definition in force. */
export interface Definition<T> {
  readonly name: string;
  /** As it was posted, or as it lies in the file. */
  readonly source: JsonObject;
  readonly value: T;
  /** SHA-256 of the source in hexadecimal digits: changes with the content. */
  readonly hash: string;
  /** Absolute. */
  readonly file: string;
}

/** What `cloister check` says about a file. */
export interface DefinitionFileIssue {
  /** Absolute. */
  readonly file: string;
  /** From 1. */
  readonly line?: number;
  readonly message: string;
  readonly severity: 'error' | 'warning';
}

/**
 * How a change ended. `errors` are what a client reads, in order. `invalid`: the document was refused, each entry being one
 * thing wrong with it.
 */
export type DefinitionChangeResult =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly reason: 'bad-request' | 'invalid' | 'exists' | 'full' | 'failed' | 'not-found';
      readonly errors: readonly string[];
    };

export interface DefinitionLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
