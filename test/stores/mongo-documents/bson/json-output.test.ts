import { expect, it } from 'vitest';
import {
  createJsonOutput,
  jsonText,
  writeAscii,
  writeByte,
  writeString,
  writeUtf8,
} from '../../../../src/stores/mongo-documents/bson/json-output.ts';

it('the JSON output buffer grows as needed', () => {
  const out = createJsonOutput(1);
  writeAscii(out, 'true');
  writeByte(out, 0x2c);
  for (const text of ['', 'plain', 'a"b', '\u0000'.repeat(40), 'é😀', 'x'.repeat(300), '\u2028']) {
    const source = Buffer.from(`<${text}>`);
    writeUtf8(out, source, { from: 1, to: source.length - 1 });
    writeByte(out, 0x2c);
    writeString(out, text);
  }
  const expected = ['', 'plain', 'a"b', '\u0000'.repeat(40), 'é😀', 'x'.repeat(300), '\u2028']
    .map((text) => `${JSON.stringify(text)},${JSON.stringify(text)}`)
    .join('');
  expect(jsonText(out)).toBe(`true,${expected}`);
});
