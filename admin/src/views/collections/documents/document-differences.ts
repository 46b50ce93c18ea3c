// What somebody else has made of a document meanwhile, beside what the form holds.
import type { Api } from '../../../api/api.ts';
import { toApiError } from '../../../api/api-error.ts';
import type { CollectionDescription, StoredDocument } from '../../../api/types-collections.ts';
import { type Difference, differenceOf } from '../../../parts/differences.ts';
import { fetchDocument } from '../collection-queries.ts';
import { type Changes, shownValue } from '../fields/changes.ts';
import { fieldsOf, memberOf } from '../fields/field.ts';
import { valueText } from '../fields/value-text.ts';

interface Edited {
  readonly path: string;
  readonly collection: CollectionDescription;
  /** What the changes began with. */
  readonly stored: StoredDocument;
  readonly changes: Changes;
}

interface Found {
  readonly differences?: readonly Difference[];
  readonly message?: string;
}

/** Compares with the state of now. The choice can be made without it, so that no error is thrown. */
export async function findDifferences(
  api: Api,
  { path, collection, stored, changes }: Edited,
): Promise<Found> {
  let now: StoredDocument | null;
  try {
    now = await fetchDocument(api, path, stored._id);
  } catch (error) {
    return { message: `What it is now cannot be shown: ${toApiError(error).message}` };
  }
  if (now === null) return { message: 'It is not there any more, or you may not see it.' };
  const theirs = now;
  const differences = fieldsOf(collection).flatMap((field) =>
    differenceOf(
      field.label,
      {
        base: memberOf(stored, field.name),
        theirs: memberOf(theirs, field.name),
        mine: shownValue(field.name, changes, stored),
      },
      (value) => valueText(value, field),
    ),
  );
  return { differences };
}
