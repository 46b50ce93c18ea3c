import { closeSync, openSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { commandLogOptions, createLogger, createLogStream } from '../../src/lib/logger.ts';

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
