// Which media collection a body means, and how an error says that it means none.
import { describe, expect, it } from 'vitest';
import type { Collection } from '../../../src/collections/model/collection.ts';
import { findMediaCollection } from '../../../src/http/core/find-media-collection.ts';

function collection(path: string, media = true): Collection {
  const [, version, database, name] = path.split('/');
  return { version, database, name, path, settings: { media } } as unknown as Collection;
}

const registryOf = (...collections: Collection[]) => ({ list: () => collections });
const everyone = () => true;
const [images, newer, films, books] = [
  collection('/1.0/library/images'),
  collection('/2.0/library/images'),
  collection('/1.0/cinema/films'),
  collection('/1.0/library/books', false),
];

describe('findMediaCollection', () => {
  it('finds the only media collection without an address', () => {
    expect(findMediaCollection(registryOf(books, images), {}, { maySee: everyone })).toBe(images);
  });

  it('finds the default bucket among several, where the address says nothing', () => {
    const all = registryOf(images, newer, films, books);
    const options = { maySee: everyone, defaultBucket: 'films' };
    expect(findMediaCollection(all, {}, options)).toBe(films);
    expect(findMediaCollection(all, { name: 'images', version: '1.0' }, options)).toBe(images);
    expect(() => findMediaCollection(all, {}, { ...options, defaultBucket: 'images' })).toThrow('Several');
    expect(() => findMediaCollection(all, { name: 'images' }, options)).toThrow('Several');
  });

  it('finds the one that matches the address', () => {
    const all = registryOf(images, newer, films, books);
    expect(findMediaCollection(all, { name: 'films' }, { maySee: everyone })).toBe(films);
    expect(findMediaCollection(all, { name: 'images', version: '2.0' }, { maySee: everyone })).toBe(newer);
  });

  it.each([{ name: 'books' }, { name: 'films', database: 'library' }, { name: 'constructor' }])(
    'finds none for %j',
    (address) => {
      expect(() =>
        findMediaCollection(registryOf(images, films, books), address, { maySee: everyone }),
      ).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
    },
  );

  it('throws if there is none', () => {
    expect(() => findMediaCollection(registryOf(books), {}, { maySee: everyone })).toThrow(
      'no media collection',
    );
  });

  it('lists at most ten of several, those that the caller may see', () => {
    const all = registryOf(images, newer, films);
    const visible = ({ name }: Collection) => name === 'films';
    expect(() => findMediaCollection(all, {}, { maySee: visible })).toThrow(
      'Several media collections fit, among them /1.0/cinema/films: say which one',
    );
    expect(() => findMediaCollection(all, {}, { maySee: () => false })).toThrow(
      'Several media collections fit: say',
    );
    const many = Array.from({ length: 30 }, (_, at) => collection(`/1.0/library/c${at}`));
    expect(() => findMediaCollection(registryOf(...many), {}, { maySee: everyone })).toThrow(/c9: say/);
  });
});
