import { expect, test } from 'vitest';
import {
  crossOriginHeaders,
  omitBodyHeaders,
  parseGuestHeaders,
  resolveGrantHeaders,
} from '../../src/capabilities/egress.ts';
import { fetchGrant } from './fetch/servers.ts';

const ORIGIN = 'https://api.example.com';
const set = (name: string, value = 'x') => parseGuestHeaders([[name, value]], ORIGIN);

test('a guest sets ordinary headers', () => {
  const given = [
    ['Accept', ' application/json '],
    ['X-Api-Version', '2'],
    ['user-agent', 'report/1'],
    ['x-note', 'caf\u00e9\t!'],
  ] as const;
  expect(parseGuestHeaders(given, ORIGIN)).toEqual([
    ['accept', 'application/json'],
    ['x-api-version', '2'],
    ['user-agent', 'report/1'],
    ['x-note', 'caf\u00e9\t!'],
  ]);
});

test.each([
  ...['Authorization', 'cookie', 'Cookie2', 'HOST', 'origin', 'referer', 'proxy-authorization', 'Proxy-X'],
  ...['sec-fetch-site', 'x-forwarded-for', 'X-Forwarded-Host', 'forwarded', 'via', 'x-real-ip', 'date'],
  ...[
    'connection',
    'keep-alive',
    'content-length',
    'transfer-encoding',
    'te',
    'trailer',
    'upgrade',
    'expect',
  ],
  ...['accept-encoding', 'http2-settings'],
])('a guest never sets %s', (name) => {
  expect(() => set(name)).toThrow(expect.objectContaining({ reason: 'header', origin: ORIGIN }));
});

test.each([
  ['an empty name', '', 'x'],
  ['a name with a space', 'x y', 'x'],
  ['a name with a colon', 'x:', 'x'],
  ['a name with a line', 'x\r\ny', 'x'],
  ['a name beyond ASCII', 'x\u00e9', 'x'],
  ['a name that lower case makes ASCII', '\u212aey', 'x'],
  ['CR LF in a value', 'x', 'a\r\nHost: b'],
  ['LF inside a value', 'x', 'a\nb'],
  ['NUL in a value', 'x', 'a\0b'],
  ['a character whose low byte is LF', 'x', 'a\u010ab'],
  ['a character beyond Latin-1', 'x', '\u{1f600}'],
])('the headers of a guest must not be %s', (_name, name, value) => {
  expect(() => set(name, value)).toThrow(expect.objectContaining({ reason: 'header' }));
});

test('a guest sets a limited number and size of headers', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => [`x-${index}`, 'y'] as const);
  expect(parseGuestHeaders(many(50), ORIGIN)).toHaveLength(50);
  expect(() => parseGuestHeaders(many(51), ORIGIN)).toThrow();
  expect(() => set('x', 'y'.repeat(16 * 1024))).toThrow();
});

test('a grant adds its headers and secrets', () => {
  const headers = { Authorization: 'secret:TOKEN', 'X-Plain': 'text', host: 'virtual.example' };
  const grant = fetchGrant(ORIGIN, { headers });
  expect(resolveGrantHeaders(grant, { TOKEN: 'Bearer abc' }, ORIGIN)).toEqual([
    ['authorization', 'Bearer abc'],
    ['x-plain', 'text'],
    ['host', 'virtual.example'],
  ]);
});

test.each(['MISSING', 'constructor', '__proto__', 'toString', '', 'LINES'])(
  'a secret %j that is not there, or no header, ends the request',
  (name) => {
    const grant = fetchGrant(ORIGIN, { headers: { authorization: `secret:${name}` } });
    const refused = expect.objectContaining({ reason: 'secret' });
    expect(() => resolveGrantHeaders(grant, { LINES: 'a\r\nb' }, ORIGIN)).toThrow(refused);
  },
);

test('a grant never sets framing headers', () => {
  const grant = fetchGrant(ORIGIN, { headers: { 'transfer-encoding': 'chunked' } });
  expect(() => resolveGrantHeaders(grant, {}, ORIGIN)).toThrow(expect.objectContaining({ reason: 'header' }));
});

test('possible credentials stay with their origin', () => {
  const headers = parseGuestHeaders(
    [
      ['accept', 'a'],
      ['content-type', 'b'],
      ['x-api-key', 'c'],
    ],
    ORIGIN,
  );
  expect(crossOriginHeaders(headers).map(([name]) => name)).toEqual(['accept', 'content-type']);
  expect(omitBodyHeaders(headers).map(([name]) => name)).toEqual(['accept', 'x-api-key']);
});
