// Keys of caches that are made of an object's JSON: the same string each time, which a `Map` finds without reading it again.

/** Keys that are remembered for one object; beyond them all are made anew. */
const MAX_KEYS = 100;

/** Gives the key of an object behind a short text: equal objects have equal keys. An object must not be changed once it had a key. */
export type TextKeys = (prefix: string, object: object) => string;

/** Makes the function that gives keys. What it remembers of an object goes with the object. */
export function createTextKeys(): TextKeys {
  const remembered = new WeakMap<object, Map<string, string>>();
  return (prefix, object) => {
    const known = remembered.get(object);
    const found = known?.get(prefix);
    if (found !== undefined) return found;
    const key = `${prefix}/${JSON.stringify(object)}`;
    if (known === undefined) remembered.set(object, new Map([[prefix, key]]));
    else {
      if (known.size >= MAX_KEYS) known.clear();
      known.set(prefix, key);
    }
    return key;
  };
}
