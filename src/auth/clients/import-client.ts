// Adds a client of another server, with the secret that it had there.
import { AppError } from '../../errors/errors.ts';
import type { ClientService } from './client-service.ts';

/** A client as another server has it. */
interface ForeignClient {
  readonly clientId: string;
  /** As a request for a new client says it, without the secret. */
  readonly body: unknown;
  /** Undefined: it is not there, or only the other server can check it. */
  readonly secret: string | undefined;
}

export interface ClientImport {
  readonly clientId: string;
  readonly outcome: 'imported' | 'present' | 'failed';
  /** What the operator must know, without secrets. */
  readonly notes: readonly string[];
}

/** Adds a client whose id is free; one that is there stays as it is. Rejects as the store does. */
export async function importClient(
  clients: Pick<ClientService, 'find' | 'createImported'>,
  { clientId, body, secret }: ForeignClient,
): Promise<ClientImport> {
  if ((await clients.find(clientId)) !== undefined) {
    return { clientId, outcome: 'present', notes: ['is there already, and stays as it is'] };
  }
  if (secret === undefined) {
    const why = 'needs a new secret: it has none, or one that only the older server can check';
    // An id is text of others: what is to be copied into a shell has none that a shell would read as more than a word.
    const shown = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(clientId) ? clientId : 'ID';
    return { clientId, outcome: 'failed', notes: [`${why}. cloister clients add ${shown}`] };
  }
  try {
    await clients.createImported(body, secret);
    return { clientId, outcome: 'imported', notes: [] };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const issues = error.items.map(({ field, message }) =>
      field === undefined ? message : `${field}: ${message}`,
    );
    return { clientId, outcome: 'failed', notes: [`is not imported: ${issues.join('; ')}`] };
  }
}
