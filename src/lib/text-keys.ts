// Keys of caches that are made of an object's JSON: the same string each time, which a `Map` finds without reading it again.

/** Keys that are remembered for one object; beyond them all are made anew. */
const MAX_KEYS = 100;

/** Gives the key of an object behind a short text: equal objects have equal keys. An object must not be changed once it had a key. */
export type TextKeys = (prefix: string, object: object) => string;

/** Makes the function that gives keys. What it remembers of an object goes with the object. */
export function createTextKeys(): TextKeys {
  const remembered = new WeakMap<object, Map<string, string>>();
  return (prefix, object) => {
    const keys = remembered.get(object) ?? new Map<string, string>();
    const known = keys.get(prefix);
    if (known !== undefined) return known;
    const key = `${prefix}/${JSON.stringify(object)}`;
    if (keys.size >= MAX_KEYS) keys.clear();
    keys.set(prefix, key);
    remembered.set(object, keys);
    return key;
  };
}
