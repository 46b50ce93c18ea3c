// `/admin` and every path below: the files of the admin page.
import type { FastifyInstance } from 'fastify';
import type { HttpDeps } from '../core/http-deps.ts';
import { builtPageRoutes } from './built-page.ts';

const NOT_BUILT =
  'The admin page is not built: run `npm run build:admin` in the checkout (`npm ci` with development dependencies does it too)';

type Deps = Pick<HttpDeps, 'config' | 'logger' | 'adminFolder'>;

/** Registers the page and its files. */
export function adminPageRoutes(server: FastifyInstance, deps: Deps): void {
  builtPageRoutes(server, deps, {
    base: '/admin',
    isEnabled: deps.config.admin.enabled,
    folder: deps.adminFolder,
    notBuilt: NOT_BUILT,
    trustedTypes: "'none'",
    hasViews: true,
  });
}
