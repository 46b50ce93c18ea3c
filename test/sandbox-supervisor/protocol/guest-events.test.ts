import { describe, expect, it, test } from 'vitest';
import {
  isEventSize,
  MAX_EVENT_CHARACTERS,
  MAX_RESPONSE_HEADERS,
  parseCallEvent,
  parseErrorEvent,
  parseLogEvent,
  parseNextEvent,
  parseResponseHead,
  parseTimer,
  responseOf,
} from '../../../src/sandbox-supervisor/protocol/guest-events.ts';

const head = (...parts: unknown[]) => JSON.stringify(parts);

describe('the head of a response', () => {
  it('has a status, headers and the encoding of the body', () => {
    expect(parseResponseHead(head(200, [['X-A', 'b\tc\xff']], 'text'))).toEqual({
      status: 200,
      headers: [['X-A', 'b\tc\xff']],
      encoding: 'text',
    });
  });

  it.each([
    ['status 199', head(199, [], 'text')],
    ['status 600', head(600, [], 'text')],
    ['a fraction', head(200.5, [], 'text')],
    ['a text', head('200', [], 'text')],
    ['an unknown encoding', head(200, [], 'hex')],
    ['a part too many', head(200, [], 'text', 1)],
    ['headers that are none', head(200, {}, 'text')],
    ['a header of three', head(200, [['a', 'b', 'c']], 'text')],
    ['a value that is no text', head(200, [['a', 1]], 'text')],
    ['an empty name', head(200, [['', 'b']], 'text')],
    ['a name with a space', head(200, [['a b', 'c']], 'text')],
    ['a name with a line', head(200, [['a\n', 'c']], 'text')],
    ['a value with CR', head(200, [['a', 'b\r']], 'text')],
    ['a value with LF', head(200, [['a', 'b\nc: d']], 'text')],
    ['a value with NUL', head(200, [['a', '\0']], 'text')],
    ['a value whose low byte is LF', head(200, [['a', '\u010a']], 'text')],
    ['a value with DEL', head(200, [['a', '\x7f']], 'text')],
    [
      '51 headers',
      head(
        200,
        Array.from({ length: 51 }, () => ['a', 'b']),
        'text',
      ),
    ],
    ['17 KB of headers', head(200, [['a', 'b'.repeat(17_000)]], 'text')],
    ['an object', '{"length":3}'],
    ['no JSON', '[200,'],
  ])('is refused with %s', (_, text) => {
    expect(parseResponseHead(text)).toBeNull();
  });
});

describe('heads of a compromised host', () => {
  const fields = (members: object) => JSON.stringify({ message: 'm', level: 'info', ...members });

  it.each([
    ['a long message', fields({ message: 'x'.repeat(8193) })],
    ['too many members', `{"message":"m","level":"info"${',"a":1'.repeat(200)}}`],
    ['too deep a member', `{"message":"m","level":"info","a":${'['.repeat(500)}${']'.repeat(500)}}`],
  ])('are refused with %s', (_, text) => {
    expect([parseErrorEvent(text), parseLogEvent(text), parseNextEvent(text)]).toEqual([null, null, null]);
  });

  it('are rejected with an error message that is too long', () => {
    const [most, more] = [fields({ message: 'x'.repeat(300) }), fields({ message: 'x'.repeat(301) })];
    expect([parseErrorEvent(most) === null, parseNextEvent(most) === null]).toEqual([false, false]);
    expect([parseErrorEvent(more), parseNextEvent(more)]).toEqual([null, null]);
    expect(parseErrorEvent(fields({ code: 'x'.repeat(101) }))).toBeNull();
    const long = fields({ stack: 'x'.repeat(2010) });
    expect([parseErrorEvent(long), parseLogEvent(long)]).toEqual([null, null]);
  });

  it('are rejected with too many headers, or headers that are too deep', () => {
    expect(parseResponseHead(`[200,[${'{},'.repeat(10_000)}{}],"text"]`)).toBeNull();
    expect(parseResponseHead(`[200,${'['.repeat(1000)}${']'.repeat(1000)},"text"]`)).toBeNull();
  });

  it('are rejected when a timer is longer than a number', () => {
    expect(parseTimer(`{"ms":1${' '.repeat(200)}}`)).toBeNull();
  });
});

describe('the body of a response', () => {
  const text = { status: 200, headers: [], encoding: 'text' } as const;
  const bytes = { ...text, encoding: 'base64' } as const;

  it('is text, or bytes', () => {
    expect(responseOf(text, 'ü', 2)).toMatchObject({ kind: 'response', body: 'ü' });
    expect(responseOf(text, Buffer.from('ü'), 2)).toMatchObject({ body: Buffer.from('ü') });
    expect(responseOf(bytes, 'AP8=', 2)).toMatchObject({ body: Buffer.from([0, 255]) });
  });

  it('is rejected when it has too many bytes', () => {
    expect(responseOf(text, 'ü', 1)).toBeNull();
    expect(responseOf(text, Buffer.from('ü'), 1)).toBeNull();
    expect(responseOf(bytes, 'AP8=', 1)).toBeNull();
  });
});

describe('a next event', () => {
  it('has no error, or one with a message', () => {
    expect(parseNextEvent('{}')).toEqual({ kind: 'next' });
    expect(parseNextEvent('{"message":"no"}')).toEqual({ kind: 'next', error: { message: 'no' } });
    expect(parseNextEvent('{"message":"no","statusCode":404}')).toEqual({
      kind: 'next',
      error: { message: 'no', statusCode: 404 },
    });
  });

  it.each([
    '[]',
    '{"a":1}',
    '{"message":1}',
    '{"message":"a","statusCode":200}',
    '{"message":"a","statusCode":"404"}',
    '',
  ])('is refused as %s', (text) => {
    expect(parseNextEvent(text)).toBeNull();
  });
});

describe('an error event', () => {
  it('has a message, and optional members', () => {
    expect(parseErrorEvent('{"message":"a"}')).toEqual({ message: 'a', tooLarge: false });
    expect(parseErrorEvent('{"message":"a","stack":"b","code":"c","tooLarge":true}')).toEqual({
      message: 'a',
      stack: 'b',
      code: 'c',
      tooLarge: true,
    });
  });

  it('of a hook has the status with which it refuses', () => {
    expect(parseErrorEvent('{"message":"a","statusCode":499}')).toEqual({
      message: 'a',
      statusCode: 499,
      tooLarge: false,
    });
    for (const status of ['200', '399', '500', '451.5', '"403"', '{}', 'null', '1e999']) {
      expect([status, parseErrorEvent(`{"message":"a","statusCode":${status}}`)]).toEqual([status, null]);
    }
  });

  it.each(['{}', '{"message":1}', '{"message":"a","stack":1}', '{"message":"a","code":{}}', 'null', '[]'])(
    'is refused as %s',
    (text) => {
      expect(parseErrorEvent(text)).toBeNull();
    },
  );

  it('is rejected when it is too long', () => {
    expect(parseErrorEvent(JSON.stringify({ message: 'x'.repeat(65_537) }))).toBeNull();
  });
});

describe('a guest call event', () => {
  it('has a number and a name', () => {
    expect(parseCallEvent('{"call":1,"name":"model.find"}', '{}')).toEqual({
      id: 1,
      call: { name: 'model.find', args: '{}' },
    });
  });

  it.each([
    '{"call":-1,"name":"a"}',
    '{"call":1.5,"name":"a"}',
    '{"call":1}',
    '{"call":1,"name":"a b"}',
    '[]',
    '',
  ])('is refused as %s', (text) => {
    expect(parseCallEvent(text, '{}')).toBeNull();
  });

  it.each([
    ['{"ms":5}', 5],
    ['{"ms":-1}', null],
    ['{"ms":"5"}', null],
    ['{"ms":1e999}', null],
    ['', null],
  ])('timer with %s waits for %s', (args, ms) => {
    expect(parseTimer(args)).toBe(ms);
  });
});

describe('a log event', () => {
  it('has a level, a message and an optional stack', () => {
    expect(parseLogEvent('{"level":"warn","message":"a"}')).toEqual({ level: 'warn', message: 'a' });
    expect(parseLogEvent('{"level":"error","message":"a","stack":"b","more":1}')).toEqual({
      level: 'error',
      message: 'a',
      stack: 'b',
    });
  });

  it.each([
    '{"level":"fatal","message":"a"}',
    '{"level":"info"}',
    '{"level":"info","message":"a","stack":1}',
    '1',
  ])('is refused as %s', (text) => {
    expect(parseLogEvent(text)).toBeNull();
  });
});

const bytesOf = (head: unknown) => Buffer.byteLength(JSON.stringify(head));
/** JSON has no longer way to write a character. */
const text = (characters: number) => '\u0001'.repeat(characters);

test('what the guest side cuts to has room, however it is escaped', () => {
  const message = text(MAX_EVENT_CHARACTERS.errorMessage);
  const stack = text(MAX_EVENT_CHARACTERS.stack);
  const code = text(MAX_EVENT_CHARACTERS.errorCode);
  expect(isEventSize('error', bytesOf({ message, stack, code, tooLarge: true }), 0)).toBe(true);
  expect(isEventSize('next', bytesOf({ message, statusCode: 500 }), 0)).toBe(true);
  const record = { level: 'error', message: text(MAX_EVENT_CHARACTERS.logMessage), stack };
  expect(isEventSize('log', bytesOf(record), 0)).toBe(true);
  const each = MAX_EVENT_CHARACTERS.headers / MAX_RESPONSE_HEADERS - 1;
  const headers = Array.from({ length: MAX_RESPONSE_HEADERS }, () => ['a', '\xff'.repeat(each)]);
  expect(isEventSize('end', bytesOf([200, headers, 'base64']), 67_108_864)).toBe(true);
  expect(isEventSize('call', bytesOf({ call: 1000, name: 'model.update' }), 1_000_000)).toBe(true);
  expect(isEventSize('result', bytesOf({}), 1_000_000)).toBe(true);
});
