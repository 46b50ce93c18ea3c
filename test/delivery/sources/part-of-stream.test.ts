import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { partOfStream } from '../../../src/delivery/sources/remote-response.ts';

const DIGITS = '0123456789';

test('every part of a stream is the one of the whole, however it is cut', async () => {
  for (const size of [1, 3, 10]) {
    for (let start = 0; start < 10; start += 1) {
      for (let end = start; end < 10; end += 1) {
        const pieces = DIGITS.match(new RegExp(`.{1,${size}}`, 'g')) ?? [];
        const whole = Readable.from(pieces.map((piece) => Buffer.from(piece)));
        expect(await text(partOfStream(whole, { start, end }))).toBe(DIGITS.slice(start, end + 1));
        expect(whole.destroyed).toBe(true);
      }
    }
  }
});

test('a part that ends its stream early lets go of the whole, and has its error', async () => {
  const endless = new Readable({ read() {} });
  partOfStream(endless, { start: 0, end: 9 }).destroy();
  await expect.poll(() => endless.destroyed).toBe(true);
  const broken = new Readable({ read: () => broken.destroy(new Error('cut')) });
  await expect(text(partOfStream(broken, { start: 0, end: 9 }))).rejects.toThrow('cut');
});
