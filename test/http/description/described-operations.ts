// The operations of an API description, as a client of it finds them.
import type { JsonObject } from '../../../src/lib/json/json.ts';

export interface FoundOperation {
  readonly path: string;
  /** In upper case. */
  readonly method: string;
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts what it finds
  readonly operation: any;
}

/** Every operation of a description. */
export function operationsOf(document: JsonObject): readonly FoundOperation[] {
  return Object.entries(document['paths'] as Readonly<Record<string, JsonObject>>).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation,
      id: String((operation as JsonObject)['operationId']),
    })),
  );
}
