import { describe, expect, it } from 'vitest';
import { moduleAuditEntry } from '../../../src/modules/model/audit-entry.ts';
import { endpoint, hook } from '../open-modules.ts';

describe('moduleAuditEntry', () => {
  it('names the kind of the module and its path', () => {
    const rest = { clientId: 'alice', before: null, after: 'a' };
    expect(moduleAuditEntry({ address: endpoint('report'), action: 'create', ...rest })).toEqual({
      ...{ action: 'endpoint.create', target: '/1.0/report', ...rest },
    });
    expect(moduleAuditEntry({ address: hook('slugify'), action: 'remove', ...rest })).toEqual({
      ...{ action: 'hook.remove', target: '/api/hooks/slugify', ...rest },
    });
  });
});
