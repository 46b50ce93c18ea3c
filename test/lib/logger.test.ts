import { closeSync, openSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  commandLogOptions,
  createLogger,
  createLogStream,
  createLogThrottle,
  createPrettyPrinter,
} from '../../src/lib/logger.ts';

interface Capture {
  readonly level?: string;
  readonly format?: 'auto' | 'json' | 'pretty';
  readonly terminal?: { readonly isTTY?: boolean; hasColors?(): boolean };
}

function capture({ level = 'info', format = 'auto', terminal = {} }: Capture = {}) {
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  const secrets = ['auth.tokenSecret', 'media.s3.secretKey'];
  const logger = createLogger({ level, format, secrets, stream, terminal });
  return { lines, logger };
}

it('a logger on a full disk drops lines and throws nothing', () => {
  const fd = openSync('/dev/full', 'w');
  const logger = createLogger({ level: 'info', format: 'json', secrets: [], stream: createLogStream(fd) });
  const text = 'x'.repeat(1000);
  expect(() => {
    for (let n = 0; n < 3000; n += 1) logger.info(text);
  }).not.toThrow();
  closeSync(fd);
});

describe('createLogger', () => {
  it('writes one JSON object a line, from the level on', () => {
    const { lines, logger } = capture({ level: 'warn' });
    logger.info('unheard');
    logger.warn({ path: '/a' }, 'heard');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!)).toMatchObject({ path: '/a', msg: 'heard' });
  });

  it.each([
    { headers: { authorization: 'Bearer hunter2' } },
    { req: { headers: { authorization: 'Bearer hunter2', cookie: 'hunter2' } } },
    { authorization: 'hunter2' },
    { secret: 'hunter2', body: { secret: 'hunter2', accessToken: 'hunter2' } },
    { auth: { tokenSecret: 'hunter2' } },
    { config: { auth: { tokenSecret: 'hunter2' }, media: { s3: { secretKey: 'hunter2' } } } },
  ])('hides secrets in %j', (record) => {
    const { lines, logger } = capture();
    logger.info(record, 'a record');
    expect(lines[0]).not.toContain('hunter2');
    expect(lines[0]).toContain('[redacted]');
  });

  it('writes errors with their stack', () => {
    const { lines, logger } = capture();
    logger.error({ err: new Error('broken', { cause: new Error('deeper') }) }, 'it failed');
    expect(JSON.parse(lines[0]!).err).toMatchObject({ message: expect.stringContaining('broken') });
    expect(JSON.parse(lines[0]!).err.stack).toContain('deeper');
  });
});

describe('the log format', () => {
  const plain = { isTTY: true, hasColors: () => false };
  const colored = { isTTY: true, hasColors: () => true };
  const written = (options: Capture) => {
    const { lines, logger } = capture(options);
    logger.info({ at: 1 }, 'hello');
    return lines.join('');
  };
  const FOR_PEOPLE = /^\d\d:\d\d:\d\d\.\d{3} INFO {2}hello at=1\n$/;

  it('is pretty on a terminal, and JSON elsewhere', () => {
    expect(written({ terminal: plain })).toMatch(FOR_PEOPLE);
    expect(JSON.parse(written({ terminal: {} }))).toMatchObject({ msg: 'hello' });
  });

  it('is the configured one, wherever lines go', () => {
    expect(JSON.parse(written({ format: 'json', terminal: colored }))).toMatchObject({ msg: 'hello' });
    expect(written({ format: 'pretty' })).toMatch(FOR_PEOPLE);
  });

  it('has colours where the terminal has them', () => {
    const text = written({ terminal: colored });
    expect(text).toContain('\u001b[32mINFO');
    expect(stripVTControlCharacters(text)).toMatch(FOR_PEOPLE);
  });

  it.each(['json', 'pretty'] as const)('%s hides secrets, and steers no terminal', (format) => {
    const { lines, logger } = capture({ format });
    logger.warn(
      { secret: 'hunter2', name: 'a\u001b[2J\u009bm\u202e\u2028\n' },
      'said: \u001b]0;x\u0007\r\n{"level":60}',
    );
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain('hunter2');
    expect(lines[0]?.slice(0, -1)).not.toMatch(/\p{Cc}|\p{Bidi_Control}|\u2028/u);
  });
});

describe('the log of commands', () => {
  it('leaves out what only a server has to tell', () => {
    const levels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];
    expect(levels.map((level) => commandLogOptions({ level, format: 'json' }).level)).toEqual([
      'warn',
      'warn',
      'warn',
      'warn',
      'error',
      'silent',
    ]);
  });
});

const print = createPrettyPrinter({ colors: false });
const AT = new Date(2026, 0, 2, 3, 4, 5, 6).getTime();
const printed = (record: object) => print(`${JSON.stringify({ level: 30, time: AT, pid: 7, ...record })}\n`);

describe('a log record in pretty format', () => {
  it('has time, level, message and fields on one line', () => {
    const record = {
      level: 40,
      msg: 'slow',
      ms: 12,
      path: '/1.0/books',
      by: 'a b',
      at: { x: [1, 'y'] },
      none: null,
    };
    expect(printed(record)).toBe(
      '03:04:05.006 WARN  slow ms=12 path=/1.0/books by="a b" at={"x":[1,"y"]} none=null\n',
    );
  });

  it('takes no text for more than one value', () => {
    expect(printed({ a: 'x b=1', b: '"', c: '', d: '{}' })).toBe(
      '03:04:05.006 INFO  a="x b=1" b="\\"" c="" d="{}"\n',
    );
  });

  it('has a level even where that is none of ours', () => {
    expect(printed({ level: 35, msg: 'm' })).toContain(' 35    m\n');
  });

  it('shows the stack of an error below it, indented', () => {
    const stack = 'Error: broken\n    at f (a.ts:1:2)\ncaused by: Error: deeper';
    expect(printed({ level: 50, msg: 'failed', err: { type: 'Error', message: 'broken', stack } })).toBe(
      '03:04:05.006 ERROR failed\n    Error: broken\n        at f (a.ts:1:2)\n    caused by: Error: deeper\n',
    );
    expect(printed({ err: 'a text' })).toBe('03:04:05.006 INFO \n    a text\n');
  });

  it('lets nobody write lines of their own, in whatever a record holds', () => {
    const hostile = 'x\n03:04:05.006 FATAL forged\u001b[2J\r\u0000\u007f\u009b\u202e\u2028';
    const text = printed({ msg: hostile, [hostile]: hostile, deep: { [hostile]: [hostile] } });
    expect(text.slice(0, -1)).not.toMatch(/\p{Cc}|\p{Bidi_Control}|\u2028/u);
    expect(text).toContain('x␊03:04:05.006 FATAL forged␛[2J␍␀');
    const lines = printed({ err: { stack: hostile } })
      .trimEnd()
      .split('\n');
    expect(lines.slice(1)).toEqual(['    x', expect.stringMatching(/^ {4}03:04:05.006 FATAL forged␛\[2J/)]);
  });

  it('shows a backslash as one, not as the escape that it looks like', () => {
    expect(printed({ msg: String.raw`a\u001b\n` })).toContain(String.raw` a\u001b\n`);
  });
});

it('the log throttle passes one line per key and interval, and counts the others', () => {
  let time = 0;
  const limit = createLogThrottle({ everyMs: 10, now: () => time });
  expect([limit('a'), limit('a'), limit('b'), limit('a')]).toEqual([
    { suppressed: 0 },
    undefined,
    { suppressed: 0 },
    undefined,
  ]);
  time = 10;
  expect([limit('a'), limit('a'), limit('b')]).toEqual([{ suppressed: 2 }, undefined, { suppressed: 0 }]);
});
