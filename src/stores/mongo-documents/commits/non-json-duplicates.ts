// Checks unique indexes against values of non-JSON types: the index keeps a date and its text as two values, although
// readers see one.
import type { Document } from 'mongodb';
import { StoreError } from '../../../errors/errors.ts';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { parsePath, readField } from '../../matching/paths.ts';
import type { Write } from '../../ports.ts';
import { toBsonId } from '../bson/json-to-bson.ts';
import type { IndexCache, KnownIndex, OperationScope } from '../connection/types.ts';
import { storedForms } from '../filters/stored-values.ts';
import { runRead } from '../query/read-command.ts';
import { isServerPath } from '../query/sort.ts';
import type { TypeProbe } from '../query/type-probe.ts';
import { writtenId } from './write-operations.ts';

interface DuplicateCheckDeps {
  readonly indexes: IndexCache;
  readonly typeProbe: TypeProbe;
}

/**
 * Rejects with `duplicate` if another document has, in another type, the value of a written one in a unique index.
 */
export async function assertNoNonJsonDuplicates(
  scope: OperationScope,
  writes: readonly Write[],
  { indexes, typeProbe }: DuplicateCheckDeps,
): Promise<void> {
  for (const [index, write] of writes.entries()) {
    if (write.kind === 'remove') continue;
    for (const known of indexes.of(write.ns)) {
      const query = known.definition.unique
        ? await duplicateQuery(scope, { write, known }, typeProbe)
        : undefined;
      if (query === undefined) continue;
      const { collectionName } = scope.collection(write.ns);
      const others = { ...query, _id: { $nin: writes.map((one) => toBsonId(writtenId(one))) } };
      const command = { find: collectionName, filter: others, limit: 1, singleBatch: true };
      const answer = await runRead(scope, write.ns, { ...command, collation: { locale: 'simple' } });
      if (answer['cursor'].firstBatch.length === 0) continue;
      throw new StoreError('duplicate', { index, fields: known.definition.keys.map(({ path }) => path) });
    }
  }
}

/** Undefined where no type but our own can be in the way. */
async function duplicateQuery(
  scope: OperationScope,
  { write, known }: { readonly write: Exclude<Write, { kind: 'remove' }>; readonly known: KnownIndex },
  typeProbe: TypeProbe,
): Promise<Document | undefined> {
  const query: Record<string, unknown> = {};
  let isMixed = false;
  for (const { path } of known.definition.keys) {
    const value = valueAt(write.document, path);
    if (!isServerPath(path) || typeof value === 'object') return undefined;
    const forms = storedForms(asJson(value), false);
    query[path] = { $in: forms };
    if (typeof value !== 'string' || forms.length < 2) continue;
    const fieldPath = { ns: write.ns, path };
    isMixed ||=
      (await typeProbe.has(scope, fieldPath, 'dates')) || (await typeProbe.has(scope, fieldPath, 'others'));
  }
  return isMixed ? query : undefined;
}

const asJson = (value: Json | undefined): Json => value ?? null;

function valueAt(document: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = document;
  for (const part of parsePath(path)) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    value = readField(value as JsonObject, part);
  }
  return value === null ? undefined : value;
}
