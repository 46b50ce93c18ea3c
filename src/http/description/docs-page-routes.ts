// `/docs` and the files below: the page that shows the API description and tries calls out.
import type { FastifyInstance } from 'fastify';
import { builtPageRoutes } from '../admin/built-page.ts';
import type { HttpDeps } from '../core/http-deps.ts';

const NOT_BUILT =
  'The page of the API description is not built: run `npm run build:docs` in the checkout (`npm ci` with development dependencies does it too). The description itself is at `/docs/openapi.json`';

type Deps = Pick<HttpDeps, 'config' | 'logger' | 'docsFolder'>;

/** Registers the page and its files. */
export function docsPageRoutes(server: FastifyInstance, deps: Deps): void {
  builtPageRoutes(server, deps, {
    base: '/docs',
    isEnabled: deps.config.docs.enabled,
    folder: deps.docsFolder,
    notBuilt: NOT_BUILT,
    // Swagger UI brings DOMPurify, which makes a policy when it is loaded. The page has no use for it.
    trustedTypes: 'dompurify',
    hasViews: false,
  });
}
