import { closeSync, openSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createLogger, createLogStream, levelOfCommands } from '../../src/lib/logger.ts';

function capture(level = 'info') {
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  const logger = createLogger({ level, secrets: ['auth.tokenSecret', 'media.s3.secretKey'], stream });
  return { lines, logger };
}

it('a full disk loses lines and throws nothing', () => {
  const fd = openSync('/dev/full', 'w');
  const logger = createLogger({ level: 'info', secrets: [], stream: createLogStream(fd) });
  const text = 'x'.repeat(1000);
  expect(() => {
    for (let n = 0; n < 3000; n += 1) logger.info(text);
  }).not.toThrow();
  closeSync(fd);
});

describe('createLogger', () => {
  it('writes one JSON object a line, from the level on', () => {
    const { lines, logger } = capture('warn');
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
  ])('hides what is secret in %j', (record) => {
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

describe('the level of commands', () => {
  it('leaves out what only a server has to tell', () => {
    expect(['trace', 'debug', 'info'].map(levelOfCommands)).toEqual(['warn', 'warn', 'warn']);
    expect(['warn', 'error', 'silent'].map(levelOfCommands)).toEqual(['warn', 'error', 'silent']);
  });
});
