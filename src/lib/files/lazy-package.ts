// Loads packages on first use: what a start does not need would delay it.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Returns a function that loads the CommonJS package `name` at its first call and returns its exports. */
export function lazyPackage<Exports>(name: string): () => Exports {
  return () => require(name) as Exports;
}
