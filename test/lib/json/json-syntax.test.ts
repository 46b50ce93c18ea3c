import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  describePlace,
  describeSyntaxError,
  findSyntaxError,
  findSyntaxErrorYielding,
  parseJsonText,
} from '../../../src/lib/json/json-syntax.ts';

function place(text: string): string {
  const error = findSyntaxError(text);
  return error === undefined ? '' : describePlace(error);
}

test.each([
  ['', 'line 1, column 1: expected a value, but the text ends'],
  ['{"title":"x",', 'line 1, column 14: expected a name in double quotes, but the text ends'],
  ['{"a":1,}', 'line 1, column 8: expected a name in double quotes'],
  ['{"a":1', 'line 1, column 7: expected `,` or `}`, but the text ends'],
  ['{"a" 1}', 'line 1, column 6: expected `:`'],
  ['{a:1}', 'line 1, column 2: expected a name in double quotes or `}`'],
  ["{'a':1}", 'line 1, column 2: expected a name in double quotes or `}`'],
  ['{"a":\n  \'x\'}', 'line 2, column 3: expected a value, with text in double quotes'],
  ['[1,2,]', 'line 1, column 6: expected a value'],
  ['[\n1\n2]', 'line 3, column 1: expected `,` or `]`'],
  ['[1}', 'line 1, column 3: expected `,` or `]`'],
  ['[}', 'line 1, column 2: expected a value or `]`'],
  ['{"a":1}\r\n x', 'line 2, column 2: expected the end, as the value is complete'],
  ['{"n":01}', 'line 1, column 6: expected a number such as 0, -1.5 or 2e3'],
  ['[.5]', 'line 1, column 2: expected a number such as 0, -1.5 or 2e3'],
  ['[NaN]', 'line 1, column 2: expected a value or `]`'],
  ['{"a":"x}', 'line 1, column 6: expected `"` at the end of the text that begins here'],
  ['{"a":"\\x"}', expect.stringMatching(/^line 1, column 7: expected `\\"`, .* four hexadecimal digits$/)],
  ['{"a":"x\n"}', expect.stringMatching(/^line 1, column 8: expected no line break/)],
  ['\uFEFF{}', 'line 1, column 1: expected a value'],
  ['// x\n{}', 'line 1, column 1: expected a value'],
])('%j is wrong at %s', (text, expected) => {
  expect(place(text)).toEqual(expected);
});

/** JSON with some characters taken out, doubled or exchanged. */
const damaged = fc
  .tuple(
    fc.json({ noUnicodeString: false } as fc.JsonSharedConstraints),
    fc.array(
      fc.tuple(
        fc.nat(),
        fc.constantFrom('', '"', ',', ':', '{', '}', '[', ']', '\\', '0', '-', 'e', '\n', 't', "'"),
      ),
    ),
  )
  .map(([text, edits]) =>
    edits.reduce((result, [where, put]) => {
      const at = where % (result.length + 1);
      return result.slice(0, at) + put + result.slice(at + (where % 2));
    }, text),
  );

test('an error of a file is told without its line, which stands before it', () => {
  const error = { line: 3, column: 4, message: 'expected `:`' };
  expect(describeSyntaxError(error)).toBe('is not valid JSON: line 3, column 4: expected `:`');
  expect(describeSyntaxError(error, false)).toBe('is not valid JSON: column 4: expected `:`');
});

describe('an error of the syntax', () => {
  it('is found exactly where the platform finds one', async () => {
    await fc.assert(
      fc.asyncProperty(damaged, async (text) => {
        const found = findSyntaxError(text);
        expect(found === undefined).toBe('value' in parseJsonText(text));
        expect(await findSyntaxErrorYielding(text)).toEqual(found);
        if (found === undefined) return;
        const lines = text.split('\n');
        expect(found.column).toBeLessThanOrEqual((lines[found.line - 1]?.length ?? 0) + 1);
      }),
      { numRuns: 2000 },
    );
  });

  it('quotes nothing of the text', () => {
    const secret = 'hunter2';
    const texts = [
      `{"secret":${secret}}`,
      `{"secret":"${secret}`,
      `{"secret":"${secret}"x`,
      `["\\${secret}"]`,
      `{${secret}:1}`,
    ];
    for (const text of texts) expect(place(text)).not.toContain('hunter');
  });

  it('is found in texts that are long or deep', async () => {
    expect(findSyntaxError('['.repeat(1_000_000))?.column).toBe(1_000_001);
    expect(findSyntaxError(`"${'x'.repeat(10_000_000)}`)?.column).toBe(1);
    const long = `${'[1,\n'.repeat(300_000)}x`;
    expect(await findSyntaxErrorYielding(long)).toMatchObject({ line: 300_001, column: 1 });
  });
});
