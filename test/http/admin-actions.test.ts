import { describe, expect, it } from 'vitest';
import type { AuditAction } from '../../src/auth/audit.ts';
import { createNote, fingerprintOf } from '../../src/http/admin-actions.ts';
import { fingerprint } from '../../src/lib/fingerprint.ts';
import { ADMIN_CLIENT } from './fixtures.ts';

type Request = Parameters<ReturnType<typeof createNote>>[0];

describe('createNote', () => {
  it('adds who asked', async () => {
    const noted: AuditAction[] = [];
    const note = createNote({ record: async (action) => void noted.push(action) });
    const change = { action: 'client.remove', target: 'app', before: 'a', after: null };
    await note({ client: ADMIN_CLIENT } as Request, change);
    await note({ client: null } as Request, change);
    expect(noted).toEqual([
      { clientId: 'boss', ...change },
      { clientId: null, ...change },
    ]);
  });
});

describe('fingerprintOf', () => {
  it('is that of the file which holds the value', () => {
    expect(fingerprintOf({ a: [1] })).toBe(fingerprint('{\n  "a": [\n    1\n  ]\n}\n'));
    expect(fingerprintOf(undefined)).toBeNull();
  });
});
