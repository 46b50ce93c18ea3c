import { describe, expect, it } from 'vitest';
import { AUDIT, appending, entriesAfter, idOf, toEntry } from '../../src/auth/audit-chain.ts';
import { expectChain } from '../helpers/audit-log.ts';

const action = (target: string) => ({
  ...{ clientId: 'boss', action: 'client.create', target },
  ...{ before: null, after: 'f'.repeat(64) },
});

describe('entries of the audit log', () => {
  it('follow each other, however they are made', () => {
    const first = entriesAfter(undefined, [action('a'), action('b')], 5);
    const more = entriesAfter(first.at(-1), [action('c')], 6);
    expectChain([...first, ...more]);
    expect(more[0]).toMatchObject({ seq: 3, at: 6, target: 'c' });
    expect(entriesAfter(first[0], [], 6)).toEqual([]);
  });

  it('break where a member of one is changed', () => {
    const [entry, next] = entriesAfter(undefined, [action('a'), action('b')], 5);
    for (const change of [{ clientId: null }, { target: 'x' }, { after: null }, { at: 6 }, { seq: 2 }]) {
      expect(() => expectChain([{ ...entry!, ...change }, next!]), JSON.stringify(change)).toThrow();
    }
  });

  it('are stored under their numbers, which sort as text, and read back', () => {
    const [entry] = entriesAfter(undefined, [action('a')], 5);
    const write = appending(entry!);
    expect(write).toMatchObject({ kind: 'insert', ns: AUDIT, stays: true });
    expect(write.kind === 'insert' ? toEntry(write.document) : undefined).toEqual(entry);
    expect([idOf(2), idOf(10), idOf(300)].toSorted()).toEqual([idOf(2), idOf(10), idOf(300)]);
  });
});
