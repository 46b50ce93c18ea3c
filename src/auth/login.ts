// From a client id and a secret to an access token.

import type { TokenResponse } from './access-tokens.ts';
import { invalidCredentialsError } from './auth-errors.ts';
import { isClientId, SECRET_LENGTH } from './clients/client-input.ts';
import type { ClientStatus } from './clients/client-record.ts';
import type { ClientService } from './clients/client-service.ts';
import type { LoginLimiter } from './login-limiter.ts';

interface LoginDeps {
  readonly clients: Pick<ClientService, 'verifySecret' | 'hasAny'>;
  readonly limiter: LoginLimiter;
  readonly tokens: { issue(standing: ClientStatus): TokenResponse };
}

/** What came in, unchecked: only text can be right. */
interface Credentials {
  readonly clientId: unknown;
  readonly secret: unknown;
  /** Network address of whoever asks. */
  readonly address: string;
}

export type Login = ReturnType<typeof createLogin>;

/** Returns the login. It rejects with INVALID_CREDENTIALS, RATE_LIMITED, or the store's StoreError. */
export function createLogin({ clients, limiter, tokens }: LoginDeps) {
  return async ({ clientId, secret, address }: Credentials): Promise<TokenResponse> => {
    const known = isClientId(clientId) ? clientId : '';
    const standing = await limiter.run({ address, clientId: known }, async () => {
      const fit = known !== '' && typeof secret === 'string' && secret.length <= SECRET_LENGTH.max;
      if (fit) return clients.verifySecret(known, secret);
      // While nobody can be looked up nobody is refused, whatever was sent.
      await clients.hasAny();
      return undefined;
    });
    if (standing === undefined) throw invalidCredentialsError();
    return tokens.issue(standing);
  };
}
