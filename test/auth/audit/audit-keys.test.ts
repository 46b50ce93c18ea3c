import { describe, expect, it } from 'vitest';
import { parseAuditKeys } from '../../../src/auth/audit/audit-keys.ts';

const [A, B] = ['a'.repeat(32), 'b'.repeat(40)];

describe('keys of the audit log', () => {
  it('are separated by white space, the current one first', () => {
    const keys = parseAuditKeys(` ${A}\n${B} \n`);
    expect(keys?.ids).toHaveLength(2);
    expect(keys?.current.id).toBe(parseAuditKeys(A)?.current.id);
    expect(keys?.find(keys.ids[1] ?? '')?.sign('x')).toBe(parseAuditKeys(B)?.current.sign('x'));
    expect(keys?.find('0')).toBeUndefined();
    expect(keys?.current.sign('x')).not.toBe(keys?.current.sign('y'));
  });

  it('have 32 characters or more, and an id that is none of them', () => {
    for (const text of ['', ' \n', 'a'.repeat(31), `${A} short`])
      expect(parseAuditKeys(text)).toBeUndefined();
    expect(parseAuditKeys(A)?.current.id).toMatch(/^[0-9a-f]{16}$/);
  });
});
