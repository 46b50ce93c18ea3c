import { describe, expect, it } from 'vitest';
import { createBoundaryCounter, parseBoundary } from '../../../src/http/media/multipart-boundaries.ts';

describe('the boundary of a content type', () => {
  it.each([
    ['multipart/form-data; boundary=abc', 'abc'],
    ['multipart/form-data;BOUNDARY="a b"; charset=utf-8', 'a b'],
    ['multipart/form-data; charset=utf-8; boundary=a', 'a'],
    [`multipart/form-data; boundary=${'x'.repeat(70)}`, 'x'.repeat(70)],
  ])('of %j', (type, boundary) => {
    expect(parseBoundary(type)).toBe(boundary);
  });

  it.each(['', 'multipart/form-data', 'multipart/form-data; boundary=', `a; boundary=${'x'.repeat(71)}`])(
    'is none for %j',
    (type) => {
      expect(parseBoundary(type)).toBeUndefined();
    },
  );
});

describe('the parts of a form', () => {
  const FORM = Buffer.from(
    'preamble --b\r\n--b\r\n\r\none\r\n--\r\n-b\r\n--b\r\nX: y\r\n\r\n\r\n--b\r\n--b--\r\n--b\r\nepilogue\r\n--b\r\n',
  );

  it('are counted wherever the form is cut into chunks', () => {
    for (let length = 1; length <= FORM.length; length += 1) {
      const count = createBoundaryCounter('b', 5);
      for (let at = 0; at < FORM.length; at += length) count.push(FORM.subarray(at, at + length));
      expect(count.partCount(), `chunks of ${length}`).toBe(3);
    }
  });

  it('are counted where the form begins with its boundary', () => {
    const count = createBoundaryCounter('b', 5);
    count.push(Buffer.from('--b\r\n\r\n\r\n--b--'));
    expect(count.partCount()).toBe(1);
  });

  it('tell their headers as soon as a byte of the content is there, and keep those of so many parts', () => {
    const count = createBoundaryCounter('b', 2);
    for (const byte of Buffer.from('--b\r\nX: 1\r\nY: 2\r\n\r\n')) count.push(Buffer.of(byte));
    expect(count.headersOf(0)).toBe('');
    count.push(Buffer.from('a'));
    expect(count.headersOf(0)).toBe('\r\nX: 1\r\nY: 2');
    count.push(Buffer.from('\r\n--b\r\n\r\n\r\n--b\r\nZ: 3\r\n\r\n\r\n--b--'));
    expect([count.headersOf(1), count.headersOf(2), count.partCount()]).toEqual(['', '', 3]);
  });

  it('are broken where the headers of one have no end, wherever the form is cut into chunks', () => {
    const whole = '--b\r\nX: y\r\n\r\none\r\n--b\r\n';
    for (const [form, isBroken] of [
      [`${whole}two\r\n--b--\r\n`, true],
      [`${whole}\r\n--b--\r\n`, true],
      [`${whole}\r\n\r\n--b--\r\n`, false],
      [`${whole}X: ${'y'.repeat(20_000)}\r\n\r\n--b--\r\n`, true],
      [`${whole}X: ${'y'.repeat(20_000)}\r\n\r\n\r\n--b--\r\n`, false],
    ] as const) {
      const lengths = form.length < 1000 ? [1, 2, 3, 7] : [500, form.length];
      for (const length of lengths) {
        const count = createBoundaryCounter('b', 5);
        for (let at = 0; at < form.length; at += length) count.push(Buffer.from(form.slice(at, at + length)));
        expect([count.isBroken(), count.partCount()], `${form.slice(-40)} in chunks of ${length}`).toEqual([
          isBroken,
          2,
        ]);
      }
    }
  });
});
