// Validation as the writes need it: patterns that a worker must run included, and each failure placed in the request.
import type { ErrorItem } from '../../errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Collection } from '../collection.ts';
import { type PatternMatcher, settlePatterns, validateDocument, type WriteMode } from '../validate.ts';
import { indexOf, type Origin } from './write-failure.ts';

interface Place {
  readonly mode: WriteMode;
  readonly origin: Origin;
}

interface Checked {
  /** With defaults, in the form that is stored. Not to be stored while there are items. */
  readonly document: JsonObject;
  readonly items: readonly ErrorItem[];
  /** See `Validated`. */
  readonly undeclared: readonly string[];
}

export interface Validator {
  /** Answers at once, but for the rare pattern that only a worker may run. */
  validate(collection: Collection, fields: JsonObject, place: Place): Checked | Promise<Checked>;
}

export function createValidator(matchPattern: PatternMatcher): Validator {
  return {
    validate(collection, fields, { mode, origin }) {
      const validated = validateDocument(collection, fields, mode);
      const { document, items, pending, undeclared } = validated;
      if (pending.length === 0) return { document, items: placed(items, origin), undeclared };
      return settlePatterns(validated, matchPattern).then((settled) => ({
        document,
        items: placed(settled, origin),
        undeclared,
      }));
    },
  };
}

/** The items with their place in the request. */
export function placed(items: readonly ErrorItem[], origin: Origin): readonly ErrorItem[] {
  if (items.length === 0 || (origin.prefix === '' && origin.index === undefined)) return items;
  return items.map((item) => ({ ...item, ...indexOf(origin), field: `${origin.prefix}${item.field ?? ''}` }));
}
