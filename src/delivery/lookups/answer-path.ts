// Finds a value in a parsed answer by a dotted path such as `location.country.isoCode` or `results.0.country`.

/** Only own members are seen; a number counts as a position where it meets a list. Undefined when there is nothing. */
export function valueAt(answer: unknown, path: string): unknown {
  let value = answer;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    if (Array.isArray(value) && !/^\d+$/.test(key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}
