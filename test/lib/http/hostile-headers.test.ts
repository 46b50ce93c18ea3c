// Every parser of headers against a million characters of noise, and against headers that are nearly right: none throws, none takes
// more time than the length of the text, and none reads anything into what is cut or quoted.
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors/errors.ts';
import { parsePreconditions } from '../../../src/http/core/preconditions.ts';
import { createClientAddresses, normalizeAddress } from '../../../src/http/transport/client-address.ts';
import {
  evaluateConditions,
  matchesIfRange,
  parseByteRange,
  parseHttpDate,
} from '../../../src/lib/http/conditional.ts';
import { essence, isPassiveType } from '../../../src/lib/http/media-types.ts';
import { parseQualityList } from '../../../src/lib/http/quality-list.ts';

const LENGTH = 1_000_000;
/** Milliseconds of the processor; what grows with the square of the length would take hours. */
const MAX_CPU_MS = 5000;
const STATE = { etag: '"a"', modifiedAt: 0 };

const clients = createClientAddresses(['10.0.0.0/8']);
const addressOf = (headers: Readonly<Record<string, string>>) =>
  clients.of({ headers, socket: { remoteAddress: '10.0.0.1' } });

/** 400 and nothing else is what a client may be told. */
function preconditions(headers: Readonly<Record<string, string>>): unknown {
  try {
    return parsePreconditions({ headers });
  } catch (error) {
    if (error instanceof AppError && error.status === 400) return undefined;
    throw error;
  }
}

const PARSERS: Readonly<Record<string, (header: string) => unknown>> = {
  'Accept-Encoding': (header) => parseQualityList(header),
  Accept: (header) => parseQualityList(header, { allowsParameters: true }),
  'If-None-Match': (ifNoneMatch) => evaluateConditions({ ifNoneMatch }, STATE),
  'If-Match': (ifMatch) => evaluateConditions({ ifMatch }, STATE),
  'If-Modified-Since': (ifModifiedSince) => evaluateConditions({ ifModifiedSince }, STATE),
  'If-Unmodified-Since': (ifUnmodifiedSince) => evaluateConditions({ ifUnmodifiedSince }, STATE),
  'If-Range': (header) => matchesIfRange(header, STATE),
  Range: (header) => parseByteRange(header, 1000),
  'an HTTP date': parseHttpDate,
  'Content-Type': (header) => [essence(header), isPassiveType(header, new Set())],
  Forwarded: (forwarded) => addressOf({ forwarded }),
  'X-Forwarded-For': (header) => addressOf({ 'x-forwarded-for': header }),
  'an address': normalizeAddress,
  'If-Match of a write': (header) => preconditions({ 'if-match': header }),
  'If-None-Match of a write': (header) => preconditions({ 'if-none-match': header }),
};

/** The same numbers for the same seed: 0 to `below`. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const PIECES = [
  ...[
    '"',
    '\\',
    ',',
    ';',
    '=',
    ' ',
    '\t',
    '*',
    '/',
    '-',
    'W/',
    'q',
    'q=',
    'q=0',
    'for=',
    '[',
    ']',
    ':',
    '%',
    '.',
  ],
  ...[
    'bytes=',
    '0',
    '1',
    '9999999999',
    'a',
    'é',
    'ÿ',
    'gzip',
    'image/',
    '"a"',
    'Mon, ',
    'GMT',
    '::ffff:',
    '\n',
  ],
];
const noise = (seed: number) => {
  const random = randomOf(seed);
  const pieces: string[] = [];
  for (let length = 0; length < LENGTH; length += pieces.at(-1)?.length ?? 0)
    pieces.push(PIECES[random(PIECES.length)] as string);
  return pieces.join('');
};
const repeated = (text: string) => text.repeat(Math.ceil(LENGTH / text.length));
const HOSTILE: readonly string[] = [
  ...[1, 2, 3].map(noise),
  ...PIECES.map(repeated),
  ...['"a', '",', '\\"', ';for="', '",for=', '" ,', 'W/"', ' ;', 'a;', '1-', '-1,', '"\\'].map(repeated),
  ...['bytes=', '"', 'for="', 'Mon, ', 'W/"', '[', 'image/'].map((start) => start + repeated(' ')),
  ...['bytes=1-', '"a"', 'for=1', 'a;q='].map((start) => `${start}${repeated(' ')}x`),
];

describe.each(Object.entries(PARSERS))('%s', (_name, parse) => {
  it('takes no more time for any million characters than their number', () => {
    for (const header of HOSTILE) {
      const before = process.threadCpuUsage();
      parse(header);
      const { user, system } = process.threadCpuUsage(before);
      expect((user + system) / 1000, header.slice(0, 40)).toBeLessThan(MAX_CPU_MS);
    }
  });

  it('takes any short text', () => {
    const random = randomOf(7);
    for (let n = 0; n < 5000; n += 1) {
      const length = random(12);
      parse(Array.from({ length }, () => PIECES[random(PIECES.length)]).join(''));
    }
  });
});

describe('a member of a list', () => {
  it('that is cut by the limit of the length says nothing, wherever it is cut', () => {
    const member = 'br;q=0.000';
    for (let before = 4096 - member.length - 3; before <= 4099; before += 1) {
      const header = `gzip,${'x'.repeat(before - 6)},${member}`;
      const found = parseQualityList(header).find(({ value }) => value.startsWith('b'));
      expect(found === undefined || (found.value === 'br' && found.quality === 0), String(before)).toBe(true);
    }
  });

  it('that ends exactly at the limit of the length counts', () => {
    const member = ',br;q=0.5';
    const header = `${'x'.repeat(4096 - member.length)}${member}`;
    expect(parseQualityList(header).at(-1)).toEqual({ value: 'br', quality: 0.5 });
    expect(parseQualityList(`${header},gzip`).at(-1)).toEqual({ value: 'br', quality: 0.5 });
    expect(parseQualityList(`${header}5`)).toHaveLength(1);
  });

  it('keeps the commas and semicolons in its quotes', () => {
    const header = 'image/webp;a=",;q=1";q=0, image/avif;b="\\"";q=0.5';
    expect(parseQualityList(header, { allowsParameters: true })).toEqual([
      { value: 'image/webp', quality: 0 },
      { value: 'image/avif', quality: 0.5 },
    ]);
  });
});

describe('an element of Forwarded', () => {
  it.each([
    ['for=192.0.2.7', '192.0.2.7'],
    ['host="a;for=192.0.2.9";for=192.0.2.7', '192.0.2.7'],
    ['host="a, for=192.0.2.9";for=192.0.2.7', '192.0.2.7'],
    ['for=192.0.2.7;host="a;for=192.0.2.9"', '192.0.2.7'],
    ['host="a\\";for=192.0.2.9";for="192.0.2.7:80"', '192.0.2.7'],
    ['for=192.0.2.7;for=192.0.2.9', '10.0.0.1'],
    ['host="a;for=192.0.2.9', '10.0.0.1'],
    ['xfor=192.0.2.9', '10.0.0.1'],
    ['for=192.0.2.7 192.0.2.9', '10.0.0.1'],
  ])('%s names the client %s', (forwarded, address) => {
    expect(addressOf({ forwarded })).toBe(address);
  });
});
