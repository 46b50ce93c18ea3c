// `/{version}/{database}/{collection}/{id}/file` and `…/{collection}/{path}`: downloads of uploaded files.
import type { FastifyInstance } from 'fastify';
import { type CollectionAccessDeps, createCollectionGuard } from '../core/request-access.ts';
import { addResource } from '../core/resource.ts';
import type { DownloadHandlers } from './file-downloads.ts';
import { DOWNLOAD_FILE } from './media-operations.ts';

const PATH = '/:version/:database/:collection';

/** Registers the files of all media collections. Files directly below their collection are in `document-routes.ts`. */
export function mediaFileRoutes(
  server: FastifyInstance,
  deps: CollectionAccessDeps,
  files: DownloadHandlers,
): void {
  server.addHook('onRequest', createCollectionGuard(deps, { files: true }));
  addResource(server, `${PATH}/:id/file`, { GET: files.byId }, { operations: { GET: DOWNLOAD_FILE } });
  // A path of any depth, which OpenAPI cannot describe.
  addResource(server, `${PATH}/*`, { GET: files.byPath }, { operations: { GET: null } });
}
