// Receives uploads: reads the multipart form of a request and stores its files.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Collection } from '../../collections/model/collection.ts';
import { pageJson } from '../../collections/model/page-json.ts';
import { AppError } from '../../errors/errors.ts';
import type { UploadGrant } from '../../media/media-service-types.ts';
import { tokenMissingError } from '../../media/used-upload-tokens.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { rejectPreconditions } from '../core/preconditions.ts';
import { JSON_TYPE, sendText } from '../core/reply.ts';
import { createContextFactory } from '../core/request-context.ts';
import type { ConnectionTracker } from '../transport/connection-tracker.ts';
import { parseMultipartForm } from './multipart-form.ts';

/**
 * Reads the form of a request and stores its files in `collection`, as `grant` allows where there is one. Resolves with the
 * records as JSON text. Rejects with an AppError; nothing is stored then.
 */
export type ReceiveUpload = (
  request: FastifyRequest,
  collection: Collection,
  grant?: UploadGrant,
) => Promise<readonly string[]>;

/** Makes the function. Its requests come from a scope of `acceptMultipart`; uploads that are switched off are NOT_FOUND. */
export function createReceiveUpload(
  deps: Pick<HttpDeps, 'config' | 'media' | 'now'>,
  connections: Pick<ConnectionTracker, 'get'>,
): ReceiveUpload {
  const { media: settings, limits } = deps.config;
  const context = createContextFactory(deps);

  return async (request, collection, grant) => {
    if (settings.enabled === false) throw new AppError('NOT_FOUND');
    // Uploads have a time limit of their own.
    connections.get(request.raw.socket)?.disableRequestTimeout();
    const clock = new AbortController();
    const timer = setTimeout(() => clock.abort(), settings.requestSeconds * 1000);
    try {
      const formLimits = {
        maxFileBytes: settings.maxFileSize,
        maxParts: limits.formParts,
        signal: clock.signal,
      };
      const parts = parseMultipartForm(request, formLimits);
      // Undefined for a body of chunks; what is no number, no request can have.
      const { 'content-length': length } = request.headers;
      const declaredBytes = length === undefined ? undefined : Number(length);
      const upload = { collection, parts, declaredBytes, context: context(request), ...(grant && { grant }) };
      return (await deps.media.upload(upload)).results;
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Makes the function that answers a form posted to a media collection, once the caller may use POST there. */
export function createUploadHandler({
  receive,
  enabled,
}: {
  readonly receive: ReceiveUpload;
  /** `media.enabled`: undefined means that it follows from the collections. */
  readonly enabled: boolean | undefined;
}) {
  return async (
    request: FastifyRequest,
    collection: Collection,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    if (enabled === false) throw new AppError('NOT_FOUND');
    if (collection.settings.signUploads) throw tokenMissingError();
    rejectPreconditions(request);
    const results = await receive(request, collection);
    return sendText(reply.code(201), JSON_TYPE, pageJson({ results }));
  };
}
