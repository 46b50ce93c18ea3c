import { createClientService } from '../../../src/auth/clients/client-service.ts';
import { createIdSource } from '../../../src/lib/ids.ts';
import { auditOf } from '../../helpers/store/audit-log.ts';
import { openTemporaryStore } from '../../helpers/store/temporary-store.ts';

/** The service of clients over a store of its own, or over that of `path`. */
export async function openClients(path?: string) {
  const opened = await openTemporaryStore(path);
  const clients = createClientService({
    store: opened.store,
    audit: auditOf(opened.store),
    generateId: createIdSource(),
    now: Date.now,
  });
  await clients.ensureIndexes();
  return { ...opened, clients };
}
