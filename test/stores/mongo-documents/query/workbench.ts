// What tests of reading work with: a database of their own, and the store's reading half over indexes that the test declares.
import type { Document } from 'mongodb';
import { onTestFinished } from 'vitest';
import type { KnownIndex, OperationScope } from '../../../../src/stores/mongo-documents/connection/types.ts';
import { createPageTexts } from '../../../../src/stores/mongo-documents/query/page.ts';
import { createReads } from '../../../../src/stores/mongo-documents/query/reads.ts';
import { createTypeProbe } from '../../../../src/stores/mongo-documents/query/type-probe.ts';
import type { FindQuery, IndexDefinition, Namespace } from '../../../../src/stores/ports.ts';
import { BOOKS, index, query } from '../../../contracts/store-cases.ts';
import { ownDatabase, rawClient } from '../../../helpers/store/mongo-servers.ts';
import { openConnection } from '../connections.ts';

/** An ascending index of these paths. */
export function indexOf(...paths: string[]): IndexDefinition {
  return index(paths.join('-'), Object.fromEntries(paths.map((path) => [path, 1 as const])));
}

/** Reads over `documents`, as another program may have stored them. */
export async function openReads(server: string, documents: readonly Document[]) {
  const uri = await ownDatabase(server);
  const database = rawClient(uri).db();
  const books = database.collection<Document>(BOOKS.collection);
  if (documents.length > 0) await books.insertMany([...documents]);
  const { connection } = openConnection(uri, { queryMs: 20_000 });
  const known: KnownIndex[] = [];
  const reads = createReads({
    connection,
    indexes: { of: () => known },
    hasMemoryFor: () => true,
    typeProbe: createTypeProbe(() => performance.now()),
  });
  return {
    database,
    books,
    connection,
    known,
    ...reads,
    run: <T>(work: (scope: OperationScope) => Promise<T>) => connection.run({}, work),
    search: (parts: Partial<FindQuery>, ns: Namespace = BOOKS) => ({
      ns,
      query: query(parts),
      known,
      collect: createPageTexts,
    }),
    /** Makes the index. */
    async declare(definition: IndexDefinition) {
      const keys = new Map<string, 1 | -1>(definition.keys.map(({ path, direction }) => [path, direction]));
      keys.set('_id', definition.keys.at(-1)?.direction ?? 1);
      const name = await books.createIndex(keys, { name: definition.name });
      known.push({ definition, name, endsInId: true, isUnique: false });
    },
    /** The commands that `work` sends about the books. */
    async commandsOf(work: () => Promise<unknown>): Promise<string[]> {
      await database.command({ profile: 2 });
      onTestFinished(async () => void (await database.command({ profile: 0 })));
      await work();
      await database.command({ profile: 0 });
      const log = await database
        .collection('system.profile')
        .find({ ns: `${database.databaseName}.books` })
        .toArray();
      await database.collection('system.profile').drop();
      return log.map(({ command }) => Object.keys(command)[0] ?? '');
    },
  };
}
