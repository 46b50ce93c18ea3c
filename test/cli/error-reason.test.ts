import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { operatorMessage, systemErrorCode } from '../../src/cli/error-reason.ts';
import { AppError, StoreError } from '../../src/errors.ts';

const missing = () => readFile('/no/such/file').catch((error: unknown) => error);

describe('reasonOf', () => {
  it('has the message of what the operator did wrong', () => {
    expect(operatorMessage(new AppError('LAST_ADMIN'))).toBe('The last admin cannot be removed or demoted');
    expect(
      operatorMessage(new AppError('BAD_REQUEST', { items: [{ message: 'a' }, { message: 'b' }] })),
    ).toBe('a; b');
  });

  it('says why the database cannot be used', () => {
    const cause = new Error('disk full');
    expect(operatorMessage(new StoreError('unavailable', { cause }))).toBe(
      'the database cannot be used (unavailable): disk full',
    );
    const inUse = new StoreError('in-use', { cause: new Error('process 7 has it') });
    expect(operatorMessage(inUse)).toBe('process 7 has it');
    expect(operatorMessage(new StoreError('busy'))).toBe('the database cannot be used (busy)');
  });

  it('repeats what the operating system says', async () => {
    expect(operatorMessage(await missing())).toMatch(/^ENOENT: no such file/);
  });

  it.each([new TypeError('a defect'), 'thrown text', undefined])('has no reason for %s', (error) => {
    expect(operatorMessage(error)).toBeUndefined();
  });
});

describe('systemCode', () => {
  it('is there for errors of the operating system only', async () => {
    expect(systemErrorCode(await missing())).toBe('ENOENT');
    expect(systemErrorCode(new Error('a'))).toBeUndefined();
  });
});
