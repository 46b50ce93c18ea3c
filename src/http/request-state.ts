// What hooks learn about a request and handlers use. Types only.
import type { Client } from '../auth/client.ts';
import type { Collection } from '../collections/collection.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; null when anonymous. */
    client: Client | null;
    /** The collection that the path names, once a collection scope has resolved it. */
    collection: Collection | null;
  }
}
