// Compares the indexes of a data file with those that the specifications declare, says what keeps documents out of the missing
// ones, and builds or drops them. A server may run at the same time.
import { StoreError } from '../../../errors/errors.ts';
import {
  type IndexDifference,
  type IndexObstacles,
  type NamespaceIndexes,
  NO_OBSTACLES,
} from '../../index-differences.ts';
import type { IndexDefinition, Namespace } from '../../ports.ts';
import { documentTable, inWriteTransaction } from '../data-file/catalogue.ts';
import { createDeadlineLimit, inTransaction, parseDocument } from '../data-file/connection.ts';
import { StorageError } from '../data-file/storage-errors.ts';
import { dropIndex, isSuperseded } from '../indexes/index-build.ts';
import { canonicalDefinition, isDefinedAs } from '../indexes/index-definition.ts';
import { createRowEncoder } from '../indexes/index-keys.ts';
import type { WriteContext } from '../indexes/index-update.ts';
import { type RepairOptions, runBuild } from './index-repair.ts';

const NO_LIMIT = createDeadlineLimit(undefined);

/** The differences of all these namespaces. What is being built, and can be, is none. */
export async function compareDeclared(
  context: WriteContext,
  declared: readonly NamespaceIndexes[],
  options: RepairOptions,
): Promise<readonly IndexDifference[]> {
  const differences: IndexDifference[] = [];
  for (const { namespace, indexes } of declared) {
    for (const definition of indexes) {
      const difference = await findMissing(context, namespace, { definition, options });
      if (difference !== undefined) differences.push(difference);
    }
    differences.push(...findUndeclared(context, namespace, indexes));
  }
  return differences;
}

interface Declared {
  readonly definition: IndexDefinition;
  readonly options: RepairOptions;
}

async function findMissing(
  context: WriteContext,
  ns: Namespace,
  { definition, options }: Declared,
): Promise<IndexDifference | undefined> {
  const entry = entryOf(context, ns);
  // The start of a server makes the indexes of an empty collection.
  if (entry === undefined || entry.documents === 0) return undefined;
  const found = entry.indexes.filter((index) => isDefinedAs(index, definition));
  if (found.some(({ ready }) => ready)) return undefined;
  const obstacles = await findObstacles(context, ns, { definition, options });
  const isPossible = obstacles.documents === 0 && obstacles.parallelArrays === 0;
  if (found.length > 0 && isPossible) return undefined;
  return { kind: 'missing', ns, definition, obstacles };
}

function findUndeclared(
  context: WriteContext,
  ns: Namespace,
  declared: readonly IndexDefinition[],
): readonly IndexDifference[] {
  const indexes = entryOf(context, ns)?.indexes ?? [];
  return indexes
    .filter((index) => !declared.some((definition) => isDefinedAs(index, definition)))
    .filter((index) => !isSuperseded(index, indexes))
    .map(({ definition }) => ({ kind: 'undeclared', ns, definition, obstacles: NO_OBSTACLES }));
}

function entryOf({ catalogue }: WriteContext, ns: Namespace) {
  catalogue.refresh();
  return catalogue.get(ns);
}

/** Counts the documents that an index cannot hold. Their keys are sorted in a temporary table, so that memory does not grow with them. */
async function findObstacles(
  context: WriteContext,
  ns: Namespace,
  { definition, options: { ms, pause } }: Declared,
): Promise<IndexObstacles> {
  const { connection, catalogue } = context;
  const encode = createRowEncoder(definition);
  connection.db.exec(
    'drop table if exists temp.shared_keys; create temp table shared_keys (key blob, doc integer)',
  );
  const add = connection.statement('insert into temp.shared_keys values (?, ?)');
  let parallelArrays = 0;
  let last = 0;
  const addKeys = (doc: number, json: string) => {
    try {
      const { keys, idBytes } = encode(parseDocument(json), NO_LIMIT);
      if (definition.unique) for (const key of keys) add.run(key.subarray(0, key.length - idBytes), doc);
    } catch (error) {
      // The check of the documents reports those that cannot be read.
      if (error instanceof StorageError && error.kind === 'damaged') return;
      if (!(error instanceof StoreError) || error.reason !== 'parallel-arrays') throw error;
      parallelArrays += 1;
    }
  };
  const slice = () =>
    inTransaction(connection, 'read', () => {
      catalogue.refresh();
      const entry = catalogue.get(ns);
      if (entry === undefined) return false;
      const end = performance.now() + ms;
      const sql = `select doc, json from ${documentTable(entry.n)} where doc > ? order by doc`;
      const rows = connection.statement(sql).iterate(last) as unknown as Iterable<[number, string]>;
      for (const [doc, json] of rows) {
        addKeys(doc, json);
        last = doc;
        if (performance.now() > end) return true;
      }
      return false;
    });
  while (slice()) await pause();
  const shared = 'select key, count(distinct doc) as docs from temp.shared_keys group by key having docs > 1';
  const sql = `select count(distinct doc), count(distinct key) from temp.shared_keys where key in (select key from (${shared}))`;
  const [documents, values] = connection.statement(sql).get() as unknown as [number, number];
  connection.db.exec('drop table temp.shared_keys');
  return { documents, values, parallelArrays };
}

/** Builds a missing index, completely or not at all. Throws `duplicate` and `parallel-arrays`. */
export async function buildMissing(
  context: WriteContext,
  { ns, definition }: IndexDifference,
  options: RepairOptions,
): Promise<void> {
  const added = inWriteTransaction(context, () => {
    const entry = context.catalogue.ensure(ns);
    const known = entry.indexes.find((index) => isDefinedAs(index, definition));
    return known ?? context.catalogue.addIndex(entry, canonicalDefinition(definition), false);
  });
  try {
    await runBuild(context, added.n, options);
  } catch (error) {
    dropIndex(context, added.n);
    throw error;
  }
}

/** Drops an index that no specification declares. */
export function dropUndeclared(context: WriteContext, { ns, definition }: IndexDifference): void {
  const found = entryOf(context, ns)?.indexes.filter((index) => isDefinedAs(index, definition)) ?? [];
  for (const { n } of found) dropIndex(context, n);
}
