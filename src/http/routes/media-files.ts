// `/{version}/{database}/{collection}/{id}/file` and `…/{collection}/{path}`: the bytes of uploaded files.
import type { FastifyInstance } from 'fastify';
import { createEnterCollection, type EnterDeps } from '../collection-scope.ts';
import type { DownloadHandlers } from '../media/files.ts';
import { resource } from '../resource.ts';

const PATH = '/:version/:database/:collection';

/** Registers the files of all media collections. A file directly below its collection is among the routes of documents. */
export function mediaFileRoutes(server: FastifyInstance, deps: EnterDeps, files: DownloadHandlers): void {
  server.addHook('onRequest', createEnterCollection(deps, { files: true }));
  resource(server, `${PATH}/:id/file`, { GET: files.byId });
  resource(server, `${PATH}/*`, { GET: files.byPath });
}
