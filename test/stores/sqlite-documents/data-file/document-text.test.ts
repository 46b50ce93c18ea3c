import { expect, it } from 'vitest';
import {
  documentText,
  parseDocument,
} from '../../../../src/stores/sqlite-documents/data-file/document-text.ts';

const DAMAGED = expect.objectContaining({ name: 'StorageError', kind: 'damaged' });

it('documents are accepted', () => {
  expect(documentText('{"_id":"a"}')).toBe('{"_id":"a"}');
  expect(parseDocument('{"_id":"a","b":[1]}')).toEqual({ _id: 'a', b: [1] });
});

it.each([null, undefined, 7, new Uint8Array(3), '', '"text"', '{"_id":"a"', '\u0000}'])(
  'takes no row that has %j for a document',
  (value) => {
    expect(() => documentText(value)).toThrow(DAMAGED);
  },
);

it.each(['', '{', 'null', '7', '[]', '{"a":1}', '{"_id":7}', '{"_id":"a",}'])(
  'takes no text %j for a document',
  (text) => {
    expect(() => parseDocument(text)).toThrow(DAMAGED);
  },
);
