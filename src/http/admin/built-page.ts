// A page that was built into a folder, with its files, for everybody: they hold no data, what the page shows comes through the API.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../errors/errors.ts';
import { lazily } from '../../lib/async/lazily.ts';
import { matchesIfNoneMatch } from '../../lib/http/conditional.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { addResource } from '../core/resource.ts';
import { type BuiltFile, HASHED, PAGE, readBuiltFiles } from './built-files.ts';

/** Nothing but the page's own files runs or is asked for, and no other page shows this one in a frame. */
const contentSecurityPolicy = (trustedTypes: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // Images of records are fetched with the token and shown as blobs.
    "img-src 'self' blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    // Text never becomes markup: the browser refuses it.
    "require-trusted-types-for 'script'",
    `trusted-types ${trustedTypes}`,
  ].join('; ');

const HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
} as const;

const ONE_YEAR = 'public, max-age=31536000, immutable';

/** True where the client takes gzip. */
const takesGzip = ({ headers }: FastifyRequest) =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s*,|\s*$))/i.test(String(headers['accept-encoding'] ?? ''));

interface BuiltPageOptions {
  /** Path of the page. */
  readonly base: string;
  /** False: there is no such page. */
  readonly isEnabled: boolean;
  /** Absolute path of the build, which may be absent. */
  readonly folder: string;
  /** Said where it is. */
  readonly notBuilt: string;
  /** Names of the policies that its libraries make for markup, or `'none'`. */
  readonly trustedTypes: string;
  /** Other paths than those of files are addresses of the page, which finds the view by itself. */
  readonly hasViews: boolean;
}

type Deps = Pick<HttpDeps, 'logger'>;

/** The files, read by the first call. Rejects with NOT_FOUND where there is no page: then the next call looks again. */
function createFiles({ folder, notBuilt }: BuiltPageOptions, { logger }: Deps) {
  let isReported = false;
  return lazily(async () => {
    const built = await readBuiltFiles(folder);
    if (built !== undefined) return built;
    if (!isReported) logger.warn({ folder }, notBuilt);
    isReported = true;
    throw new AppError('NOT_FOUND', { message: notBuilt });
  });
}

/** Registers the page and every path below it. Nothing is read before the first request. */
export function builtPageRoutes(server: FastifyInstance, deps: Deps, options: BuiltPageOptions): void {
  const { base, isEnabled, hasViews, trustedTypes } = options;
  const headers = { ...HEADERS, 'content-security-policy': contentSecurityPolicy(trustedTypes) };
  const files = createFiles(options, deps);

  const send = (request: FastifyRequest, reply: FastifyReply, file: BuiltFile, cacheControl: string) => {
    const zipped = takesGzip(request) ? file.gzip : undefined;
    const etag = zipped === undefined ? `"${file.hash}"` : `"${file.hash}-gzip"`;
    reply.headers({ ...headers, etag, vary: 'Accept-Encoding', 'cache-control': cacheControl });
    if (matchesIfNoneMatch(request.headers['if-none-match'], etag)) return reply.code(304).send();
    if (zipped !== undefined) reply.header('content-encoding', 'gzip');
    return reply.header('content-type', file.type).send(zipped ?? file.body);
  };

  const GET = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (!isEnabled) throw new AppError('NOT_FOUND');
    const built = await files.get();
    const path = (request.params as { readonly '*'?: string })['*'] ?? '';
    const isHashed = `${path}/`.startsWith(HASHED);
    const isPage = path === '' || (hasViews && !isHashed);
    const file = built.get(path) ?? (isPage ? built.get(PAGE) : undefined);
    if (file === undefined) throw new AppError('NOT_FOUND');
    return send(request, reply, file, isHashed ? ONE_YEAR : 'no-store');
  };
  // Not described: pages are for browsers.
  addResource(server, base, { GET }, { operations: { GET: null } });
  addResource(server, `${base}/*`, { GET }, { operations: { GET: null } });
}
