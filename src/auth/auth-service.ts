// Login and verification of tokens. Both are `unavailable` until startup is complete.
import type { Config } from '../config/schema.ts';
import { StoreError } from '../errors/errors.ts';
import type { DocumentStore } from '../stores/ports.ts';
import { type AccessTokens, createAccessTokens } from './access-tokens.ts';
import type { Client } from './clients/client.ts';
import { createClientCache } from './clients/client-cache.ts';
import type { ClientService } from './clients/client-service.ts';
import { CLIENTS_NAMESPACE } from './clients/client-store.ts';
import { findOrCreateSecret } from './generated-secrets.ts';
import { createLogin, type Login } from './login.ts';
import { createLoginLimiter } from './login-limiter.ts';
import { createUploadTokens, type UploadTokens } from './upload-tokens.ts';

interface AuthServiceOptions {
  readonly settings: Pick<Config['auth'], 'tokenSecret' | 'tokenTtl' | 'rateLimit'>;
  readonly media: Pick<Config['media'], 'tokenSecret' | 'tokenExpiresIn'>;
  readonly store: Pick<DocumentStore, 'find' | 'commit' | 'watch'>;
  readonly clients: Pick<ClientService, 'verifySecret' | 'hasAny' | 'findStatus'>;
  /** True once startup is complete. No client is looked up before. */
  readonly isReady: () => boolean;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Bound of one database operation, in milliseconds. */
  readonly queryMs: number;
}

export interface AuthService {
  readonly tokens: AccessTokens;
  readonly uploadTokens: UploadTokens;
  readonly login: Login;
  /** Finds a client, at most 3 s out of date; undefined if there is none. */
  findClient(clientId: string): Promise<Client | undefined>;
  /** Loads or creates the signing secret unless it is configured. Rejects with the store's StoreError. */
  ensureSecret(): Promise<void>;
  close(): void;
}

/** Creates the service. With a configured secret, tokens with a wrong signature are rejected also before startup is complete. */
export function createAuthService(options: AuthServiceOptions): AuthService {
  const { settings, media, store, clients, isReady, now, queryMs } = options;
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
    watch: (listener) => store.watch(listener),
    namespace: CLIENTS_NAMESPACE,
    now,
  });
  const tokens = createAccessTokens({
    secret: () => secret,
    ttl: settings.tokenTtl,
    clientCache,
    now,
  });
  const uploadTokens = createUploadTokens({
    // Created when the first upload is signed: most servers never need it.
    secret: async () => {
      assertReady();
      uploadSecret ??= await findOrCreateSecret('media.tokenSecret', { store, now, queryMs });
      return uploadSecret;
    },
    expiresIn: media.tokenExpiresIn,
    clientCache,
    now,
  });
  const login = createLogin({ clients, limiter: createLoginLimiter(settings.rateLimit), tokens });
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
    close: () => clientCache.close(),
  };
}
