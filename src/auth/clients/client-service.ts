// The clients that may ask for tokens: made, listed, changed and removed by admins, verified at `/token`.
import { AppError, StoreError } from '../../errors.ts';
import type { DocumentStore, OperationOptions } from '../../stores/ports.ts';
import type { Audit } from '../audit/audit.ts';
import { decoyHash, generateSecret, hashSecret, secretMatches } from '../secret-hash.ts';
import type { Client } from './client.ts';
import { type NewClient, parseClientChange, parseNewClient, parseSecret } from './client-input.ts';
import { type ClientStatus, createClientRecord } from './client-record.ts';
import { CLIENTS_NAMESPACE, createClientStore } from './client-store.ts';

const QUERY_MS = 5000;

interface ClientServiceOptions {
  readonly store: Pick<DocumentStore, 'find' | 'ensureIndexes'>;
  /** Every change of a client is one commit with its entry there. */
  readonly audit: Pick<Audit, 'commit'>;
  readonly newId: () => string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Bound of the database work of one call that comes without a deadline, in milliseconds. */
  readonly queryMs?: number;
}

interface ChangeOptions extends OperationOptions {
  /** Client id of who changes it, for the audit log; the operator if absent. */
  readonly by?: string;
}

/** A client with its new secret, which is undefined when the caller chose it. */
interface ClientWithSecret {
  readonly client: Client;
  readonly secret: string | undefined;
}

/** Every method also rejects with the store's StoreError. */
export interface ClientService {
  /** Makes the index that keeps client ids unique. Call before anything else. */
  ensureIndexes(): Promise<void>;
  /**
   * `body`: `{clientId, secret?, accessType?, permissions?}`. Throws BAD_REQUEST naming the field, CLIENT_EXISTS,
   * CLIENT_PROTECTED.
   */
  create(body: unknown, options?: ChangeOptions): Promise<ClientWithSecret>;
  find(clientId: string, options?: OperationOptions): Promise<Client | undefined>;
  /** The client and the stamp of its present secret. */
  findStatus(clientId: string): Promise<ClientStatus | undefined>;
  /** All clients by id. */
  list(options?: OperationOptions): Promise<readonly Client[]>;
  hasAny(): Promise<boolean>;
  /** Is there a client, other than `by`, that may approve? */
  hasReviewer(options?: ChangeOptions): Promise<boolean>;
  /** `body`: `{accessType?, permissions?}`. Throws BAD_REQUEST naming the field, NOT_FOUND, LAST_ADMIN, CLIENT_PROTECTED. */
  update(clientId: string, body: unknown, options?: ChangeOptions): Promise<Client>;
  /** Ends the client and its tokens. Throws NOT_FOUND, LAST_ADMIN, CLIENT_PROTECTED. */
  remove(clientId: string, options?: ChangeOptions): Promise<void>;
  /** Ends the client's tokens. Without `secret` one is generated. Throws BAD_REQUEST, NOT_FOUND, CLIENT_PROTECTED. */
  setSecret(clientId: string, secret?: unknown, options?: ChangeOptions): Promise<ClientWithSecret>;
  /** The same as `create`, by the operator, with the right to approve. */
  createReviewer(body: unknown): Promise<ClientWithSecret>;
  /** Gives or takes the right to approve, by the operator. Throws NOT_FOUND. */
  setReviewer(clientId: string, reviewer: boolean): Promise<Client>;
  /** The client whose secret this is. Takes as long for an unknown client as for a wrong secret. */
  verifySecret(clientId: string, secret: string): Promise<ClientStatus | undefined>;
  /**
   * Makes this client an admin with this secret, which the operator chose: of any length. What is so already stays,
   * tokens included. Throws BAD_REQUEST for an unfit id.
   */
  upsertAdmin(clientId: string, secret: string): Promise<Client>;
}

type ClientRecords = ReturnType<typeof createClientStore>;

export function createClientService(options: ClientServiceOptions): ClientService {
  const { store, audit, newId, now, queryMs = QUERY_MS } = options;
  const within = ({ deadline = now() + queryMs, by }: ChangeOptions = {}): ClientRecords =>
    createClientStore({ store, audit, now, by: by ?? null, deadline });
  const decoy = decoyHash();

  const add = async (
    given: NewClient,
    records: ClientRecords,
    reviewer = false,
  ): Promise<ClientWithSecret> => {
    await records.mustAdminister();
    const taken = (cause?: unknown) => new AppError('CLIENT_EXISTS', { field: 'clientId', cause });
    if ((await records.look(given.clientId)) !== undefined) throw taken();
    const { hash, generated } = await settleSecret(given.secret);
    const document = createClientRecord(given, { _id: newId(), hash, now: now(), reviewer });
    try {
      const { status: standing } = await records.insert(document);
      return { client: standing.client, secret: generated };
    } catch (error) {
      throw error instanceof StoreError && error.reason === 'duplicate' ? taken(error) : error;
    }
  };

  /** Of two starts at once one creates; the other finds what the first has made. */
  const createAdmin = async (clientId: string, secret: string): Promise<Client> => {
    try {
      return (await add({ ...parseNewClient({ clientId, accessType: 'admin' }), secret }, within())).client;
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'CLIENT_EXISTS')) throw error;
      return upsertAdmin(clientId, secret);
    }
  };

  const upsertAdmin = async (clientId: string, secret: string): Promise<Client> => {
    const record = await within().look(clientId);
    if (record === undefined) return createAdmin(clientId, secret);
    const known = await secretMatches(secret, record.hash);
    if (known && record.status.client.accessType === 'admin') return record.status.client;
    const hash = known ? undefined : await hashSecret(secret);
    return (await within().change(clientId, { accessType: 'admin', hash })).status.client;
  };

  return {
    upsertAdmin,
    hasAny: () => within().hasAny(),
    hasReviewer: (options) => within(options).hasReviewer(),
    remove: (clientId, options) => within(options).remove(clientId),
    findStatus: async (clientId) => (await within().look(clientId))?.status,
    find: async (clientId, options) => (await within(options).look(clientId))?.status.client,
    list: async (options) => (await within(options).all()).map(({ status: standing }) => standing.client),
    create: async (body, options) => add(parseNewClient(body), within(options)),
    createReviewer: async (body) => add(parseNewClient(body), within(), true),
    setReviewer: async (clientId, reviewer) => (await within().change(clientId, { reviewer })).status.client,
    async ensureIndexes() {
      const keys = [{ path: 'clientId', direction: 1, fold: false }] as const;
      const index = { name: 'clientId', keys, unique: true, sparse: false };
      const { built } = await store.ensureIndexes(CLIENTS_NAMESPACE, [index]);
      await built;
    },
    async update(clientId, body, options) {
      const records = within(options);
      await records.mustLook(clientId);
      return (await records.change(clientId, parseClientChange(clientId, body))).status.client;
    },
    async setSecret(clientId, secret, options) {
      const records = within(options);
      await records.mustLook(clientId);
      const { hash, generated } = await settleSecret(secret === undefined ? undefined : parseSecret(secret));
      return { client: (await records.change(clientId, { hash })).status.client, secret: generated };
    },
    async verifySecret(clientId, secret) {
      const record = await within().look(clientId);
      const matches = await secretMatches(secret, record?.hash ?? decoy);
      return matches ? record?.status : undefined;
    },
  };
}

/** The hash to store for the chosen secret, or for one generated in its place. */
async function settleSecret(chosen: string | undefined) {
  if (chosen !== undefined) return { hash: await hashSecret(chosen), generated: undefined };
  const generated = generateSecret();
  return { hash: await hashSecret(generated), generated };
}
