// What two people have made of the same thing, member by member: for the question which of both shall stay.
import type { Json, JsonObject } from '../api/types.ts';

export interface Difference {
  /** Label of a field, or the path of a member: `settings.width`. */
  readonly name: string;
  readonly theirs: string;
  readonly mine: string;
}

/** Characters of one value. */
const MAX_TEXT = 200;

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isEqual = (a: Json | undefined, b: Json | undefined) => JSON.stringify(a) === JSON.stringify(b);

function textOf(value: Json | undefined): string {
  if (value === undefined || value === null || value === '') return 'nothing';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)} …` : text;
}

interface Versions {
  /** What both began with. */
  readonly base: Json | undefined;
  readonly theirs: Json | undefined;
  readonly mine: Json | undefined;
}

/** One line; none where both are equal. Says so where only the other has changed it. */
export function differenceOf(
  name: string,
  { base, theirs, mine }: Versions,
  write = textOf,
): readonly Difference[] {
  if (isEqual(theirs, mine)) return [];
  const words = (value: Json | undefined) =>
    isEqual(value, base) ? 'not changed' : write(value) || 'nothing';
  return [{ name, theirs: words(theirs), mine: words(mine) }];
}

const memberOf = (value: Json | undefined, name: string) =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** The members that differ, those of objects inside included: `settings.width`. */
export function differencesOf({ base, theirs, mine }: Versions, path = ''): readonly Difference[] {
  if (!isObject(theirs) || !isObject(mine)) return differenceOf(path, { base, theirs, mine });
  return [...new Set([...Object.keys(theirs), ...Object.keys(mine)])].flatMap((name) =>
    differencesOf(
      { base: memberOf(base, name), theirs: memberOf(theirs, name), mine: memberOf(mine, name) },
      path === '' ? name : `${path}.${name}`,
    ),
  );
}
