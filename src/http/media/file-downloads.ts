// Downloads: a file by the id of its record or by its path, whole or in part, and the headers that say what it is.

import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createFileReader } from '../../auth/access/callers.ts';
import { readsAll } from '../../collections/model/access.ts';
import { AppError, StoreError } from '../../errors/errors.ts';
import {
  type ConditionalHeaders,
  evaluateConditions,
  matchesIfRange,
  parseByteRange,
} from '../../lib/http/conditional.ts';
import { BINARY_TYPE, isPassiveType } from '../../lib/http/media-types.ts';
import { isId } from '../../lib/ids.ts';
import type { MediaFile } from '../../media/media-service-types.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import {
  type CollectionAccessDeps,
  collectionOf,
  createCollectionGuard,
  documentIdOf,
} from '../core/request-access.ts';
import { createContextFactory } from '../core/request-context.ts';
import { originForm, requestPath, urlPath } from '../core/request-url.ts';
import { addResource, type RouteHandler } from '../core/resource.ts';
import { type BufferQuota, openFileBody, reserveBuffers } from '../transport/file-body.ts';
import { DOWNLOAD_FILE } from './media-operations.ts';

/** Segments before the path of the file: version, database, collection. */
const COLLECTION_PARTS = 3;
const MAX_PARTS = 32;
// Separators of all systems, and control characters.
const FORBIDDEN = /[/\\\p{Cc}]/u;

function decode(part: string): string {
  let name: string;
  try {
    name = decodeURIComponent(part);
  } catch {
    throw new AppError('NOT_FOUND');
  }
  // No stored file has such a name, however it is encoded.
  if (name === '' || name === '.' || name === '..' || FORBIDDEN.test(name)) throw new AppError('NOT_FOUND');
  return name;
}

/**
 * The decoded path below `/{version}/{database}/{collection}/`, in the normal form in which names are stored. Throws
 * NOT_FOUND for what no file can have.
 */
export function parseFilePath(path: string): string {
  const parts = originForm(path)
    .replace(/\/$/, '')
    .split('/')
    .slice(1 + COLLECTION_PARTS);
  if (parts.length === 0 || parts.length > MAX_PARTS) throw new AppError('NOT_FOUND');
  return parts.map(decode).join('/').normalize('NFC');
}

const MAX_TYPE_LENGTH = 255;
const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
const MEDIA_TYPE = new RegExp(
  `^(${TOKEN}/${TOKEN})(?:[ \\t]*;[ \\t]*${TOKEN}=(?:${TOKEN}|"[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]*"))*$`,
);

/** Documents, archives and texts that a browser downloads or shows, but never runs. */
const PASSIVE_UPLOADS: ReadonlySet<string> = new Set([
  ...['text/calendar', 'text/vcard', 'application/rtf', 'application/msword', 'application/epub+zip'],
  ...['application/x-gzip', 'application/x-tar', 'application/x-bzip2', 'application/x-7z-compressed'],
  ...['application/vnd.rar', 'application/x-zip-compressed', 'application/zstd'],
  ...['application/vnd.ms-excel', 'application/vnd.ms-powerpoint'],
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  ...['application/ogg', 'application/font-woff'],
]);

/** The declared type with its parameters; `application/octet-stream` if it is no media type. */
export function fileContentType(mimetype: string): string {
  return mimetype.length <= MAX_TYPE_LENGTH && MEDIA_TYPE.test(mimetype) ? mimetype : BINARY_TYPE;
}

/** True unless browsers are known to run nothing in a file of this type. */
export const isActiveType = (contentType: string): boolean => !isPassiveType(contentType, PASSIVE_UPLOADS);

/** A file name in the form that allows every character (RFC 8187). */
function encodeFilename(name: string): string {
  const escaped = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(name.toWellFormed()).replaceAll(/['()*]/g, escaped);
}

/** The ETag of a file: strong, since equal tags mean equal bytes. */
const fileEtag = ({ validator }: Pick<MediaFile, 'validator'>) => `"${validator}"`;

/** Headers of every successful response. `isPublic`: the file can be read without a token. */
export function fileHeaders(file: MediaFile, isPublic: boolean): Readonly<Record<string, string>> {
  const type = fileContentType(file.mimetype);
  return {
    'content-type': type,
    'x-content-type-options': 'nosniff',
    ...(isActiveType(type) && { 'content-security-policy': 'sandbox' }),
    'content-disposition': `inline; filename*=UTF-8''${encodeFilename(file.fileName)}`,
    'accept-ranges': 'bytes',
    etag: fileEtag(file),
    'last-modified': new Date(file.modifiedAt).toUTCString(),
    // Caches revalidate: the file may have been deleted, or become private.
    'cache-control': isPublic ? 'public, no-cache' : 'private, no-cache',
  };
}

/** Handlers of downloads. */
export type DownloadHandlers = Readonly<Record<'byId' | 'byPath', RouteHandler>>;

export type DownloadDeps = Pick<HttpDeps, 'config' | 'createCaller' | 'logger' | 'media' | 'now'> & {
  readonly connections: BufferQuota;
};

/** What the buffers of one download may hold, from the store to the socket. */
const DOWNLOAD_BUFFER_BYTES = 262_144;

/** The part of the file that the answer carries. */
interface Selection {
  readonly status: 200 | 206;
  readonly start: number;
  readonly length: number;
}

const conditionsOf = ({ headers }: FastifyRequest): ConditionalHeaders => ({
  ifMatch: headers['if-match'],
  ifNoneMatch: headers['if-none-match'],
  ifModifiedSince: headers['if-modified-since'],
  ifUnmodifiedSince: headers['if-unmodified-since'],
});

function selectRange({ headers, method }: FastifyRequest, file: MediaFile): Selection {
  const validators = { etag: fileEtag(file), modifiedAt: file.modifiedAt };
  const mayBePart = method === 'GET' && matchesIfRange(headers['if-range']?.toString(), validators);
  const range = mayBePart ? parseByteRange(headers.range, file.size) : undefined;
  if (range === 'unsatisfiable') {
    throw new AppError('RANGE_NOT_SATISFIABLE', { headers: { 'Content-Range': `bytes */${file.size}` } });
  }
  if (range === undefined) return { status: 200, start: 0, length: file.size };
  return { status: 206, start: range.start, length: range.end - range.start + 1 };
}

/** Makes the handlers. Access is decided before they run. */
export function createDownloadHandlers(deps: DownloadDeps): DownloadHandlers {
  const { media, logger, connections } = deps;
  const createContext = createContextFactory(deps);
  const context = (request: FastifyRequest) => {
    const created = createContext(request);
    return { ...created, caller: createFileReader(created.caller, deps.config.media) };
  };

  const anybody = createFileReader(deps.createCaller(null), deps.config.media);
  const isPublic = (request: FastifyRequest) => readsAll(anybody.access(collectionOf(request)));

  /** Opens what the answer carries. Rejects with a StoreError, which can still be sent as a response, before the first bytes. */
  const open = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { file, start, length }: Selection & { readonly file: MediaFile },
  ) => {
    try {
      return await openFileBody(reply.raw, {
        open: () => file.open(length === file.size ? undefined : { start, end: start + length - 1 }),
        length,
        onFailure: (err) =>
          logger.warn({ requestId: request.id, path: requestPath(request), err }, 'download failed'),
      });
    } catch (error) {
      const isKnown = error instanceof StoreError || error instanceof AppError;
      throw isKnown ? error : new StoreError('failed', { store: 'media', cause: error });
    }
  };

  const send = async (
    request: FastifyRequest,
    reply: FastifyReply,
    file: MediaFile,
  ): Promise<FastifyReply> => {
    const validators = { etag: fileEtag(file), modifiedAt: file.modifiedAt };
    const result = evaluateConditions(conditionsOf(request), validators);
    if (result === 'failed') {
      throw new AppError('PRECONDITION_FAILED', {
        message: 'The file is not in the state that is asked for',
      });
    }
    const headers = fileHeaders(file, isPublic(request));
    if (result === 'unmodified') return reply.code(304).headers(headers).send();

    const selection = selectRange(request, file);
    const { status, start, length } = selection;
    const isEmpty = request.method === 'HEAD' || length === 0;
    if (!isEmpty) reserveBuffers(request, reply, { connections, bytes: DOWNLOAD_BUFFER_BYTES });
    const body = isEmpty ? Readable.from([]) : await open(request, reply, { file, ...selection });
    if (request.raw.socket.destroyed) return reply.hijack();
    reply.code(status).headers(headers).header('content-length', length);
    if (status === 206) reply.header('content-range', `bytes ${start}-${start + length - 1}/${file.size}`);
    return reply.send(body);
  };

  return {
    async byId(request, reply) {
      const id = documentIdOf(request);
      if (!isId(id)) throw new AppError('NOT_FOUND');
      return send(request, reply, await media.fileById(collectionOf(request), id, context(request)));
    },
    async byPath(request, reply) {
      // The rewritten URL: a path below `/media` stands for that of a collection.
      const path = parseFilePath(urlPath(request.url));
      return send(request, reply, await media.fileByPath(collectionOf(request), path, context(request)));
    },
  };
}

const PATH = '/:version/:database/:collection';

/** Registers `…/{id}/file` and `…/{path}`: the files of all media collections. Files directly below their collection are in `document-routes.ts`. */
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
