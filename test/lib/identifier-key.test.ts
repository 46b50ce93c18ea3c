// Names made of paths: what they look like, and that no two paths have the same.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { identifierKey } from '../../src/lib/identifier-key.ts';

/** The path, without its slash, that a name was made of. */
function decode(name: string): string {
  const piece = /__|_(?=[0-9])|_x([0-9a-f]+)_|[A-Za-z0-9]/y;
  let path = '';
  while (piece.lastIndex < name.length) {
    const found = piece.exec(name) ?? expect.unreachable(`no piece in ${name}`);
    if (found[0] === '__') path += '/';
    else if (found[0] === '_') path += '.';
    else path += found[1] === undefined ? found[0] : String.fromCodePoint(Number.parseInt(found[1], 16));
  }
  return path;
}

describe('a name made of a path', () => {
  it.each([
    ['/1.0/library/books', '1_0__library__books'],
    ['1.0/library/books', '1_0__library__books'],
    ['/v1/my-library/old_books', 'v1__my_x2d_library__old_x5f_books'],
    ['/1.0/a/b.c.2', '1_0__a__b_x2e_c_2'],
    ['/1.0/a/_1', '1_0__a___x5f_1'],
    ['/1.0/a/.1', '1_0__a___1'],
    ['/1.0/größe', '1_0__gr_xf6__xdf_e'],
    ['/1.0/x🙂', '1_0__x_x1f642_'],
    ['', ''],
  ])('of %j is %j', (path, name) => {
    expect(identifierKey(path)).toBe(name);
  });

  it('has letters, digits and underscores only, and tells which path it was made of', () => {
    const character = fc.oneof(
      fc.constantFrom('/', '.', '_', 'x', '-', '0', '2', 'e', 'f', '5'),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    );
    fc.assert(
      fc.property(fc.array(character, { maxLength: 12 }), (characters) => {
        const path = characters.join('');
        const name = identifierKey(`/${path}`);
        expect(name).toMatch(/^[A-Za-z0-9_]*$/);
        expect(decode(name)).toBe(path);
      }),
      { numRuns: 2000 },
    );
  });
});
