// Names made of paths, for places that take letters, digits and underscores only, such as the ids of operations and the names of
// components in an API description.

const SLASH = '__';

/**
 * A name of the characters A-Z, a-z, 0-9 and `_` for a path, with or without a slash in front: `/1.0/library/books` becomes
 * `1_0__library__books`. Different paths have different names, and the name of one does not depend on any other.
 */
export function identifierKey(path: string): string {
  const characters = [...path.replace(/^\//, '')];
  return characters.map((character, index) => encode(character, characters[index + 1])).join('');
}

// Each piece can be told from what follows it: `__`, an underscore before a digit, `_x`, and letters and digits as they are.
function encode(character: string, next: string | undefined): string {
  if (/^[A-Za-z0-9]$/.test(character)) return character;
  if (character === '/') return SLASH;
  if (character === '.' && next !== undefined && /^[0-9]$/.test(next)) return '_';
  return `_x${(character.codePointAt(0) ?? 0).toString(16)}_`;
}
