// The steps of a start: what stops it, and what is only logged.
import { describe, expect, it } from 'vitest';
import { StoreError } from '../../src/errors/errors.ts';
import { createStartupSteps } from '../../src/setup/startup-steps.ts';

type Deps = Parameters<typeof createStartupSteps>[0];

const REFUSED = new StoreError('failed');

function setUp({ review = 'none', hasReviewer = false, checkFails = false, damaged = false } = {}) {
  const lines: string[] = [];
  const log = (_fields: object, message: string) => void lines.push(message);
  const find = async () => {
    if (damaged) throw new StoreError('damaged');
    throw REFUSED;
  };
  const deps = {
    config: { limits: { queryMs: 1000 }, auth: { admin: {} }, sandbox: { review } },
    store: { health: async () => undefined, find },
    audit: { check: () => (checkFails ? Promise.reject(new Error('broken')) : Promise.resolve()) },
    clients: { hasReviewer: async () => hasReviewer },
    log: { debug: log, info: log, warn: log, error: log },
    now: Date.now,
  };
  const [, checkAudit, auditFiles, , warn] = createStartupSteps(deps as unknown as Deps);
  return { lines, checkAudit: checkAudit!, auditFiles: auditFiles!, warn: warn! };
}

describe('the startup steps', () => {
  it('log a broken audit log and go on', async () => {
    const { checkAudit, lines } = setUp({ checkFails: true });
    await checkAudit();
    expect(lines).toEqual(['cannot check the end of the audit log']);
  });

  it('go on when only the audit log is damaged, and stop at any other error of the store', async () => {
    const { auditFiles, lines } = setUp({ damaged: true });
    await auditFiles();
    expect(lines).toEqual(['cannot audit the files that changed while the server was stopped']);
    await expect(setUp().auditFiles()).rejects.toBe(REFUSED);
  });

  it('warn if code is held back for a review and no reviewer exists', async () => {
    const without = setUp({ review: 'all' });
    await without.warn();
    expect(without.lines).toHaveLength(1);
    for (const quiet of [setUp({ review: 'all', hasReviewer: true }), setUp()]) {
      await quiet.warn();
      expect(quiet.lines).toEqual([]);
    }
  });
});
