// Creates the first admin of an installation: the one of the environment, or one with a random secret.
import { AppError } from '../../errors/errors.ts';
import type { ClientService } from './client-service.ts';
import { generateSecret } from './secret-hash.ts';

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
