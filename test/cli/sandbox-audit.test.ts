import { describe, expect, it } from 'vitest';
import { formatSandboxReport } from '../../src/cli/sandbox-audit.ts';
import type { ReportedModule, SandboxReport } from '../../src/modules/sandbox-report.ts';

const LIMITS = {
  cpuMs: 1000,
  wallMs: 5000,
  heapMb: 64,
  responseBytes: 10_485_760,
  logBytes: 65_536,
  hostCalls: 50,
  concurrency: 16,
  perMinute: 0,
};

const module = (path: string, more: Partial<ReportedModule> = {}): ReportedModule => ({
  name: 'any',
  path,
  state: 'active',
  suspendedBy: null,
  suspendedClient: null,
  suspendedAt: null,
  quarantined: false,
  codeVersion: 7,
  approvedBy: null,
  approvedAt: null,
  pending: [],
  file: 'same',
  sha256: 'ab'.repeat(32),
  postedBy: 'boss',
  postedAt: '2026-11-20T10:00:00.000Z',
  policy: { version: 1 },
  effectiveLimits: LIMITS,
  lastViolations: [],
  ...more,
});

const report = (more: Partial<SandboxReport> = {}): SandboxReport => ({
  generatedAt: '2026-11-21T22:45:10.000Z',
  level: 3,
  selfTest: { state: 'passed', items: [{ attempt: 'read a file outside', held: true, detail: 'denied' }] },
  jit: null,
  versions: { node: '26.1.0', v8: '14.2', isolatedVm: '7.0.1' },
  ceilings: {
    limits: { ...LIMITS, perMinute: 600 },
    grants: {
      request: { headers: ['*'], maxBodyBytes: 1000 },
      response: { headers: [] },
      collections: [{ name: '*', actions: ['find', 'count'], as: 'caller', maxResults: 100 }],
      fetch: [],
      bcrypt: { maxRounds: 12 },
    },
    egress: { allow: ['127.0.0.1:9000'] },
  },
  endpoints: [],
  hooks: [],
  ...more,
});

const page = (more: Partial<SandboxReport> = {}) => formatSandboxReport(report(more)).join('\n');

describe('the page of a sandbox audit', () => {
  it('begins with the isolation level and the policy limits', () => {
    const text = page();
    for (const line of [
      'SANDBOX, 2026-11-21 22:45 UTC',
      '  level        3 of 3',
      '  self-test    passed: all 1 attempts to get out were held',
      '  versions     Node 26.1.0, V8 14.2, isolated-vm 7.0.1',
      'POLICY LIMITS',
      '  request      headers *; body 1000 bytes',
      '  response     headers none',
      '  collections  *: find, count, as caller, at most 100',
      '  fetch        none',
      '  private      addresses within reach: 127.0.0.1:9000',
      'ENDPOINTS: 0',
      'HOOKS: 0',
    ]) {
      expect(text.split('\n')).toContain(line);
    }
    expect(text.replace(/\s+/g, ' ')).toContain('perMinute 600');
  });

  it('says who posted what, and what it may do', () => {
    const policy = {
      isolation: 'context',
      trustDomain: 'shop',
      grants: {
        request: { headers: ['authorization'] },
        collections: [{ name: '1.0/library/books', actions: ['find'], as: 'client:reader', maxResults: 20 }],
        fetch: [
          {
            origin: 'https://api.example.com',
            methods: ['GET'],
            paths: ['/v1/'],
            headers: { authorization: 'secret:EXAMPLE', accept: 'text/plain' },
          },
        ],
      },
    };
    const text = page({ endpoints: [module('/1.0/report', { policy })] });
    const words = text.replace(/\s+/g, ' ');
    expect(text).toContain('ENDPOINTS: 1\n\n/1.0/report  active\n');
    expect(words).toContain(
      `code version 7, SHA-256 ${'ab'.repeat(32)} posted by boss, 2026-11-20 10:00 UTC`,
    );
    expect(words).toContain('isolation context, trust domain shop');
    expect(words).toContain('may read the headers authorization');
    expect(words).toContain('1.0/library/books: find, as client:reader, at most 20');
    expect(words).toContain(
      'fetch https://api.example.com: GET /v1/, adding authorization (secret:EXAMPLE), accept',
    );
    expect(words).toContain('violations none');
  });

  it('says who approved', () => {
    const approval = {
      approvedBy: 'other',
      approvedAt: '2026-11-20T11:00:00.000Z',
      suspendedBy: 'admin' as const,
      file: 'different' as const,
    };
    const words = page({ endpoints: [module('/1.0/a', approval)] }).replace(/\s+/g, ' ');
    expect(words).toContain('2026-11-20 10:00 UTC; approved by other, 2026-11-20 11:00 UTC');
    expect(words).toContain('(by an admin)');
    expect(words).toContain('its file holds other code, not in force');
  });

  it('says what has no power, what does not run, and what was laid by hand', () => {
    const text = page({
      hooks: [
        module('/api/hooks/slug', {
          state: 'suspended',
          suspendedBy: 'breaker',
          quarantined: true,
          pending: [3, 4],
          sha256: null,
          postedBy: null,
          postedAt: null,
          lastViolations: [{ at: '2026-11-21T09:00:00.000Z', kind: 'kill', limit: 'wallMs', version: 4 }],
        }),
      ],
    });
    const words = text.replace(/\s+/g, ' ');
    expect(words).toContain('HOOKS: 1, 1 of them not running /api/hooks/slug suspended (by the breaker)');
    expect(words).toContain('a file laid by hand waiting for a reviewer: version 3, 4');
    expect(words).toContain('realm, in a process of its own until it has new code');
    expect(words).toContain('code none in force a file laid by hand');
    expect(words).toContain('may do nothing beyond its own answer');
    expect(words).toContain('violations 2026-11-21 09:00 UTC kill, wallMs, version 4');
    expect(words).toContain('perMinute unbounded');
  });

  it('says when no isolation layers could be set up, and which did not hold', () => {
    const nothing = page({ level: 0, versions: null, selfTest: { state: 'not-run', items: [] } });
    expect(nothing).toContain('  level        0: no process of the sandbox starts here');
    expect(nothing).toContain('  self-test    not-run');
    const items = [
      { attempt: 'read a file outside', held: false, detail: '' },
      { attempt: 'open a socket', held: true, detail: '' },
    ];
    const words = page({ selfTest: { state: 'failed', items } }).replace(/\s+/g, ' ');
    expect(words).toContain('failed: 1 of 2 attempts to get out were not held: read a file outside');
  });

  it('says why no level is reached, and what the sandbox with JIT reaches', () => {
    const items = [{ attempt: 'read a file outside', held: false, detail: '' }];
    const failed = page({ level: 0, selfTest: { state: 'failed', items } });
    expect(failed).toContain('  level        0: the self-test failed');
    expect(page({ level: 0, selfTest: { state: 'not-run', items: [] } })).toContain(
      '  level        0: an isolation layer of the first level is missing',
    );
    const jit = { level: 2, selfTest: { state: 'failed' as const, items } };
    expect(page({ jit } as Partial<SandboxReport>).replace(/\s+/g, ' ')).toContain(
      'with JIT level 2; self-test failed: 1 of 1 attempts to get out were not held: read a file outside',
    );
  });

  it('says what a grant means that leaves members out', () => {
    const policy = {
      grants: {
        collections: [{ name: 'books' }],
        fetch: [{ origin: 'https://api.example.com' }],
        bcrypt: {},
      },
    };
    const words = page({ endpoints: [module('/1.0/report', { policy })] }).replace(/\s+/g, ' ');
    expect(words).toContain('may books: none, as caller fetch https://api.example.com: GET / hash passwords');
    expect(words).toContain('hash passwords with bcrypt violations none');
  });

  it('says who may hash passwords, and with how many rounds', () => {
    const text = page({
      endpoints: [module('/1.0/login', { policy: { grants: { bcrypt: { maxRounds: 10 } } } })],
    });
    expect(text).toContain('  may          hash passwords with bcrypt, at most 10 rounds\n');
    expect(text).toContain('  bcrypt       at most 12 rounds\n');
    const { ceilings } = report();
    const nobody = { ...ceilings, grants: { ...ceilings.grants, bcrypt: { maxRounds: 0 } } };
    expect(page({ ceilings: nobody })).toContain('  bcrypt       none\n');
  });

  it('fits a terminal of 80 columns, but for single words that do not', () => {
    const actions = ['find', 'count', 'create', 'update', 'delete', 'stats'];
    const collections = Array.from({ length: 5 }, (_, n) => ({ name: `1.0/library/books${n}`, actions }));
    const text = page({ endpoints: [module('/1.0/report', { policy: { grants: { collections } } })] });
    const long = text.split('\n').filter((line) => line.length > 80);
    expect(long).toEqual([]);
  });

  it('obeys no control characters of a policy', () => {
    const policy = { grants: { collections: [{ name: '\u001b[2J\u202ebooks', actions: [] }] } };
    expect(page({ endpoints: [module('/1.0/\u0007x', { policy })] })).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  });

  it('survives a policy of any shape', () => {
    for (const grants of [
      null,
      5,
      [],
      { collections: {} },
      { request: [], fetch: [5] },
      { request: { headers: 5 } },
    ]) {
      const text = page({ hooks: [module('/api/hooks/a', { policy: { grants } })] });
      expect(text).toContain('do nothing beyond its own answer');
    }
  });
});
