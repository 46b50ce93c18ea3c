import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitLines } from '../../src/transfer/split-lines.ts';

async function* source(chunks: readonly (string | Uint8Array)[]) {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

async function read(chunks: readonly (string | Uint8Array)[], maxBytes = 1000) {
  const lines: [number, string, boolean][] = [];
  for await (const { number, bytes, ended } of splitLines(source(chunks), maxBytes)) {
    lines.push([number, Buffer.from(bytes).toString(), ended]);
  }
  return lines;
}

describe('linesOf', () => {
  it('ends lines at line feeds only', async () => {
    expect(await read(['a\nb\r\u2028\u0085c\n\n', 'd'])).toEqual([
      [1, 'a', true],
      [2, 'b\r\u2028\u0085c', true],
      [3, '', true],
      [4, 'd', false],
    ]);
    expect(await read([])).toEqual([]);
    expect(await read(['a\n'])).toEqual([[1, 'a', true]]);
  });

  it('does not mind where the chunks end', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\n', 'é', '😀', '"') });
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 5 }), async (whole, size) => {
        const bytes = Buffer.from(whole);
        const chunks: Uint8Array[] = [];
        for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
        expect(await read(chunks)).toEqual(await read([whole]));
      }),
    );
  });

  it('bounds a line before it is all there', async () => {
    let given = 0;
    const endless = async function* () {
      for (;;) {
        given += 1;
        yield Buffer.alloc(100, 'x');
      }
    };
    const drain = async () => {
      for await (const _ of splitLines(endless(), 1000));
    };
    await expect(drain()).rejects.toThrow('line 1: is longer than 1000 bytes');
    expect(given).toBe(11);
    await expect(read([`ok\n${'x'.repeat(1001)}\n`])).rejects.toThrow('line 2: is longer');
    expect(await read([`${'x'.repeat(1000)}\n`])).toHaveLength(1);
  });
});
