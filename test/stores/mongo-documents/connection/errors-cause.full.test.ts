import { basename } from 'node:path';
import { inspect } from 'node:util';
import { MongoServerError } from 'mongodb';
import { expect, it } from 'vitest';
import { StoreError } from '../../../../src/errors/errors.ts';
import {
  redactSecrets,
  redactText,
  sanitizedCause,
} from '../../../../src/stores/mongo-documents/connection/errors.ts';

const server = (errmsg: string, more = {}) => new MongoServerError({ errmsg, ...more });

it('a sanitized cause keeps name, code, message and stack', () => {
  const error = server('no such cursor', { code: 43 });
  const plain = sanitizedCause(error);
  expect(plain).toMatchObject({ name: 'MongoServerError', message: 'no such cursor', code: 43 });
  expect(plain.stack?.split('\n')[0]).toBe('MongoServerError: no such cursor');
  expect(plain.stack).toContain(basename(import.meta.filename));
});

it.each([
  server('E11000 duplicate key error collection: a.b index: c dup key: { c: "PRIVATE\nPRIVATE" }', {
    keyValue: { c: 'PRIVATE' },
  }),
  server('not authorized on a to execute command { insert: "b", documents: [ { c: "PRIVATE" } ] }'),
  server('went wrong', { writeErrors: [{ op: { c: 'PRIVATE' } }], result: { c: 'PRIVATE' } }),
  Object.assign(new Error('went wrong', { cause: new Error('PRIVATE') }), { options: { proxy: 'PRIVATE' } }),
  new Error('cannot reach mongodb://PRIVATE:PRIVATE@host:1/'),
])('a sanitized cause contains no document or command: %s', (error) => {
  expect(inspect(sanitizedCause(error), { depth: null, showHidden: true })).not.toContain('PRIVATE');
});

it('a sanitized cause has a bounded message', () => {
  expect(sanitizedCause(server('x'.repeat(1_000_000))).message).toHaveLength(1000);
});

it.each(['text', null, undefined, { toString: () => 'text' }])(
  'any thrown value becomes a sanitized cause: %j',
  (thrown) => {
    expect(sanitizedCause(thrown)).toBeInstanceOf(Error);
  },
);

it('redactSecrets removes secrets from all causes', () => {
  const error = new StoreError('unavailable', {
    cause: new Error('a PRIVATE b', { cause: new Error('PRIVATE') }),
  });
  redactSecrets(error, ['PRIVATE']);
  expect(inspect(error, { depth: null })).not.toContain('PRIVATE');
  expect(error.cause).toMatchObject({ message: 'a [redacted] b' });
  const defect = new Error('no such user PRIVATE');
  redactSecrets(defect, ['PRIVATE']);
  expect(inspect(defect)).not.toContain('PRIVATE');
  expect(redactText('$& a.c abc', ['a.c', '$&'])).toBe('[redacted] [redacted] abc');
});
