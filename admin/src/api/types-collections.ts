// What the server answers about collections and their documents.
import type { PageMetadata, RemovedDocument } from './description.d.ts';
import type { JsonObject } from './json.ts';

export type { CollectionDescription, FieldDescription, SpecificationChange } from './description.d.ts';

/** A document: the fields of its specification, beside what the server writes into each. */
export interface StoredDocument extends JsonObject {
  readonly _id: string;
}

/** A document that was deleted, with its last state. */
export interface DeletedDocument extends Omit<RemovedDocument, 'document'> {
  readonly document: StoredDocument;
}

export interface DeletedPage {
  readonly results: readonly DeletedDocument[];
  readonly metadata: PageMetadata;
}

export interface DocumentPage {
  readonly results: readonly StoredDocument[];
  readonly metadata: PageMetadata;
}
