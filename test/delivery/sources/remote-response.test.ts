import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import {
  assertPartialContent,
  describeResponse,
  partOfStream,
  rangeHeader,
} from '../../../src/delivery/sources/remote-response.ts';

const answer = (statusCode: number, headers: Readonly<Record<string, string>> = {}) =>
  ({ statusCode, headers }) as unknown as IncomingMessage;

test.each([
  ['image/png', 'image/png'],
  ['text/html; charset=utf-8', 'text/html; charset=utf-8'],
  ['image/png\u00e9', undefined],
  ['nonsense', undefined],
  [`image/${'x'.repeat(300)}`, undefined],
])('of the declared type %j is taken %j', (declared, type) => {
  expect(describeResponse(answer(200, { 'content-type': declared }), 0)?.contentType).toBe(type);
});

test.each([
  ['12', 12],
  ['-1', undefined],
  ['1e3', undefined],
  ['12, 12', undefined],
])('of the declared length %j is taken %j', (declared, size) => {
  expect(describeResponse(answer(200, { 'content-length': declared }), 0)?.size).toBe(size);
});

test('a range has both its ends in the header, and no other is taken for it', () => {
  expect(rangeHeader({ start: 0, end: 9 })).toBe('bytes=0-9');
  const part = { start: 0, end: 9 };
  expect(() => assertPartialContent(answer(206, { 'content-range': 'bytes 0-9/20' }), part)).not.toThrow();
  for (const other of ['bytes 0-8/20', 'bytes 0-90/20', 'bytes 10-19/20', 'bytes */20'])
    expect(() => assertPartialContent(answer(206, { 'content-range': other }), part)).toThrow('another part');
  expect(() => assertPartialContent(answer(206), part)).toThrow('another part');
});

test('a part is a file only where one was asked for', () => {
  expect(() => describeResponse(answer(206), 0)).toThrow();
  expect(describeResponse(answer(206), 0, { mayBePart: true })).toBeDefined();
});

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
