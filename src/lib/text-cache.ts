// Remembers what was made of texts, by the texts themselves: whoever has an equal text is given the same.
import { LRUCache } from 'lru-cache';

export interface TextCache<T> {
  /** What was made of an equal text; undefined where that is not remembered. */
  get(text: string): T | undefined;
  /** Remembers it, unless the text is too long. */
  set(text: string, made: T): void;
}

interface TextCacheOptions {
  /** Number of texts: beyond it the least recently used is forgotten. */
  readonly max: number;
  /** UTF-16 units up to which a text is remembered. */
  readonly maxCharacters: number;
}

/** Creates an empty cache. */
export function createTextCache<T extends object>({ max, maxCharacters }: TextCacheOptions): TextCache<T> {
  const remembered = new LRUCache<string, T>({ max });
  return {
    get: (text) => remembered.get(text),
    set(text, made) {
      if (text.length <= maxCharacters) remembered.set(text, made);
    },
  };
}
