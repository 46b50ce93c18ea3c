// JSON text of pages. The documents of a page are JSON text already and are not parsed again.
import { type ChunkedText, MAX_JOINED_LENGTH } from '../../lib/chunked-text.ts';
import type { Page } from './documents.ts';

/** The end of a page: further members behind the list of documents. */
function pageEnd(members: object): string {
  const text = JSON.stringify(members);
  return text === '{}' ? ']}' : `],${text.slice(1)}`;
}

/** A page of documents that are joined already, `members` behind them. */
export function joinedPageJson(documents: string, members: object = {}): string {
  return `{"results":[${documents}${pageEnd(members)}`;
}

/** A page, or results without metadata. In chunks when it is long. */
export function pageJson({
  results,
  metadata,
}: Pick<Page, 'results'> & Partial<Pick<Page, 'metadata'>>): ChunkedText {
  const length = results.reduce((sum, text) => sum + text.length + 1, 0);
  if (length <= MAX_JOINED_LENGTH) return joinedPageJson(results.join(','), { metadata });
  const chunks = ['{"results":['];
  for (const [index, text] of results.entries()) {
    if (index > 0) chunks.push(',');
    chunks.push(text);
  }
  chunks.push(pageEnd({ metadata }));
  return chunks;
}
