// Folds the case of text, so that two texts that differ only in case become equal.
// Unicode simple case folding per code point: the relation that RegExp has under the flags `iu`.

/**
 * Characters outside the Latin, Cyrillic and East Asian blocks in which lower-casing equals case folding independently of
 * the context. Exceptions within Latin are the micro sign, capital I with a dot and long s.
 */
const UNUSUAL_CASE = /[^\0-\xb4\xb6-\u012f\u0131-\u017e\u0400-\u052f\u3000-\ua63f]/;

// Where lower(upper(c)) is not the simple folding: dotless i stays apart from i, and three letters whose
// upper case is several code points fold to a twin.
const EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  ['\u0131', '\u0131'],
  ['\u1fd3', '\u0390'],
  ['\u1fe3', '\u03b0'],
  ['\ufb05', '\ufb06'],
]);

/** The case-folded text, for comparisons only. It has the same length in UTF-16 units. */
export function foldCase(text: string): string {
  if (!UNUSUAL_CASE.test(text)) return text.toLowerCase();
  let folded = '';
  for (const character of text) folded += foldCharacter(character);
  return folded;
}

function foldCharacter(character: string): string {
  if (character < '\x80') return character.toLowerCase();
  const exception = EXCEPTIONS.get(character);
  if (exception !== undefined) return exception;
  const upper = character.toUpperCase();
  const base = upper.length === character.length ? upper : character;
  const lower = base.toLowerCase();
  return lower.length === base.length ? lower : base;
}
