// The documents that a query has found, in the shape that was asked for. They are bounded: a page may have few
// documents and yet be too large for memory.
import { StoreError } from '../../../errors.ts';
import { createProjector } from '../../matching/projector.ts';
import type { Projection } from '../../ports.ts';
import { documentText, parseDocument } from '../data-file/document-text.ts';

/** In UTF-16 units: what one query may find. */
const MAX_RESULT_TEXT = 64 * 1024 * 1024;

/** Takes the text of a document and returns it as it is to be answered. Throws `too-much` beyond the bound, `damaged`. */
export type ResultProjector = (text: string) => string;

/** For the documents of one query. */
export function createResultProjector(projection: Projection | undefined): ResultProjector {
  const shape = projection === undefined ? undefined : createProjector(projection);
  let left = MAX_RESULT_TEXT;
  return (text) => {
    const kept = shape === undefined ? documentText(text) : JSON.stringify(shape(parseDocument(text)));
    left -= kept.length;
    if (left < 0) throw new StoreError('too-much');
    return kept;
  };
}
