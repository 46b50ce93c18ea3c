// Secrets that nobody configured: made at random at the first start and kept with the data.
import { createHash } from 'node:crypto';
import { StoreError } from '../errors.ts';
import type { DocumentStore, Namespace } from '../stores/ports.ts';
import { generateSecret } from './secrets.ts';

const SECRETS: Namespace = { database: null, collection: 'cloister.secrets' };

/**
 * The secret of this name, the same for every start and every process on one database. Rejects with the store's StoreError.
 * The id of the record follows from the name, so that of two first starts at once only one can insert.
 */
export async function generatedSecret(store: DocumentStore, name: string): Promise<string> {
  const id = createHash('sha256').update(name).digest('hex').slice(0, 24);
  const known = await read(store, id);
  if (known !== undefined) return known;
  const value = generateSecret();
  try {
    await store.commit([{ kind: 'insert', ns: SECRETS, document: { _id: id, name, value, v: 1 } }]);
    return value;
  } catch (error) {
    const others = isTaken(error) ? await read(store, id) : undefined;
    if (others === undefined) throw error;
    return others;
  }
}

async function read(store: DocumentStore, id: string): Promise<string | undefined> {
  const filter = { kind: 'field', path: '_id', tests: [{ kind: 'eq', value: id }] } as const;
  const [record] = await store.find(SECRETS, { filter, sort: [], skip: 0, limit: 1 });
  return typeof record?.['value'] === 'string' ? record['value'] : undefined;
}

function isTaken(error: unknown): boolean {
  return error instanceof StoreError && (error.reason === 'duplicate' || error.reason === 'conflict');
}
