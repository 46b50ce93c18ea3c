// Secrets that are not configured: generated at the first start and stored with the data.
import { createHash } from 'node:crypto';
import { StoreError } from '../errors/errors.ts';
import type { DocumentStore, Namespace } from '../stores/ports.ts';
import { generateSecret } from './clients/secret-hash.ts';

const SECRETS: Namespace = { database: null, collection: 'cloister.secrets' };

interface SecretOptions {
  readonly store: Pick<DocumentStore, 'find' | 'commit'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Bound of one database operation, in milliseconds. */
  readonly queryMs: number;
}

/**
 * Loads the secret of this name or creates it: the same for every start and every process on one database. The id of the record
 * is derived from the name, so that only one of two concurrent first starts can insert. Rejects with the store's StoreError.
 */
export async function findOrCreateSecret(name: string, options: SecretOptions): Promise<string> {
  const id = createHash('sha256').update(name).digest('hex').slice(0, 24);
  const stored = await read(id, options);
  if (stored !== undefined) return stored;
  const value = generateSecret();
  const document = { _id: id, name, value, v: 1 };
  try {
    await options.store.commit([{ kind: 'insert', ns: SECRETS, document }], timely(options));
    return value;
  } catch (error) {
    const concurrent = isTaken(error) ? await read(id, options) : undefined;
    if (concurrent === undefined) throw error;
    return concurrent;
  }
}

const timely = ({ now, queryMs }: SecretOptions) => ({ deadline: now() + queryMs });

async function read(id: string, options: SecretOptions): Promise<string | undefined> {
  const filter = { kind: 'field', path: '_id', tests: [{ kind: 'eq', value: id }] } as const;
  const query = { filter, sort: [], skip: 0, limit: 1 };
  const [record] = await options.store.find(SECRETS, query, timely(options));
  return typeof record?.['value'] === 'string' ? record['value'] : undefined;
}

function isTaken(error: unknown): boolean {
  return error instanceof StoreError && (error.reason === 'duplicate' || error.reason === 'conflict');
}
