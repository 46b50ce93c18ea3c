import { describe, expect, it } from 'vitest';
import {
  AUDIT_NAMESPACE,
  type AuditEntry,
  auditEntryHash,
  auditEntryId,
  auditEntryInsert,
  createAuditEntries,
  parseAuditEntry,
  parseAuditKeys,
} from '../../../src/auth/audit/audit-entry.ts';
import { BOSS } from '../../helpers/fixtures/actors.ts';
import { expectChain, keysNamed } from '../../helpers/store/audit-log.ts';

const key = keysNamed('test').current;
const action = (target: string) => ({
  actor: BOSS,
  action: 'client.create',
  target,
  before: null,
  after: 'f'.repeat(64),
});
const policy = { before: null, after: 'e'.repeat(64) };

describe('entries of the audit log', () => {
  it('follow each other, however they are made', () => {
    const first = createAuditEntries(undefined, [action('a'), { ...action('b'), policy }], { at: 5, key });
    const more = createAuditEntries(first.at(-1), [action('c')], { at: 6, key });
    expectChain([...first, ...more]);
    expect(more[0]).toMatchObject({ seq: 3, at: 6, target: 'c', key: key.id });
    expect(more[0]).toMatchObject(BOSS);
    expect(createAuditEntries(first[0], [], { at: 6, key })).toEqual([]);
  });

  it('have the client, its address and the id of its request as members, and a null for what nobody asked for', () => {
    const actions = [
      action('a'),
      { ...action('b'), actor: { clientId: 'cli' } },
      { ...action('c'), actor: null },
    ];
    const entries = createAuditEntries(undefined, actions, { at: 5, key });
    const told = entries.map(({ clientId, address, requestId }) => [clientId, address, requestId]);
    expect(told).toEqual([
      ['boss', BOSS.address, BOSS.requestId],
      ['cli', undefined, undefined],
      [null, undefined, undefined],
    ]);
    expect(Object.keys(entries[2]!)).not.toContain('actor');
  });

  it('break where a member of one is changed', () => {
    const actions = [{ ...action('a'), policy }, action('b')];
    const [entry, next] = createAuditEntries(undefined, actions, { at: 5, key });
    const changes = [
      ...[
        { clientId: null },
        { address: '192.0.2.9' },
        { requestId: 'x' },
        { target: 'x' },
        { after: null },
        { at: 6 },
        { seq: 2 },
      ],
      ...[{ policy: { before: null, after: null } }, { previous: 'f'.repeat(64) }],
    ];
    for (const change of changes) {
      expect(auditEntryHash({ ...entry!, ...change }, key), JSON.stringify(change)).not.toBe(entry!.hash);
      expect(() => expectChain([{ ...entry!, ...change }, next!]), JSON.stringify(change)).toThrow();
    }
  });

  it('have another hash with another key', () => {
    const [entry] = createAuditEntries(undefined, [action('a')], { at: 5, key });
    const other = keysNamed('other').current;
    expect(auditEntryHash({ ...entry!, key: other.id }, other)).not.toBe(entry!.hash);
    expect(auditEntryHash(entry!, { ...other, id: key.id })).not.toBe(entry!.hash);
  });

  it('break where a member is removed or added, whatever its name', () => {
    const [entry] = createAuditEntries(undefined, [{ ...action('a'), policy }], { at: 5, key });
    for (const name of Object.keys(entry!).filter((member) => member !== 'hash')) {
      const { [name as 'target']: _, ...rest } = entry!;
      expect(auditEntryHash(rest as AuditEntry, key), name).not.toBe(entry!.hash);
    }
    for (const more of [{ port: 80 }, { policy: { ...policy, later: null } }, { toJSON: null }]) {
      expect(auditEntryHash({ ...entry!, ...more }, key), JSON.stringify(more)).not.toBe(entry!.hash);
    }
  });

  it('keep their hash in whatever order a store gives their members', () => {
    const [entry] = createAuditEntries(undefined, [{ ...action('a'), policy }], { at: 5, key });
    const turned = Object.fromEntries(Object.entries(entry!).reverse()) as unknown as AuditEntry;
    const hash = auditEntryHash({ ...turned, policy: { after: policy.after, before: null } }, key);
    expect(hash).toBe(entry!.hash);
  });

  it('are stored under their numbers, which sort as text, and read back', () => {
    const [entry] = createAuditEntries(undefined, [{ ...action('a'), policy }], { at: 5, key });
    const write = auditEntryInsert(entry!);
    expect(write).toMatchObject({ kind: 'insert', ns: AUDIT_NAMESPACE, keepOnRollback: true });
    expect(write.kind === 'insert' ? parseAuditEntry(write.document) : undefined).toEqual(entry);
    expect([auditEntryId(2), auditEntryId(10), auditEntryId(300)].toSorted()).toEqual([
      auditEntryId(2),
      auditEntryId(10),
      auditEntryId(300),
    ]);
  });
});

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
