// Who administers a fresh installation: the client of the environment, or one made at the first start.
import { AppError } from '../errors.ts';
import type { Clients } from './clients.ts';

const FIRST_ADMIN_ID = 'admin';

interface ConfiguredAdmin {
  readonly id: string;
  readonly secret: string;
}

/** To be shown once. */
export interface MadeAdmin {
  readonly clientId: string;
  readonly secret: string;
}

/**
 * Makes or updates the configured admin. Without one, and without any client, makes an admin with a random secret and
 * returns it. Rejects with BAD_REQUEST when the configured id or secret is unfit, or with the store's StoreError.
 */
export async function ensureFirstAdmin(
  clients: Pick<Clients, 'hasAny' | 'create' | 'upsertAdmin'>,
  configured: ConfiguredAdmin | undefined,
): Promise<MadeAdmin | undefined> {
  if (configured !== undefined) {
    await clients.upsertAdmin(configured.id, configured.secret);
    return undefined;
  }
  if (await clients.hasAny()) return undefined;
  try {
    const { client, secret } = await clients.create({ clientId: FIRST_ADMIN_ID, accessType: 'admin' });
    return secret === undefined ? undefined : { clientId: client.clientId, secret };
  } catch (error) {
    if (error instanceof AppError && error.code === 'CLIENT_EXISTS') return undefined;
    throw error;
  }
}
