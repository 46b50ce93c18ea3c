// Exchanges a client id and a secret for an access token.

import type { TokenResponse } from './access-tokens.ts';
import { invalidCredentialsError } from './auth-errors.ts';
import { isClientId, SECRET_LENGTH } from './clients/client.ts';
import type { ClientService } from './clients/client-service.ts';
import type { ClientStatus } from './clients/client-store.ts';
import type { LoginLimiter } from './login-limiter.ts';

interface LoginDeps {
  readonly clients: Pick<ClientService, 'verifySecret' | 'hasAny'>;
  readonly limiter: LoginLimiter;
  readonly tokens: { issue(status: ClientStatus): TokenResponse };
}

/** The unvalidated input. */
interface Credentials {
  readonly clientId: unknown;
  readonly secret: unknown;
  /** Network address of the client. */
  readonly address: string;
}

export type Login = ReturnType<typeof createLogin>;

/** Creates the login function. It rejects with INVALID_CREDENTIALS, RATE_LIMITED, or the store's StoreError. */
export function createLogin({ clients, limiter, tokens }: LoginDeps) {
  return async ({ clientId, secret, address }: Credentials): Promise<TokenResponse> => {
    const known = isClientId(clientId) ? clientId : '';
    const status = await limiter.run({ address, clientId: known }, async () => {
      const isPlausible = known !== '' && typeof secret === 'string' && secret.length <= SECRET_LENGTH.max;
      if (isPlausible) return clients.verifySecret(known, secret);
      // While the database is away, no attempt is rejected as wrong: this rejects as the lookup would.
      await clients.hasAny();
      return undefined;
    });
    if (status === undefined) throw invalidCredentialsError();
    return tokens.issue(status);
  };
}
