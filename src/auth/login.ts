// From a client id and a secret to an access token.
import { invalidCredentials } from './challenge.ts';
import { isClientId, SECRET_LENGTH } from './client-input.ts';
import type { Standing } from './client-record.ts';
import type { Clients } from './clients.ts';
import type { AttemptLimiter } from './rate-limit.ts';
import type { TokenAnswer } from './tokens.ts';

interface LoginOptions {
  readonly clients: Pick<Clients, 'verify' | 'hasAny'>;
  readonly limiter: AttemptLimiter;
  readonly tokens: { issue(standing: Standing): TokenAnswer };
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
export function createLogin({ clients, limiter, tokens }: LoginOptions) {
  return async ({ clientId, secret, address }: Credentials): Promise<TokenAnswer> => {
    const known = isClientId(clientId) ? clientId : '';
    const standing = await limiter.run({ address, clientId: known }, async () => {
      const fit = known !== '' && typeof secret === 'string' && secret.length <= SECRET_LENGTH.most;
      if (fit) return clients.verify(known, secret);
      // While nobody can be looked up nobody is refused, whatever was sent.
      await clients.hasAny();
      return undefined;
    });
    if (standing === undefined) throw invalidCredentials();
    return tokens.issue(standing);
  };
}
