import { describe, expect, it } from 'vitest';
import {
  apiVersionIssue,
  assertModuleAddress,
  isModuleAddress,
  moduleAuditEntry,
  moduleKey,
  modulePath,
  parseModuleKey,
} from '../../../src/modules/model/module-types.ts';
import { ALICE } from '../../helpers/fixtures/actors.ts';
import { endpoint, hook } from '../open-modules.ts';

describe('the address of a module', () => {
  it('has a key and a path', () => {
    expect([moduleKey(endpoint('report')), modulePath(endpoint('report'))]).toEqual([
      'endpoint:1.0/report',
      '/1.0/report',
    ]);
    expect([moduleKey(hook('slugify')), modulePath(hook('slugify'))]).toEqual([
      'hook:slugify',
      '/api/hooks/slugify',
    ]);
  });

  it.each(['a', 'A-b_9', '__proto__', 'constructor', 'config', 'x'.repeat(100)])(
    'may be called %s',
    (name) => {
      expect(isModuleAddress(endpoint(name))).toBe(true);
    },
  );

  it.each(['', '.', 'a.b', 'a/b', 'a b', 'é', 'a\0', 'x'.repeat(101), 'search'])(
    'may not be called %j',
    (name) => {
      expect(isModuleAddress(endpoint(name))).toBe(false);
    },
  );

  it('may be any name for a hook', () => {
    expect(isModuleAddress(hook('search'))).toBe(true);
    expect(isModuleAddress(hook('a/b'))).toBe(false);
  });

  it('reports every invalid part', () => {
    expect(() => assertModuleAddress(endpoint('a.b', 'api'))).toThrow(
      expect.objectContaining({
        code: 'ENDPOINT_INVALID',
        items: [expect.objectContaining({ field: 'version' }), expect.objectContaining({ field: 'name' })],
      }),
    );
    expect(() => assertModuleAddress(endpoint('a'))).not.toThrow();
  });
});

describe('apiVersionIssue', () => {
  it('accepts what can be the first segment of a path', () => {
    expect(['1.0', 'vjoin', 'beta-2'].map(apiVersionIssue)).toEqual([undefined, undefined, undefined]);
    for (const version of ['api', 'token', '..', '.hidden', 'a..b', 'a/b', '', 'x'.repeat(201)]) {
      expect(apiVersionIssue(version)).toBeTypeOf('string');
    }
  });
});

describe('parseModuleKey', () => {
  it('parses the keys of records', () => {
    expect(parseModuleKey('endpoint:1.0/report')).toEqual(endpoint('report'));
    expect(parseModuleKey('hook:slugify')).toEqual(hook('slugify'));
    expect(parseModuleKey('endpoint:1.0/../x')).toBeUndefined();
    expect(parseModuleKey('something')).toBeUndefined();
  });
});

describe('moduleAuditEntry', () => {
  it('names the kind of the module and its path', () => {
    const rest = { actor: ALICE, before: null, after: 'a' };
    expect(moduleAuditEntry({ address: endpoint('report'), action: 'create', ...rest })).toEqual({
      action: 'endpoint.create',
      target: '/1.0/report',
      ...rest,
    });
    expect(moduleAuditEntry({ address: hook('slugify'), action: 'remove', ...rest })).toEqual({
      action: 'hook.remove',
      target: '/api/hooks/slugify',
      ...rest,
    });
  });
});
