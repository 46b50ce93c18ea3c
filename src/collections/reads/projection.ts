// Which fields of documents an answer shows: the request's `fields` joined with the collection's `fieldLimiters`.
import type { JsonObject } from '../../lib/json/json.ts';
import type { Projection } from '../../stores/ports.ts';
import { isValidPath } from '../filters/scope.ts';
import { createParameterError } from '../model/parameter-error.ts';

export type FieldMap = Readonly<Record<string, 0 | 1>>;

export interface FieldSelection {
  /** What the metadata shows: the request's map under the limiters', which win. */
  readonly fields: FieldMap;
  readonly projection: Projection | undefined;
}

const NO_FIELDS: FieldMap = {};
const ALL_FIELDS: FieldSelection = { fields: NO_FIELDS, projection: undefined };

/**
 * Joins the two maps. Limiters win on a name that both have; an excluding limiter takes its fields out of an including
 * request. Throws PARAMETER_INVALID for a mixture of 0 and 1 within one map (`_id` aside), or another value.
 */
export function resolveFields(requested: JsonObject | undefined, limiters: FieldMap | null): FieldSelection {
  if (requested === undefined && limiters === null) return ALL_FIELDS;
  const asked = parseFieldMap(requested ?? NO_FIELDS);
  const limits = limiters ?? NO_FIELDS;
  const including = [asked, limits].map(isInclusive).includes(true);
  const fields = Object.fromEntries([...Object.entries(asked), ...Object.entries(limits)]);
  const named = (map: FieldMap, value: 0 | 1) => Object.keys(map).filter((name) => map[name] === value);
  const exclude = outermostPaths([
    ...named(limits, 0),
    ...named(asked, 0).filter((name) => limits[name] !== 1),
  ]);
  const wanted = named(asked, 1).filter((name) => limits[name] !== 0);
  const include = including ? outermostPaths([...wanted, ...named(limits, 1)]) : undefined;
  if (include === undefined && exclude.length === 0) return { fields, projection: undefined };
  return {
    fields,
    projection: { ...(include && { include }), ...(exclude.length > 0 && { exclude }) },
  };
}

/** True when the map lists what to show; false when it lists what to hide, or nothing. Throws for a mixture. */
function isInclusive(map: FieldMap): boolean {
  const names = Object.keys(map).filter((name) => name !== '_id');
  const including = names.some((name) => map[name] === 1);
  if (including && names.some((name) => map[name] === 0)) {
    throw createParameterError(
      'fields',
      'Fields cannot be included and excluded at the same time: a database error',
    );
  }
  return including || (names.length === 0 && map['_id'] === 1);
}

function parseFieldMap(map: JsonObject): FieldMap {
  const entries = Object.entries(map).map(([name, value]): [string, 0 | 1] => {
    if (value === 1 || value === true) return [name, 1];
    if (value === 0 || value === false) return [name, 0];
    throw createParameterError('fields', 'The `fields` parameter takes 1 or 0 for each field');
  });
  return Object.fromEntries(entries);
}

/** Paths that a store can walk, without those that lie under another one of the list. */
export function outermostPaths(names: readonly string[]): readonly string[] {
  const paths = new Set(names.filter(isValidPath));
  return [...paths].filter((path) => !ancestorPaths(path).some((outer) => paths.has(outer)));
}

function ancestorPaths(path: string): readonly string[] {
  const segments = path.split('.');
  return segments.slice(1).map((_, index) => segments.slice(0, index + 1).join('.'));
}

/** True when the projection leaves the field, named without dots, in the documents. */
export function includesField(projection: Projection | undefined, name: string): boolean {
  if (projection?.exclude?.includes(name)) return false;
  return name === '_id' || projection?.include?.includes(name) !== false;
}

/** The projection with `_id` shown, and whether it was to be hidden: for reads that need the id on the way. */
export function withVisibleId(projection: Projection | undefined): {
  readonly projection: Projection | undefined;
  readonly hideId: boolean;
} {
  if (projection?.exclude === undefined || includesField(projection, '_id'))
    return { projection, hideId: false };
  const exclude = projection.exclude.filter((path) => path !== '_id');
  const shown = { ...(projection.include && { include: projection.include }), exclude };
  return { projection: shown, hideId: true };
}
