// Login and verification of tokens, both `unavailable` until startup is complete; and the signing secrets, which are generated
// unless configured.

import { createHash } from 'node:crypto';
import type { Config } from '../config/schema.ts';
import { isLostRace, StoreError } from '../errors/errors.ts';
import type { Log } from '../lib/logger.ts';
import type { DocumentStore, Namespace } from '../stores/ports.ts';
import { type AccessTokens, createAccessTokens, createClientCache } from './access-tokens.ts';
import { invalidTokenError } from './auth-errors.ts';
import type { Client } from './clients/client.ts';
import type { ClientService } from './clients/client-service.ts';
import { CLIENTS_NAMESPACE } from './clients/client-store.ts';
import { generateSecret } from './clients/secret-hash.ts';
import type { IssuerTokens } from './issuers/issuer-tokens.ts';
import { createLogin, createLoginLimiter, type FailureCounts, type Login } from './login.ts';
import { createUploadTokens, type UploadTokens } from './upload-tokens.ts';

const SECRETS: Namespace = { database: null, collection: 'cloister.secrets' };

interface SecretOptions {
  readonly store: Pick<DocumentStore, 'find' | 'commit'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Bound of one database operation, in milliseconds. */
  readonly queryMs: number;
}

const idOf = (name: string) => createHash('sha256').update(name).digest('hex').slice(0, 24);

/** Loads the secret of this name; undefined where it was never created. Rejects with the store's StoreError. */
export function findSecret(name: string, options: SecretOptions): Promise<string | undefined> {
  return read(idOf(name), options);
}

/**
 * Loads the secret of this name or creates it: the same for every start and every process on one database. The id of the record
 * is derived from the name, so that only one of two concurrent first starts can insert. Rejects with the store's StoreError.
 */
export async function findOrCreateSecret(name: string, options: SecretOptions): Promise<string> {
  const id = idOf(name);
  const stored = await read(id, options);
  if (stored !== undefined) return stored;
  const value = generateSecret();
  const document = { _id: id, name, value, v: 1 };
  try {
    await options.store.commit([{ kind: 'insert', ns: SECRETS, document }], timely(options));
    return value;
  } catch (error) {
    const concurrent = isLostRace(error) ? await read(id, options) : undefined;
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

/** Loads what verifies tokens of other issuers, where there are any: it would take 20 ms of every start. */
export async function loadIssuerTokens(
  { issuers }: Pick<Config['auth'], 'issuers'>,
  deps: { readonly log: Pick<Log, 'info' | 'warn'>; readonly now: () => number },
): Promise<IssuerTokens | undefined> {
  if (issuers.length === 0) return undefined;
  const { createIssuerTokens } = await import('./issuers/issuer-tokens.ts');
  return createIssuerTokens({ issuers, ...deps });
}

/** A token is verified by whom it says it is of, and by nobody else. */
function withIssuers(own: AccessTokens, others: IssuerTokens): AccessTokens {
  return {
    issue: own.issue,
    peek: (token) => own.peek(token) ?? others.peek(token),
    async verify(token) {
      const user = await others.verify(token);
      if (user === null) return own.verify(token);
      if (user === undefined) throw invalidTokenError();
      return user;
    },
  };
}

interface AuthServiceOptions {
  readonly settings: Pick<Config['auth'], 'tokenSecret' | 'tokenTtl' | 'rateLimit' | 'issuers'>;
  readonly media: Pick<Config['media'], 'tokenSecret' | 'tokenExpiresIn'>;
  readonly store: Pick<DocumentStore, 'find' | 'commit' | 'onCommit'>;
  readonly clients: Pick<ClientService, 'verifySecret' | 'hasAny' | 'findStatus'>;
  /** Undefined where `settings` name no issuers. */
  readonly issuerTokens: IssuerTokens | undefined;
  /** True once startup is complete. No client is looked up before. */
  readonly isReady: () => boolean;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Bound of one database operation, in milliseconds. */
  readonly queryMs: number;
  /** Counts failed logins; those of this process alone unless given. */
  readonly failures?: FailureCounts;
}

export interface AuthService {
  /** Of our own clients, and of the users of other issuers. */
  readonly tokens: AccessTokens;
  readonly uploadTokens: UploadTokens;
  readonly login: Login;
  /** Finds a client, at most 3 s out of date; undefined if there is none. */
  findClient(clientId: string): Promise<Client | undefined>;
  /** Loads or creates the signing secret unless it is configured. Rejects with the store's StoreError. */
  ensureSecret(): Promise<void>;
  /** Looks each client up anew: another process has changed one. */
  forgetClients(): void;
  close(): void;
}

/** Creates the service. With a configured secret, tokens with a wrong signature are rejected also before startup is complete. */
export function createAuthService(options: AuthServiceOptions): AuthService {
  const { settings, media, store, clients, issuerTokens, isReady, now, queryMs, failures } = options;
  let secret = settings.tokenSecret;
  let uploadSecret = media.tokenSecret;
  const assertReady = () => {
    if (!isReady()) throw new StoreError('unavailable');
  };
  const clientCache = createClientCache({
    load: async (clientId) => {
      assertReady();
      return clients.findStatus(clientId);
    },
    watch: (listener) => store.onCommit(listener),
    namespace: CLIENTS_NAMESPACE,
    now,
  });
  const ownTokens = createAccessTokens({
    secret: () => secret,
    ttl: settings.tokenTtl,
    clientCache,
    now,
  });
  const tokens = issuerTokens === undefined ? ownTokens : withIssuers(ownTokens, issuerTokens);
  const uploadTokens = createUploadTokens({
    // Created when the first upload is signed: most servers never need it.
    secret: async () => {
      assertReady();
      uploadSecret ??= await findOrCreateSecret('media.tokenSecret', { store, now, queryMs });
      return uploadSecret;
    },
    expiresIn: media.tokenExpiresIn,
    clientCache,
    issuerNames: settings.issuers.map(({ name }) => name),
    now,
  });
  const login = createLogin({ clients, limiter: createLoginLimiter(settings.rateLimit, failures), tokens });
  return {
    tokens,
    uploadTokens,
    async login(credentials) {
      assertReady();
      return login(credentials);
    },
    async ensureSecret() {
      secret ??= await findOrCreateSecret('auth.tokenSecret', { store, now, queryMs });
    },
    findClient: async (clientId) => (await clientCache.get(clientId))?.client,
    forgetClients: () => clientCache.clear(),
    close() {
      issuerTokens?.close();
      clientCache.close();
    },
  };
}
