// Which media collection a body means, and how an error says that it means none.
import { describe, expect, it } from 'vitest';
import type { Collection } from '../../../src/collections/model/collection.ts';
import { findMediaCollection } from '../../../src/http/routing/find-media-collection.ts';

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
    expect(findMediaCollection(registryOf(books, images), {}, everyone)).toBe(images);
  });

  it('finds the one that matches the address', () => {
    const all = registryOf(images, newer, films, books);
    expect(findMediaCollection(all, { name: 'films' }, everyone)).toBe(films);
    expect(findMediaCollection(all, { name: 'images', version: '2.0' }, everyone)).toBe(newer);
  });

  it.each([{ name: 'books' }, { name: 'films', database: 'library' }, { name: 'constructor' }])(
    'finds none for %j',
    (address) => {
      expect(() => findMediaCollection(registryOf(images, films, books), address, everyone)).toThrow(
        expect.objectContaining({ code: 'NOT_FOUND' }),
      );
    },
  );

  it('throws if there is none', () => {
    expect(() => findMediaCollection(registryOf(books), {}, everyone)).toThrow('no media collection');
  });

  it('lists at most ten of several, those that the caller may see', () => {
    const all = registryOf(images, newer, films);
    const visible = ({ name }: Collection) => name === 'films';
    expect(() => findMediaCollection(all, {}, visible)).toThrow(
      'Several media collections fit, among them /1.0/cinema/films: say which one',
    );
    expect(() => findMediaCollection(all, {}, () => false)).toThrow('Several media collections fit: say');
    const many = Array.from({ length: 30 }, (_, at) => collection(`/1.0/library/c${at}`));
    expect(() => findMediaCollection(registryOf(...many), {}, everyone)).toThrow(/c9: say/);
  });
});
