import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/lib/json/json.ts';
import type { IndexDefinition, Write } from '../../../../src/stores/ports.ts';
import { applyWrites } from '../../../../src/stores/sqlite-documents/commit/apply-writes.ts';
import { createCatalogue } from '../../../../src/stores/sqlite-documents/data-file/catalogue.ts';
import { createBulkBuilds } from '../../../../src/stores/sqlite-documents/indexes/bulk-build.ts';
import { dropIndex } from '../../../../src/stores/sqlite-documents/indexes/index-build.ts';
import { createWriteContext } from '../../../../src/stores/sqlite-documents/indexes/index-update.ts';
import { expectConsistentIndexes } from '../index-consistency.ts';
import {
  countEncodedRows,
  idOf,
  indexOf,
  insertThing,
  NO_LIMIT,
  NS,
  openTestDatabase,
  type TestDatabase,
} from '../test-database.ts';

const FOLDED = indexOf({ path: 'a' }, { path: 'b', direction: -1 });

function declare(bench: TestDatabase, definition: IndexDefinition, ready: boolean): number {
  bench.catalogue.refresh();
  return bench.catalogue.addIndex(bench.catalogue.ensure(NS), definition, ready).n;
}

/** A builder on a connection of its own. */
function createOther(bench: TestDatabase) {
  const connection = bench.connect();
  return createBulkBuilds(createWriteContext({ connection, catalogue: createCatalogue(connection) }));
}

const rows = (bench: TestDatabase, table: string) =>
  bench.connection.statement(`select hex(key), doc from ${table} order by key`).all();

const update = (n: number, v: number, fields: JsonObject): Write => ({
  kind: 'update',
  ns: NS,
  id: idOf(n),
  v,
  changed: ['a', 'b', 'v'],
  document: { _id: idOf(n), v: v + 1, ...fields },
});

/** Every step as small as it can be. */
const STEP_MS = -1;
/** All of it in one step, also where the machine stalls meanwhile. */
const AT_ONCE_MS = 60_000;

describe('a bulk build', () => {
  it('creates the same rows as commits, whatever is committed during the build', () => {
    const value = fc.constantFrom<JsonObject>(
      {},
      { a: 'x' },
      { a: 'X' },
      { a: ['x', 'y'], b: 2 },
      { a: 'z', b: 1 },
    );
    const writes = fc.array(fc.record({ n: fc.integer({ min: 1, max: 12 }), value, remove: fc.boolean() }), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 8 }),
        fc.array(writes, { maxLength: 14 }),
        (start, later) => {
          const bench = openTestDatabase();
          bench.fill(start.map((fields) => ({ v: 0, ...fields })));
          const whole = declare(bench, { ...FOLDED, name: 'whole' }, false);
          const builder = createBulkBuilds(bench);
          const versions = new Map(start.map((_, at) => [at + 1, 0]));
          const turns = [...later];
          const write = () => {
            for (const { n, value: fields, remove } of turns.shift() ?? []) {
              const v = versions.get(n);
              if (v === undefined) applyWrites(bench, [insertThing(n, { v: 0, ...fields })], NO_LIMIT);
              else if (remove) applyWrites(bench, [{ kind: 'remove', ns: NS, id: idOf(n), v }], NO_LIMIT);
              else applyWrites(bench, [update(n, v, fields)], NO_LIMIT);
              if (v === undefined) versions.set(n, 0);
              else if (remove) versions.delete(n);
              else versions.set(n, v + 1);
            }
          };
          write();
          while (builder.gather(whole, STEP_MS) === 'gathering') write();
          write();
          while (builder.fill(whole, STEP_MS) === 'filling') write();
          for (let left = turns.length; left > 0; left -= 1) write();

          const fresh = declare(bench, { ...FOLDED, name: 'fresh' }, false);
          while (builder.gather(fresh, AT_ONCE_MS) !== 'gathered');
          expect(builder.fill(fresh, AT_ONCE_MS)).toBe('ready');
          expect(rows(bench, `i_${whole}`)).toEqual(rows(bench, `i_${fresh}`));
          expect(rows(bench, `i_${whole}`).length).toBeGreaterThanOrEqual(versions.size);
          expectConsistentIndexes(bench);
          builder.discard(whole);
          const [first, second] = bench.catalogue.get(NS)!.indexes;
          expect(first).toMatchObject({ ready: true });
          expect((first?.multikey ?? 0) | (second?.multikey ?? 0)).toBe(first?.multikey);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('writes its rows in many short slices', () => {
    const bench = openTestDatabase();
    bench.fill(Array.from({ length: 1200 }, (_, n) => ({ a: (n * 7919) % 1201 })));
    const n = declare(bench, indexOf({ path: 'a' }), false);
    const builder = createBulkBuilds(bench);
    while (builder.gather(n, 5) === 'gathering');
    expect(builder.fill(n, STEP_MS)).toBe('filling');
    expect(rows(bench, `i_${n}`)).toHaveLength(500);
    while (builder.fill(n, STEP_MS) === 'filling');
    expect(rows(bench, `i_${n}`)).toHaveLength(1200);
  });

  it('fails on a duplicate in a unique index, but not on one that was removed in the meantime', () => {
    const bench = openTestDatabase();
    bench.fill([{ a: 1 }, { a: 2 }, { a: [3, 1] }]);
    const n = declare(bench, { ...indexOf({ path: 'a' }), unique: true }, false);
    const builder = createBulkBuilds(bench);
    expect(builder.gather(n, AT_ONCE_MS)).toBe('gathered');
    expect(() => builder.fill(n, AT_ONCE_MS)).toThrow('duplicate');
    expect(builder.gather(n, AT_ONCE_MS)).toBe('gathered');
    applyWrites(bench, [{ kind: 'remove', ns: NS, id: idOf(3), v: 0 }], NO_LIMIT);
    expect(builder.fill(n, AT_ONCE_MS)).toBe('ready');
    expect(rows(bench, `i_${n}`)).toHaveLength(2);
    expect(() => applyWrites(bench, [insertThing(9, { a: 2 })], NO_LIMIT)).toThrow('duplicate');
  });

  it('checks each document of a unique index once, however many rows it has', () => {
    const bench = openTestDatabase();
    const documents = Array.from({ length: 10 }, (_, n) => ({
      a: Array.from({ length: 300 }, (_element, at) => at * 10 + n),
    }));
    bench.fill(documents);
    const n = declare(bench, { ...indexOf({ path: 'a' }), unique: true }, false);
    const counted = countEncodedRows(bench);
    const build = createBulkBuilds(counted.writer);
    expect(build.gather(n, AT_ONCE_MS)).toBe('gathered');
    expect(build.fill(n, AT_ONCE_MS)).toBe('ready');
    expect(counted.made()).toBe(2 * documents.length);
    expectConsistentIndexes(bench);
  });

  it('ends when the index is dropped, and reports lost rows', () => {
    const bench = openTestDatabase();
    bench.fill([{ a: 1 }]);
    const n = declare(bench, indexOf({ path: 'a' }), false);
    expect(createBulkBuilds(bench).fill(n, 10)).toBe('lost');
    const builder = createBulkBuilds(bench);
    expect(builder.gather(n, AT_ONCE_MS)).toBe('gathered');
    dropIndex(bench, n);
    expect(builder.fill(n, 10)).toBe('gone');
    expect(builder.gather(n, 10)).toBe('gone');
    expect(declare(bench, indexOf({ path: 'b' }), false)).not.toBe(n);
  });

  it('runs next to other builds, each with its own progress', () => {
    const bench = openTestDatabase();
    bench.fill(Array.from({ length: 30 }, (_, n) => ({ a: n, b: [n, 'x'] })));
    const numbers = [
      declare(bench, indexOf({ path: 'a' }), false),
      declare(bench, { ...indexOf({ path: 'a' }), name: 'unique', unique: true }, false),
      declare(bench, indexOf({ path: 'b' }), false),
    ];
    const builder = createBulkBuilds(bench);
    const left = new Set(numbers);
    let slices = 0;
    while (left.size > 0) {
      for (const n of left) {
        slices += 1;
        if (builder.fill(n, STEP_MS) === 'ready') left.delete(n);
        else if (builder.gather(n, STEP_MS) === 'gathered') expect(builder.fill(n, AT_ONCE_MS)).toBe('ready');
      }
      expect(slices).toBeLessThan(200);
    }
    expectConsistentIndexes(bench);
    expect(bench.catalogue.get(NS)?.indexes.map(({ ready }) => ready)).toEqual([true, true, true]);
  });

  it('writes nothing into an index that was completed in the meantime', () => {
    const bench = openTestDatabase();
    bench.fill(Array.from({ length: 1200 }, () => ({ v: 0, a: 'old' })));
    const n = declare(bench, indexOf({ path: 'a' }), false);
    const [first, second] = [createBulkBuilds(bench), createOther(bench)];
    expect(first.gather(n, AT_ONCE_MS)).toBe('gathered');
    expect(second.gather(n, AT_ONCE_MS)).toBe('gathered');
    expect(second.fill(n, STEP_MS)).toBe('filling');
    expect(first.fill(n, AT_ONCE_MS)).toBe('ready');
    applyWrites(
      bench,
      [update(1, 0, { a: 'new' }), { kind: 'remove', ns: NS, id: idOf(1200), v: 0 }],
      NO_LIMIT,
    );
    expect(second.fill(n, AT_ONCE_MS)).toBe('ready');
    expect(first.gather(n, STEP_MS)).toBe('ready');
    expectConsistentIndexes(bench);
  });

  it('starts over after an error while it gathers, sorts or writes rows', () => {
    const bench = openTestDatabase();
    bench.fill(Array.from({ length: 1500 }, (_, n) => ({ a: (n * 7919) % 1501 })));
    const n = declare(bench, indexOf({ path: 'a' }), false);
    let left = -1;
    // The disk is full after so many rows, until there is room again.
    const statement = (sql: string) => {
      const real = bench.connection.statement(sql);
      if (!/^insert/.test(sql)) return real;
      return new Proxy(real, {
        get(target, name) {
          if (left === 0) throw new Error('database or disk is full');
          if (name === 'run') left -= 1;
          const member = Reflect.get(target, name) as unknown;
          return typeof member === 'function' ? member.bind(target) : member;
        },
      });
    };
    const builder = createBulkBuilds({
      ...bench,
      connection: { ...bench.connection, db: bench.connection.db, statement, endSnapshot: () => undefined },
    });
    for (left of [700, 1500, 1502]) {
      expect(() => {
        while (builder.gather(n, STEP_MS) === 'gathering');
        while (builder.fill(n, STEP_MS) === 'filling');
      }).toThrow('disk is full');
      left = -1;
      expect(builder.fill(n, AT_ONCE_MS)).toBe('lost');
    }
    expect(builder.gather(n, AT_ONCE_MS)).toBe('gathered');
    expect(builder.fill(n, AT_ONCE_MS)).toBe('ready');
    expect(rows(bench, `i_${n}`)).toHaveLength(1500);
    expectConsistentIndexes(bench);
  });

  it('waits while another process holds the lock', () => {
    const bench = openTestDatabase();
    bench.fill([{ a: 1 }]);
    const n = declare(bench, indexOf({ path: 'a' }), false);
    const builder = createBulkBuilds(bench);
    expect(builder.gather(n, AT_ONCE_MS)).toBe('gathered');
    const other = bench.connect();
    other.db.exec('begin immediate');
    expect(builder.fill(n, AT_ONCE_MS)).toBe('filling');
    other.db.exec('rollback');
    expect(builder.fill(n, AT_ONCE_MS)).toBe('ready');
    expectConsistentIndexes(bench);
  });

  it('replaces an older index of the same definition when it is ready', () => {
    const bench = openTestDatabase();
    bench.fill([{ a: 1 }, { a: 2 }]);
    const unique = { ...indexOf({ path: 'a' }), unique: true };
    const older = declare(bench, unique, false);
    const builder = createBulkBuilds(bench);
    expect(builder.gather(older, AT_ONCE_MS)).toBe('gathered');
    expect(builder.fill(older, AT_ONCE_MS)).toBe('ready');
    const newer = declare(bench, unique, false);
    expect(builder.gather(newer, AT_ONCE_MS)).toBe('gathered');
    expect(() => applyWrites(bench, [insertThing(9, { a: 2 })], NO_LIMIT)).toThrow('duplicate');
    expect(builder.fill(newer, AT_ONCE_MS)).toBe('ready');
    expect(bench.catalogue.get(NS)?.indexes.map((index) => index.n)).toEqual([newer]);
    expect(() => applyWrites(bench, [insertThing(9, { a: 2 })], NO_LIMIT)).toThrow('duplicate');
    expect(() => rows(bench, `i_${older}`)).toThrow('no such table');
    expectConsistentIndexes(bench);
  });
});
