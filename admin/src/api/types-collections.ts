// What the server answers about collections and their documents.
import type { PageMetadata } from './description.d.ts';
import type { JsonObject } from './json.ts';

export type { CollectionDescription, FieldDescription, SpecificationChange } from './description.d.ts';

/** A document: the fields of its specification, beside what the server writes into each. */
export interface StoredDocument extends JsonObject {
  readonly _id: string;
}

export interface DocumentPage {
  readonly results: readonly StoredDocument[];
  readonly metadata: PageMetadata;
}
