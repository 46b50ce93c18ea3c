import { expect, test } from 'vitest';
import { joinedPageJson, pageJson, readPageJson } from '../../../src/collections/model/page-json.ts';

const metadata = { page: 1, offset: 0, totalCount: 2, totalPages: 1 };

test('a page holds its documents as they are, then its metadata', () => {
  const page = { results: ['{"a":1}', '{ "b": 2 }'], metadata };
  expect(pageJson(page)).toBe(`{"results":[{"a":1},{ "b": 2 }],"metadata":${JSON.stringify(metadata)}}`);
  expect(pageJson({ results: [] })).toBe('{"results":[]}');
});

test('a long page is the same text in chunks, without a copy of its documents', () => {
  const document = JSON.stringify({ a: 'x'.repeat(150_000) });
  const chunks = pageJson({ results: [document, document], metadata });
  expect(chunks).toHaveLength(5);
  expect(chunks).toContain(document);
  expect([...chunks].join('')).toBe(joinedPageJson(`${document},${document}`, { metadata }));
});

test('a page that was read is its text, or the pieces of it, between the two ends', () => {
  const end = `],"metadata":${JSON.stringify(metadata)}}`;
  expect(readPageJson({ text: '{"a":1},{"b":2}', metadata })).toBe(`{"results":[{"a":1},{"b":2}${end}`);
  expect(readPageJson({ text: ['{"a":1}', ',', '{"b":2}'], metadata })).toEqual([
    '{"results":[',
    ...['{"a":1}', ',', '{"b":2}'],
    end,
  ]);
});

test('further members come behind the documents, undefined ones are left out', () => {
  expect(joinedPageJson('1,2', { omitted: undefined })).toBe('{"results":[1,2]}');
  expect(joinedPageJson('', { omitted: 3, metadata: 1 })).toBe('{"results":[],"omitted":3,"metadata":1}');
});
