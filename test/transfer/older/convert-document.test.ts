import { describe, expect, it } from 'vitest';
import { convertDocument } from '../../../src/transfer/older/convert-document.ts';

const NONE = new Set<string>();
const PLAIN = { dateFields: NONE, mediaFields: NONE, isRevision: false, isRecord: false };
const ID = '5656ff55447fe38d129a5767';

describe('a converted document', () => {
  it('of the first two releases stays as it is', () => {
    const internals = { apiVersion: '1.0', createdAt: 1, createdBy: 'a', v: 2, history: ['x'] };
    const document = { title: 'Emma', ...internals, lastModifiedAt: 2, lastModifiedBy: 'b', _id: ID };
    expect(convertDocument(document, PLAIN)).toEqual({
      document,
      captioned: [],
      dropped: [],
      isDescribed: false,
      referenceMaps: [],
    });
  });

  it('of later releases has our names for what the server writes', () => {
    const { document } = convertDocument(
      {
        _id: ID,
        title: 'Emma',
        _apiVersion: '1.0',
        _createdAt: 1,
        _createdBy: 'a',
        _version: 2,
        _history: ['x'],
        _lastModifiedAt: 3,
        _lastModifiedBy: 'b',
        _composed: { author: 'x' },
        'title:fr': 'Emma',
        _refAuthor: {},
        _own: 1,
        _reference: 'r',
      },
      PLAIN,
    );
    expect(document).toEqual({
      _id: ID,
      title: 'Emma',
      apiVersion: '1.0',
      createdAt: 1,
      createdBy: 'a',
      v: 2,
      history: ['x'],
      lastModifiedAt: 3,
      lastModifiedBy: 'b',
      'title:fr': 'Emma',
      _own: 1,
      _reference: 'r',
    });
  });

  it('names the fields that have to go, because they are called like what the server writes', () => {
    const converted = convertDocument(
      { _id: ID, _version: 2, v: 'mine', history: 'mine', title: 'a' },
      PLAIN,
    );
    expect(converted).toMatchObject({
      document: { _id: ID, v: 2, title: 'a' },
      dropped: ['v', 'history'],
    });
  });

  it('keeps the maps of references to several collections', () => {
    const read = { _id: ID, author: 'x', _refAuthor: { x: 'people' } };
    const { document, referenceMaps } = convertDocument(read, PLAIN);
    expect([document, referenceMaps]).toEqual([read, ['_refAuthor']]);
  });

  it('has dates as ISO 8601 text in the fields that hold such, and milliseconds where the server writes them', () => {
    const kind = { ...PLAIN, dateFields: new Set(['at', 'days']) };
    const read = {
      at: 1_525_168_800_000,
      days: [0, 'x', null],
      other: 5,
      createdAt: '1970-01-01T00:00:01.000Z',
    };
    expect(convertDocument(read, kind).document).toEqual({
      at: '2018-05-01T10:00:00.000Z',
      days: ['1970-01-01T00:00:00.000Z', 'x', null],
      other: 5,
      createdAt: 1000,
    });
    const odd = { at: 1e300, days: 'yesterday', createdAt: 'yesterday' };
    expect(convertDocument(odd, kind).document).toEqual(odd);
  });

  it('names its document, if it is a revision, and has no such names otherwise', () => {
    const kind = { ...PLAIN, isRevision: true };
    const third = { _originalDocumentId: ID, _action: 'update', _version: 1 };
    expect(convertDocument(third, kind).document).toEqual({ originalDocumentId: ID, action: 'update', v: 1 });
    const fifth = { _document: ID, _changeDescription: 'typo', _version: 1 };
    expect(convertDocument(fifth, kind)).toMatchObject({
      document: { originalDocumentId: ID, v: 1 },
      isDescribed: true,
    });
    expect(convertDocument(fifth, kind).document).not.toHaveProperty('_changeDescription');
    expect(convertDocument({ _document: ID }, PLAIN).document).toEqual({ _document: ID });
  });

  it('has the ids of records in fields of that kind', () => {
    const kind = { ...PLAIN, mediaFields: new Set(['cover', 'pages', 'plain', 'none']) };
    const read = {
      cover: { _id: ID },
      pages: [{ _id: ID, caption: 'x' }, ID],
      plain: ID,
      none: null,
      other: { _id: ID },
    };
    expect(convertDocument(read, kind)).toMatchObject({
      document: { cover: ID, pages: [ID, ID], plain: ID, none: null, other: { _id: ID } },
      captioned: ['pages'],
    });
  });

  it('has our names for the fields of a record, if it is one', () => {
    const read = { path: '/media/a.jpg', mimeType: 'image/jpeg', awsUrl: 'https://x', fileName: 'a.jpg' };
    expect(convertDocument(read, { ...PLAIN, isRecord: true }).document).toEqual({
      path: '/media/a.jpg',
      mimetype: 'image/jpeg',
      cloudUrl: 'https://x',
      fileName: 'a.jpg',
    });
    expect(convertDocument(read, PLAIN).document).toEqual(read);
    const both = { mimeType: 'a/b', mimetype: 'c/d' };
    expect(convertDocument(both, { ...PLAIN, isRecord: true }).document).toEqual({ mimetype: 'c/d' });
  });
});
