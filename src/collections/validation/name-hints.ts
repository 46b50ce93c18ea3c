// The field that was probably meant by one that the specification does not declare, for the items of an error. Only fields that the
// caller may read are ever named.
import type { ErrorItem } from '../../errors/errors.ts';
import { findNearestName } from '../../lib/nearest-name.ts';
import type { CollectionAccess } from '../model/access.ts';
import type { Collection } from '../model/collection.ts';
import { NOT_IN_SCHEMA } from './validate-document.ts';

/** Items of one error that get a hint: a body may have a thousand unknown fields, each to be compared with a thousand. */
const MAX_HINTS = 20;

/** The names of a collection's fields that the caller may read. */
function* readableNames({ fields }: Collection, { read, hidden }: NamesAccess): Generator<string> {
  if (read === null) return;
  for (const name of fields.keys()) if (!hidden.has(name)) yield name;
}

type NamesAccess = Pick<CollectionAccess, 'read' | 'hidden'>;

/**
 * The issues of documents of one collection, those of undeclared fields with `details` that name the field that was probably
 * meant. `told`: issues of the same error before them.
 */
export function withNameHints(
  issues: readonly ErrorItem[],
  { collection, access, told = 0 }: HintOptions,
): readonly ErrorItem[] {
  let left = MAX_HINTS - told;
  if (issues.length === 0 || left <= 0) return issues;
  return issues.map((issue) => {
    if (issue.code !== NOT_IN_SCHEMA || issue.field === undefined || left <= 0) return issue;
    left -= 1;
    const meant = findNearestName(issue.field, readableNames(collection, access));
    return meant === undefined ? issue : { ...issue, details: `did you mean \`${meant}\`?` };
  });
}

interface HintOptions {
  readonly collection: Collection;
  readonly access: NamesAccess;
  readonly told?: number;
}
