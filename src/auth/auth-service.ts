// Who is let in: tokens and the login, which answer 503 until the server knows what it needs to judge anybody.
import type { Config } from '../config/schema.ts';
import { StoreError } from '../errors.ts';
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
  /** True once all is made that the start makes in the database. Nobody is looked up before. */
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
  /** The client with this `clientId` as it is now, or was seconds ago, as for tokens; undefined when there is none. */
  findClient(clientId: string): Promise<Client | undefined>;
  /** Finds or makes the signing secret that nobody configured. Rejects with the store's StoreError. */
  ensureSecret(): Promise<void>;
  close(): void;
}

/** Makes the gate. A token with a wrong signature is refused at any time where the secret is configured. */
export function createAuthService(options: AuthServiceOptions): AuthService {
  const { settings, media, store, clients, isReady: isOpen, now, queryMs } = options;
  let secret = settings.tokenSecret;
  let uploadSecret = media.tokenSecret;
  const mustBeOpen = () => {
    if (!isOpen()) throw new StoreError('unavailable');
  };
  const standings = createClientCache({
    load: async (clientId) => {
      mustBeOpen();
      return clients.findStatus(clientId);
    },
    watch: (listener) => store.watch(listener),
    namespace: CLIENTS_NAMESPACE,
    now,
  });
  const tokens = createAccessTokens({
    secret: () => secret,
    ttl: settings.tokenTtl,
    clientCache: standings,
    now,
  });
  const uploadTokens = createUploadTokens({
    // Made when the first upload is signed: most servers never need it.
    secret: async () => {
      mustBeOpen();
      uploadSecret ??= await findOrCreateSecret('media.tokenSecret', { store, now, queryMs });
      return uploadSecret;
    },
    expiresIn: media.tokenExpiresIn,
    clientCache: standings,
    now,
  });
  const login = createLogin({ clients, limiter: createLoginLimiter(settings.rateLimit), tokens });
  return {
    tokens,
    uploadTokens,
    async login(credentials) {
      mustBeOpen();
      return login(credentials);
    },
    async ensureSecret() {
      secret ??= await findOrCreateSecret('auth.tokenSecret', { store, now, queryMs });
    },
    findClient: async (clientId) => (await standings.get(clientId))?.client,
    close: () => standings.close(),
  };
}
