// Manages the clients that may request tokens: created, listed, changed and removed by admins, verified at `/token`.

import { AppError, StoreError } from '../../errors/errors.ts';
import type { DocumentStore, OperationOptions } from '../../stores/ports.ts';
import type { Actor } from '../audit/actor.ts';
import type { Audit } from '../audit/audit.ts';
import { type Client, issuerOfId } from './client.ts';
import { type ClientStatus, createClientRecord } from './client-record.ts';
import { CLIENTS_NAMESPACE, createClientStore } from './client-store.ts';
import {
  type NewClient,
  parseClientChange,
  parseClientId,
  parseImportedSecret,
  parseNewClient,
  parseSecret,
} from './parse-client.ts';
import { parseRoles } from './parse-permissions.ts';
import { createDecoyHash, generateSecret, hashSecret, secretMatches } from './secret-hash.ts';

const QUERY_MS = 5000;

/** Cost of a hash. */
type HashCost = Parameters<typeof hashSecret>[1];

interface ClientServiceOptions {
  readonly store: Pick<DocumentStore, 'find' | 'ensureIndexes'>;
  /** Each change of a client is one commit with its audit entry. */
  readonly audit: Pick<Audit, 'commit'>;
  /** Tells other processes that a client has changed. Never rejects. */
  readonly announce?: (clientId: string) => Promise<void>;
  readonly generateId: () => string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Time limit of the database work of a call without a deadline, in milliseconds. */
  readonly queryMs?: number;
  /** Of new secrets. Default: the one that production needs. */
  readonly hashCost?: HashCost | undefined;
  /** Names of other issuers of tokens: ids that begin with one and a colon are those of their users. */
  readonly issuerNames?: readonly string[];
}

interface ChangeOptions extends OperationOptions {
  /** Who makes the change; the operator if absent. */
  readonly actor?: Actor;
  /** Called with the client as it is before its change or removal, which does not happen where this throws. */
  readonly check?: (client: Client) => void;
}

/** A client with its new secret, which is undefined when the caller chose it. */
interface ClientWithSecret {
  readonly client: Client;
  readonly secret: string | undefined;
}

/** What the operator changes at once; absent members stay. */
export interface RightsChange {
  readonly reviewer?: boolean;
  /** Not validated yet. Replaces all. */
  readonly roles?: readonly string[];
  /** True: the client may only read, and what it could not use stays closed. False: this is lifted. */
  readonly readOnly?: boolean;
}

/** Every method also rejects with the store's StoreError. */
export interface ClientService {
  /** Creates the unique index of client ids. Call it before anything else. */
  ensureIndexes(): Promise<void>;
  /**
   * `body`: `{clientId, secret?, accessType?, permissions?, roles?}`. Throws BAD_REQUEST naming the field, CLIENT_EXISTS,
   * CLIENT_PROTECTED.
   */
  create(body: unknown, options?: ChangeOptions): Promise<ClientWithSecret>;
  find(clientId: string, options?: OperationOptions): Promise<Client | undefined>;
  /** The client and the stamp of its present secret; undefined also for a client with the id of a user of another issuer. */
  findStatus(clientId: string): Promise<ClientStatus | undefined>;
  /** All clients by id. */
  list(options?: OperationOptions): Promise<readonly Client[]>;
  hasAny(): Promise<boolean>;
  /** The issuer whose users have ids like this one, so that a client with it has no access; undefined: it has. */
  issuerOf(clientId: string): string | undefined;
  /** True if a client other than the actor may approve. */
  hasReviewer(options?: ChangeOptions): Promise<boolean>;
  /** `body`: `{accessType?, permissions?, roles?}`. Throws BAD_REQUEST naming the field, NOT_FOUND, LAST_ADMIN, CLIENT_PROTECTED. */
  update(clientId: string, body: unknown, options?: ChangeOptions): Promise<Client>;
  /** Removes the client, which revokes its tokens. Throws NOT_FOUND, LAST_ADMIN, CLIENT_PROTECTED. */
  remove(clientId: string, options?: ChangeOptions): Promise<void>;
  /** Replaces the secret, which revokes the tokens. Without `secret` one is generated. Throws BAD_REQUEST, NOT_FOUND, CLIENT_PROTECTED. */
  setSecret(clientId: string, secret?: unknown, options?: ChangeOptions): Promise<ClientWithSecret>;
  /** Creates a client that another server had, as the operator, with its secret, however short. Throws as `create` does. */
  createImported(body: unknown, secret: string): Promise<Client>;
  /** Creates a client with the right to approve, as the operator. */
  createReviewer(body: unknown): Promise<ClientWithSecret>;
  /** Changes rights, as the operator. Throws NOT_FOUND; BAD_REQUEST for roles that are none, and for an admin that is to only read. */
  setRights(clientId: string, rights: RightsChange): Promise<Client>;
  /** Undefined if the secret is wrong. Takes as long for an unknown client as for a wrong secret. */
  verifySecret(clientId: string, secret: string): Promise<ClientStatus | undefined>;
  /**
   * Creates this admin, or updates the client of this id, with a secret of any length that the operator chose. If nothing
   * changes, tokens stay valid. Throws BAD_REQUEST for an invalid id.
   */
  upsertAdmin(clientId: string, secret: string): Promise<Client>;
}

type ClientRecords = ReturnType<typeof createClientStore>;

export function createClientService(options: ClientServiceOptions): ClientService {
  const { store, audit, generateId, now, queryMs = QUERY_MS, hashCost, issuerNames = [] } = options;
  const { announce } = options;
  const storeFor = ({ deadline = now() + queryMs, actor, check }: ChangeOptions = {}): ClientRecords =>
    createClientStore({ store, audit, announce, check, now, actor: actor ?? null, deadline, issuerNames });
  const decoy = createDecoyHash(hashCost);
  const parseNew = (body: unknown) => parseNewClient(body, issuerNames);

  const add = async (
    given: NewClient,
    records: ClientRecords,
    reviewer = false,
  ): Promise<ClientWithSecret> => {
    await records.assertNotReviewer();
    const taken = (cause?: unknown) => new AppError('CLIENT_EXISTS', { field: 'clientId', cause });
    if ((await records.find(given.clientId)) !== undefined) throw taken();
    const { hash, generated } = await hashOrGenerate(given.secret, hashCost);
    const document = createClientRecord(given, { _id: generateId(), hash, now: now(), reviewer });
    try {
      const { status } = await records.insert(document);
      return { client: status.client, secret: generated };
    } catch (error) {
      throw error instanceof StoreError && error.reason === 'duplicate' ? taken(error) : error;
    }
  };

  /** Of two concurrent starts one creates the admin, the other one finds it. */
  const createAdmin = async (clientId: string, secret: string): Promise<Client> => {
    try {
      return (await add({ ...parseNew({ clientId, accessType: 'admin' }), secret }, storeFor())).client;
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'CLIENT_EXISTS')) throw error;
      return upsertAdmin(clientId, secret);
    }
  };

  const upsertAdmin = async (clientId: string, secret: string): Promise<Client> => {
    parseClientId(clientId, issuerNames);
    const record = await storeFor().find(clientId);
    if (record === undefined) return createAdmin(clientId, secret);
    const known = await secretMatches(secret, record.hash);
    if (known && record.status.client.accessType === 'admin') return record.status.client;
    const hash = known ? undefined : await hashSecret(secret, hashCost);
    return (await storeFor().change(clientId, { accessType: 'admin', hash })).status.client;
  };

  return {
    upsertAdmin,
    hasAny: () => storeFor().hasAny(),
    issuerOf: (clientId) => issuerOfId(clientId, issuerNames),
    hasReviewer: (options) => storeFor(options).hasReviewer(),
    remove: (clientId, options) => storeFor(options).remove(clientId),
    findStatus: async (clientId) => (await storeFor().findUsable(clientId))?.status,
    find: async (clientId, options) => (await storeFor(options).find(clientId))?.status.client,
    list: async (options) => (await storeFor(options).all()).map(({ status }) => status.client),
    create: async (body, options) => add(parseNew(body), storeFor(options)),
    createReviewer: async (body) => add(parseNew(body), storeFor(), true),
    createImported: async (body, secret) =>
      (await add({ ...parseNew(body), secret: parseImportedSecret(secret) }, storeFor())).client,
    async setRights(clientId, { roles, ...rights }) {
      const change = roles === undefined ? rights : { ...rights, roles: parseRoles(roles) };
      return (await storeFor().change(clientId, change)).status.client;
    },
    async ensureIndexes() {
      const keys = [{ path: 'clientId', direction: 1 }] as const;
      const index = { name: 'clientId', keys, unique: true, sparse: false };
      const { built } = await store.ensureIndexes(CLIENTS_NAMESPACE, [index]);
      await built;
    },
    async update(clientId, body, options) {
      const records = storeFor(options);
      await records.findOrThrow(clientId);
      return (await records.change(clientId, parseClientChange(clientId, body))).status.client;
    },
    async setSecret(clientId, secret, options) {
      const records = storeFor(options);
      await records.findOrThrow(clientId);
      const { hash, generated } = await hashOrGenerate(
        secret === undefined ? undefined : parseSecret(secret),
        hashCost,
      );
      return { client: (await records.change(clientId, { hash })).status.client, secret: generated };
    },
    async verifySecret(clientId, secret) {
      const record = await storeFor().findUsable(clientId);
      const matches = await secretMatches(secret, record?.hash ?? decoy);
      return matches ? record?.status : undefined;
    },
  };
}

/** Hashes the chosen secret, or a generated one. */
async function hashOrGenerate(chosen: string | undefined, cost: HashCost) {
  if (chosen !== undefined) return { hash: await hashSecret(chosen, cost), generated: undefined };
  const generated = generateSecret();
  return { hash: await hashSecret(generated, cost), generated };
}

const FIRST_ADMIN_ID = 'admin';

interface ConfiguredAdmin {
  readonly id: string;
  readonly secret: string;
}

/** Its secret is shown once. */
export interface CreatedAdmin {
  readonly clientId: string;
  readonly secret: string;
}

/**
 * Gives the function that makes or updates the configured admin. Without one, and without any client, it makes an admin
 * with a random secret and returns it. It may be called again when it failed: the secret stays, so that an admin whose
 * making was reported as failed is told of in the end. Rejects with BAD_REQUEST when the configured id or secret is
 * unfit, or with the store's StoreError.
 */
export function createFirstAdmin(
  clients: Pick<ClientService, 'hasAny' | 'create' | 'upsertAdmin' | 'verifySecret'>,
  configured: ConfiguredAdmin | undefined,
): () => Promise<CreatedAdmin | undefined> {
  const made: CreatedAdmin = { clientId: FIRST_ADMIN_ID, secret: generateSecret() };
  let tried = false;

  const madeBefore = async (): Promise<CreatedAdmin | undefined> => {
    if (!tried) return undefined;
    return (await clients.verifySecret(made.clientId, made.secret)) === undefined ? undefined : made;
  };

  return async () => {
    if (configured !== undefined) {
      await clients.upsertAdmin(configured.id, configured.secret);
      return undefined;
    }
    if (await clients.hasAny()) return madeBefore();
    tried = true;
    try {
      await clients.create({ ...made, accessType: 'admin' });
      return made;
    } catch (error) {
      if (error instanceof AppError && error.code === 'CLIENT_EXISTS') return madeBefore();
      throw error;
    }
  };
}
