// `/admin` and every path below: the files of the admin page.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../errors/errors.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { addResource } from '../core/resource.ts';
import { createBuiltPage } from './built-page.ts';

const NOT_BUILT =
  'The admin page is not built: run `npm run build:admin` in the checkout (`npm ci` with development dependencies does it too)';

type Deps = Pick<HttpDeps, 'config' | 'logger' | 'adminFolder'>;

/** Registers the page and its files. */
export function adminPageRoutes(server: FastifyInstance, { config, logger, adminFolder }: Deps): void {
  const send = createBuiltPage({
    folder: adminFolder,
    notBuilt: NOT_BUILT,
    trustedTypes: "'none'",
    hasViews: true,
    logger,
  });
  const GET = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (!config.admin.enabled) throw new AppError('NOT_FOUND');
    return send(request, reply, (request.params as { readonly '*'?: string })['*'] ?? '');
  };
  // Not described: pages are for browsers.
  addResource(server, '/admin', { GET }, { operations: { GET: null } });
  addResource(server, '/admin/*', { GET }, { operations: { GET: null } });
}
