import { expect, it } from 'vitest';
import {
  createOutput,
  outputText,
  putAscii,
  putByte,
  putBytes,
  putString,
} from '../../../../src/stores/mongo-documents/bson/bytes.ts';

it('grows as needed', () => {
  const out = createOutput(1);
  putAscii(out, 'true');
  putByte(out, 0x2c);
  for (const text of ['', 'plain', 'a"b', '\u0000'.repeat(40), 'é😀', 'x'.repeat(300), '\u2028']) {
    const source = Buffer.from(`<${text}>`);
    putBytes(out, source, { from: 1, to: source.length - 1 });
    putByte(out, 0x2c);
    putString(out, text);
  }
  const expected = ['', 'plain', 'a"b', '\u0000'.repeat(40), 'é😀', 'x'.repeat(300), '\u2028']
    .map((text) => `${JSON.stringify(text)},${JSON.stringify(text)}`)
    .join('');
  expect(outputText(out)).toBe(`true,${expected}`);
});
