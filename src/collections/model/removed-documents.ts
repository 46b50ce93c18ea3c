// What is known of documents that were removed and can be restored.
import type { JsonObject } from '../../lib/json/json.ts';

/** The last state of a document that was removed and can be restored. */
export interface RemovedDocument {
  readonly id: string;
  /** Id of the revision that keeps the state. */
  readonly revision: string;
  /** Epoch milliseconds. */
  readonly removedAt: number;
  /** Client id; null: nobody that has one. */
  readonly removedBy: string | null;
  readonly document: JsonObject;
}
