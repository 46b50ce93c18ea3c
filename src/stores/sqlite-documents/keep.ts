// The documents that a query has found, in the shape that was asked for. They are bounded: a page may have few
// documents and yet be too large for memory.
import { StoreError } from '../../errors.ts';
import { createProjector } from '../matching/project.ts';
import type { Projection } from '../ports.ts';
import { documentText, parseDocument } from './stored.ts';

/** In UTF-16 units: what one query may find. */
const MAX_RESULT = 64 * 1024 * 1024;

/** Takes the text of a document and returns it as it is to be answered. Throws `too-much` beyond the bound, `damaged`. */
export type Keep = (text: string) => string;

/** For the documents of one query. */
export function createKeep(projection: Projection | undefined): Keep {
  const shape = projection === undefined ? undefined : createProjector(projection);
  let left = MAX_RESULT;
  return (text) => {
    const kept = shape === undefined ? documentText(text) : JSON.stringify(shape(parseDocument(text)));
    left -= kept.length;
    if (left < 0) throw new StoreError('too-much');
    return kept;
  };
}
