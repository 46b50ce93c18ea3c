// What is told of a document beside what it holds: of one that was removed, and of what somebody may do with one.
import type { JsonObject } from '../../lib/json/json.ts';
import type { Filter } from '../../stores/filter.ts';

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

/** What a caller may do with a document, and would be answered if it tried. */
export interface DocumentRights {
  /** False where there never was one, or nothing is left of it. */
  readonly isKnown: boolean;
  /** Whether the document, of a removed one its last state, matches. */
  readonly matches: (filter: Filter) => boolean;
  readonly isRemoved: boolean;
  /** Rules allow reading, and the default filters of the collection do not show it. */
  readonly isHidden: boolean;
  readonly allowed: Readonly<Record<'read' | 'update' | 'delete' | 'history', boolean>>;
}
