// Pages of documents as JSON text.
import { type ChunkedText, joinChunked } from '../../lib/chunked-text.ts';
import type { Page, ReadPage } from './documents.ts';

/** The end of a page: further members behind the list of documents. */
function pageEnd(members: object): string {
  const text = JSON.stringify(members);
  return text === '{}' ? ']}' : `],${text.slice(1)}`;
}

/** A page of documents that are joined already, `members` behind them. */
export function joinedPageJson(documents: string, members: object = {}): string {
  return `{"results":[${documents}${pageEnd(members)}`;
}

/** A page that was read. In pieces when it is long. */
export function readPageJson({ text, metadata }: Pick<ReadPage, 'text'> & Partial<ReadPage>): ChunkedText {
  if (typeof text === 'string') return joinedPageJson(text, { metadata });
  return ['{"results":[', ...text, pageEnd({ metadata })];
}

/** A page, or results without metadata. In pieces when it is long. */
export function pageJson({ results, metadata }: Pick<Page, 'results'> & Partial<Page>): ChunkedText {
  return readPageJson({ text: joinChunked(results), ...(metadata && { metadata }) });
}
