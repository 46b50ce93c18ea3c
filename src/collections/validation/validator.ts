// Validation as the writes need it: patterns that a worker must run included, and each failure placed in the request.
import type { ErrorItem } from '../../errors.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { Collection } from '../model/collection.ts';
import { indexMember, type WriteOrigin } from '../writes/commit-errors.ts';
import {
  type PatternMatcher,
  resolvePatterns,
  validateDocument,
  type WriteMode,
} from './validate-document.ts';

interface ValidationTarget {
  readonly mode: WriteMode;
  readonly origin: WriteOrigin;
}

interface ValidatedFields {
  /** With defaults, in the form that is stored. Not to be stored while there are items. */
  readonly document: JsonObject;
  readonly items: readonly ErrorItem[];
  /** See `Validated`. */
  readonly undeclared: readonly string[];
}

export interface Validator {
  /** Answers at once, but for the rare pattern that only a worker may run. */
  validate(
    collection: Collection,
    fields: JsonObject,
    place: ValidationTarget,
  ): ValidatedFields | Promise<ValidatedFields>;
}

export function createValidator(matchPattern: PatternMatcher): Validator {
  return {
    validate(collection, fields, { mode, origin }) {
      const validated = validateDocument(collection, fields, mode);
      const { document, items, pending, undeclared } = validated;
      if (pending.length === 0) return { document, items: withPosition(items, origin), undeclared };
      return resolvePatterns(validated, matchPattern).then((settled) => ({
        document,
        items: withPosition(settled, origin),
        undeclared,
      }));
    },
  };
}

/** The items with their place in the request. */
export function withPosition(items: readonly ErrorItem[], origin: WriteOrigin): readonly ErrorItem[] {
  if (items.length === 0 || (origin.prefix === '' && origin.index === undefined)) return items;
  return items.map((item) => ({
    ...item,
    ...indexMember(origin),
    field: `${origin.prefix}${item.field ?? ''}`,
  }));
}
