import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { createAuditedChange, fingerprintJson } from '../../../src/http/core/audited-change.ts';
import { sha256Hex } from '../../../src/lib/sha256.ts';
import { auditedIn, auditOf } from '../../helpers/store/audit-log.ts';
import { openFailingStore } from '../../helpers/store/temporary-store.ts';
import { ADMIN_CLIENT } from '../fixtures.ts';

const CHANGE = { action: 'specification.remove', target: '/1.0/a/b', before: 'a', after: null };

describe('an audited change', () => {
  it('is recorded with its client, then applied', async () => {
    const store = await openFailingStore();
    const announce = createAuditedChange(auditOf(store));
    const seen: number[] = [];
    const apply = async () => void seen.push((await auditedIn(store)).length);
    await announce({ client: ADMIN_CLIENT } as FastifyRequest, CHANGE, apply);
    expect(seen).toEqual([1]);
    expect(await auditedIn(store)).toEqual([['specification.remove', '/1.0/a/b', 'boss']]);
    expect(() => announce({ client: null } as FastifyRequest, CHANGE, apply)).toThrow(
      expect.objectContaining({ code: 'NO_TOKEN' }),
    );
    store.fail('busy', ['commit']);
    const refused = announce({ client: ADMIN_CLIENT } as FastifyRequest, CHANGE, apply);
    await expect(refused).rejects.toMatchObject({ reason: 'busy' });
    expect(seen).toHaveLength(1);
  });
});

describe('fingerprintJson', () => {
  it('is the fingerprint of the file that holds the value', () => {
    expect(fingerprintJson({ a: [1] })).toBe(sha256Hex('{\n  "a": [\n    1\n  ]\n}\n'));
    expect(fingerprintJson(undefined)).toBeNull();
  });
});
