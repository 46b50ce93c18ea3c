import { describe, expect, it } from 'vitest';
import {
  AUDIT_NAMESPACE,
  createEntries,
  entryHash,
  entryIdOf,
  insertOf,
  parseEntry,
} from '../../../src/auth/audit/audit-entry.ts';
import { sha256Hex } from '../../../src/lib/sha256.ts';
import { expectChain, keysNamed } from '../../helpers/audit-log.ts';

const key = keysNamed('test').current;
const action = (target: string) => ({
  ...{ clientId: 'boss', action: 'client.create', target },
  ...{ before: null, after: 'f'.repeat(64) },
});
const policy = { before: null, after: 'e'.repeat(64) };

describe('entries of the audit log', () => {
  it('follow each other, however they are made', () => {
    const first = createEntries(undefined, [action('a'), { ...action('b'), policy }], { at: 5, key });
    const more = createEntries(first.at(-1), [action('c')], { at: 6, key });
    expectChain([...first, ...more]);
    expect(more[0]).toMatchObject({ seq: 3, at: 6, target: 'c', key: key.id });
    expect(createEntries(first[0], [], { at: 6, key })).toEqual([]);
  });

  it('break where a member of one is changed', () => {
    const actions = [{ ...action('a'), policy }, action('b')];
    const [entry, next] = createEntries(undefined, actions, { at: 5, key });
    const changes = [
      ...[{ clientId: null }, { target: 'x' }, { after: null }, { at: 6 }, { seq: 2 }],
      ...[{ policy: { before: null, after: null } }, { previous: 'f'.repeat(64) }],
    ];
    for (const change of changes) {
      expect(entryHash({ ...entry!, ...change }, key), JSON.stringify(change)).not.toBe(entry!.hash);
      expect(() => expectChain([{ ...entry!, ...change }, next!]), JSON.stringify(change)).toThrow();
    }
  });

  it('have another hash with another key, and that of older versions without one', () => {
    const [entry] = createEntries(undefined, [action('a')], { at: 5, key });
    const other = keysNamed('other').current;
    expect(entryHash({ ...entry!, key: other.id }, other)).not.toBe(entry!.hash);
    expect(entryHash(entry!, { ...other, id: key.id })).not.toBe(entry!.hash);
    const { previous, seq, at, clientId, action: what, target, before, after } = entry!;
    const members = [previous, seq, at, clientId, what, target, before, after];
    expect(entryHash(entry!, undefined)).toBe(sha256Hex(JSON.stringify(members)));
  });

  it('are stored under their numbers, which sort as text, and read back', () => {
    const [entry] = createEntries(undefined, [{ ...action('a'), policy }], { at: 5, key });
    const write = insertOf(entry!);
    expect(write).toMatchObject({ kind: 'insert', ns: AUDIT_NAMESPACE, keepOnRollback: true });
    expect(write.kind === 'insert' ? parseEntry(write.document) : undefined).toEqual(entry);
    expect([entryIdOf(2), entryIdOf(10), entryIdOf(300)].toSorted()).toEqual([
      entryIdOf(2),
      entryIdOf(10),
      entryIdOf(300),
    ]);
  });
});
