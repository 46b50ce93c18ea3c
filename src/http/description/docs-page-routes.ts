// `/docs` and the files below: the page that shows the API description and tries calls out.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../errors/errors.ts';
import { createBuiltPage } from '../admin/built-page.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { addResource } from '../core/resource.ts';

const NOT_BUILT =
  'The page of the API description is not built: run `npm run build:docs` in the checkout (`npm ci` with development dependencies does it too). The description itself is at `/docs/openapi.json`';

type Deps = Pick<HttpDeps, 'config' | 'logger' | 'docsFolder'>;

/** Registers the page and its files. */
export function docsPageRoutes(server: FastifyInstance, { config, logger, docsFolder }: Deps): void {
  const send = createBuiltPage({
    folder: docsFolder,
    notBuilt: NOT_BUILT,
    // Swagger UI brings DOMPurify, which makes a policy when it is loaded. The page has no use for it.
    trustedTypes: 'dompurify',
    hasViews: false,
    logger,
  });
  const GET = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (!config.docs.enabled) throw new AppError('NOT_FOUND');
    return send(request, reply, (request.params as { readonly '*'?: string })['*'] ?? '');
  };
  // Not described: pages are for browsers.
  addResource(server, '/docs', { GET }, { operations: { GET: null } });
  addResource(server, '/docs/*', { GET }, { operations: { GET: null } });
}
