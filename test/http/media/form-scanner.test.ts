import { describe, expect, it } from 'vitest';
import { FormScanner, parseBoundary } from '../../../src/http/media/form-scanner.ts';

const MAX_HEADERS = 16_384;

/** The parts of a body that comes in chunks of `length` bytes, and how it ended. */
function scan(body: string, length: number, maxHeaders = MAX_HEADERS) {
  const scanner = new FormScanner('b', maxHeaders);
  const bytes = Buffer.from(body, 'latin1');
  const parts: { headers: string; content: string; isWhole: boolean }[] = [];
  let ending = 'open';
  for (let at = 0; at < bytes.length; at += length) {
    scanner.push(bytes.subarray(at, at + length));
    for (let piece = scanner.next(); piece !== undefined; piece = scanner.next()) {
      const part = parts.at(-1);
      if (piece.kind === 'headers') parts.push({ headers: piece.text, content: '', isWhole: false });
      else if (piece.kind === 'bytes' && part) part.content += piece.bytes.toString('latin1');
      else if (piece.kind === 'end' && part) part.isWhole = true;
      else ending = piece.kind;
    }
  }
  return { parts, ending };
}

function scanInEveryWay(body: string, maxHeaders = MAX_HEADERS) {
  const whole = scan(body, Math.max(1, body.length), maxHeaders);
  const lengths = body.length < 300 ? Array.from({ length: body.length }, (_, n) => n + 1) : [1, 499, 16_383];
  for (const length of lengths) expect(scan(body, length, maxHeaders), `chunks of ${length}`).toEqual(whole);
  return whole;
}

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

describe('the parts of a form, wherever it is cut into chunks,', () => {
  it('are what lies between boundaries, with every byte that only looks like one', () => {
    const content = 'one\r\n--\r\n-b\r\r\n--\r\n\r\n--B\n--b\r--b\r';
    const { parts, ending } = scanInEveryWay(
      `preamble --b\r\n-b\r\n--b\r\nX: 1\r\nY: 2\r\n\r\n${content}\r\n--b \t\r\n\r\n\r\n--b--\r\n--b\r\nepilogue`,
    );
    expect({ parts, ending }).toEqual({
      parts: [
        { headers: '\r\nX: 1\r\nY: 2', content, isWhole: true },
        { headers: ' \t', content: '', isWhole: true },
      ],
      ending: 'over',
    });
  });

  it('may begin with the first byte of the body', () => {
    const { parts, ending } = scanInEveryWay('--b\r\nX: 1\r\n\r\n\r\n--b--');
    expect([parts.length, parts[0]?.content, ending]).toEqual([1, '', 'over']);
  });

  it('may be none', () => {
    expect(scanInEveryWay('--b--')).toEqual({ parts: [], ending: 'over' });
  });

  it('may have content of line breaks alone', () => {
    expect(scanInEveryWay('--b\r\nX: 1\r\n\r\n\r\n\r\n\r\n--b--').parts[0]?.content).toBe('\r\n\r\n');
  });

  it('are not over before their last boundary', () => {
    const form = '--b\r\nX: 1\r\n\r\none\r\n--b--';
    for (let length = 1; length < form.length; length += 1) {
      expect(scanInEveryWay(form.slice(0, length)).ending, `${length}`).toBe('open');
    }
  });

  it.each([
    ['end at the next boundary', '--b\r\nX: 1\r\none\r\n--b--\r\n'],
    ['share their last line break with the next boundary', '--b\r\nX: 1\r\n\r\n--b--\r\n'],
    ['are too long', `--b\r\nX: ${'y'.repeat(98)}\r\n\r\n\r\n--b--`],
    ['are too long and have no end', `--b\r\nX: ${'y'.repeat(2000)}`],
  ])('are malformed where headers %s', (_what, form) => {
    expect(scanInEveryWay(form, 102).ending).toBe('malformed');
  });

  it('may have headers of as many bytes as are allowed', () => {
    const { parts, ending } = scanInEveryWay(`--b\r\nX: ${'y'.repeat(97)}\r\n\r\n\r\n--b--`, 102);
    expect([parts.length, ending]).toEqual([1, 'over']);
  });
});

it('the content of a part is made of views of the chunks', () => {
  const scanner = new FormScanner('b', MAX_HEADERS);
  const chunk = Buffer.from('--b\r\nX: 1\r\n\r\nabc\r\n--b--');
  scanner.push(chunk);
  scanner.next();
  const piece = scanner.next();
  expect(piece?.kind === 'bytes' && piece.bytes.buffer).toBe(chunk.buffer);
});
