// `/admin` and every path below: the files of the admin page, for everybody. They hold no data; what the page shows comes through
// the API.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../errors/errors.ts';
import { matchesIfNoneMatch } from '../../lib/http/conditional.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { addResource } from '../core/resource.ts';
import { type BuiltFile, createBuiltFiles, HASHED, PAGE } from './built-files.ts';

/** Nothing but the page's own files runs or is asked for, and no other page shows this one in a frame. */
const CONTENT_SECURITY_POLICY = [
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
  "trusted-types 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
} as const;

const ONE_YEAR = 'public, max-age=31536000, immutable';

const NOT_BUILT =
  'The admin page is not built: run `npm run build:admin` in the checkout (`npm ci` with development dependencies does it too)';

/** True where the client takes gzip. */
const takesGzip = ({ headers }: FastifyRequest) =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s*,|\s*$))/i.test(String(headers['accept-encoding'] ?? ''));

function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { file, cacheControl }: { readonly file: BuiltFile; readonly cacheControl: string },
): FastifyReply {
  const zipped = takesGzip(request) ? file.gzip : undefined;
  const etag = zipped === undefined ? `"${file.hash}"` : `"${file.hash}-gzip"`;
  reply.headers({ ...HEADERS, etag, vary: 'Accept-Encoding', 'cache-control': cacheControl });
  if (matchesIfNoneMatch(request.headers['if-none-match'], etag)) return reply.code(304).send();
  if (zipped !== undefined) reply.header('content-encoding', 'gzip');
  return reply.header('content-type', file.type).send(zipped ?? file.body);
}

type Deps = Pick<HttpDeps, 'config' | 'logger' | 'adminFolder'>;

/** Registers the page and its files. */
export function adminPageRoutes(server: FastifyInstance, { config, logger, adminFolder }: Deps): void {
  const readFiles = createBuiltFiles(adminFolder);
  let isReported = false;
  const files = async () => {
    const built = await readFiles();
    if (built !== undefined) return built;
    if (!isReported) logger.warn({ folder: adminFolder }, NOT_BUILT);
    isReported = true;
    throw new AppError('NOT_FOUND', { message: NOT_BUILT });
  };
  const GET = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (!config.admin.enabled) throw new AppError('NOT_FOUND');
    const built = await files();
    const path = (request.params as { readonly '*'?: string })['*'] ?? '';
    const isHashed = `${path}/`.startsWith(HASHED);
    const asked = built.get(path);
    if (isHashed && asked === undefined) throw new AppError('NOT_FOUND');
    // Every other path is an address of the page, which finds the view by itself.
    const file = asked ?? built.get(PAGE);
    if (file === undefined) throw new AppError('NOT_FOUND');
    return sendFile(request, reply, { file, cacheControl: isHashed ? ONE_YEAR : 'no-store' });
  };
  // Not described: pages are for browsers.
  addResource(server, '/admin', { GET }, { operations: { GET: null } });
  addResource(server, '/admin/*', { GET }, { operations: { GET: null } });
}
