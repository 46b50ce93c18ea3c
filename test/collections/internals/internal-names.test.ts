// Names of internals with an underscore, as requests have them and as they are inside.
import { describe, expect, it } from 'vitest';
import {
  createDocumentRenaming,
  insideFilter,
  insideNames,
  insidePath,
  insideSort,
  outsideNames,
} from '../../../src/collections/internals/internal-names.ts';
import { createCollectionRegistry } from '../../../src/collections/model/collection-registry.ts';
import { collection, reference } from '../../http/fixtures.ts';

const BOOKS = collection('books', { fields: [reference('author', 'people'), reference('parts')] });

describe('a path', () => {
  it.each([
    ['_createdAt', 'createdAt'],
    ['_history.0', 'history.0'],
    ['title', 'title'],
    ['data._version', 'data._version'],
    ['author._version', 'author.v'],
    ['author.data._version', 'author.data._version'],
    ['_id', '_id'],
    ['', ''],
  ])('%s is %s inside', (outside, inside) => {
    expect(insidePath(outside, BOOKS)).toBe(inside);
  });

  it('goes through no reference where nothing is known of the fields', () => {
    expect(insidePath('author._version', undefined)).toBe('author._version');
  });
});

describe('a filter', () => {
  it('has the names inside where operators join filters, and leaves operands alone', () => {
    const filter = {
      $or: [{ _version: { $gt: 1 } }, { $and: [{ 'author._createdBy': '_version' }, 5] }],
      $nor: 'no list',
      title: { $in: ['_version'] },
    };
    expect(insideFilter(filter, BOOKS)).toEqual({
      $or: [{ v: { $gt: 1 } }, { $and: [{ 'author.createdBy': '_version' }, 5] }],
      $nor: 'no list',
      title: { $in: ['_version'] },
    });
    for (const none of [null, 'text', 5, [{ _version: 1 }]]) expect(insideFilter(none, BOOKS)).toEqual(none);
  });
});

describe('names', () => {
  it('of `fields` and `sort` are those inside', () => {
    expect(insideNames({ _createdAt: 1, title: 0 }, BOOKS)).toEqual({ createdAt: 1, title: 0 });
    expect(insideSort('_createdAt', BOOKS)).toBe('createdAt');
    expect(insideSort({ 'author._version': -1 }, BOOKS)).toEqual({ 'author.v': -1 });
    expect(outsideNames({ createdAt: 1, title: 0 })).toEqual({ _createdAt: 1, title: 0 });
  });

  it('of documents change in what is composed and in revisions, and nowhere else', () => {
    const registry = createCollectionRegistry();
    const { outside, inside } = createDocumentRenaming(registry);
    const plain = {
      v: 1,
      title: { v: 2 },
      parts: ['id', { v: 3, parts: [] }],
      author: 'id',
      history: [{ v: 1, history: ['id'] }, 'id'],
      composed: { parts: ['id'] },
    };
    const underscored = {
      _version: 1,
      title: { v: 2 },
      parts: ['id', { _version: 3, parts: [] }],
      author: 'id',
      _history: [{ _version: 1, _history: ['id'] }, 'id'],
      _composed: { parts: ['id'] },
    };
    expect(outside(plain, BOOKS)).toEqual(underscored);
    expect(inside(underscored, BOOKS)).toEqual(plain);
    expect(outside([plain, null, 'text'], BOOKS)).toEqual([underscored, null, 'text']);
  });
});
