// What the server answers about collections and their documents.
import type { Action, Json, JsonObject } from './types.ts';

/** One entry of `fields` of a specification, as far as forms and lists use it. Nothing of it is checked beyond its type. */
export interface FieldSpecification {
  readonly type?: string;
  readonly label?: Json;
  readonly comments?: Json;
  readonly example?: Json;
  readonly placement?: Json;
  readonly required?: Json;
  readonly default?: Json;
  readonly validation?: Json;
  readonly display?: Json;
  readonly settings?: Json;
}

/** `GET /api/me/collections/{version}/{database}/{collection}`. */
export interface CollectionDescription {
  readonly path: string;
  readonly name: string;
  readonly actions: readonly Action[];
  readonly isMedia: boolean;
  readonly fields: Readonly<Record<string, FieldSpecification>>;
  /** Fields that the caller may read and not write. */
  readonly closed: readonly string[];
  readonly settings: {
    readonly sort: string | null;
    readonly sortOrder: 1 | -1;
    readonly count: number;
    readonly compose: boolean;
    readonly storeRevisions: boolean;
    readonly signUploads: boolean;
  };
}

/** A document: its fields beside what the server writes into each. */
export interface StoredDocument extends JsonObject {
  readonly _id: string;
}

export interface DocumentPage {
  readonly results: readonly StoredDocument[];
  readonly metadata: {
    readonly page?: number;
    readonly totalCount: number;
    readonly totalPages: number;
    readonly warnings?: readonly string[];
  };
}

/** The answer to a write of a specification. */
export interface SpecificationChange {
  readonly message: string;
  readonly warnings?: readonly string[];
}
