// POST of a form to a media collection: files are stored.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Collection } from '../../collections/model/collection.ts';
import { AppError } from '../../errors.ts';
import { tokenMissingError } from '../../media/upload-errors.ts';
import { rejectPreconditions } from '../core/preconditions.ts';
import { formatResults, JSON_TYPE, sendText } from '../core/reply.ts';
import type { ReceiveUpload } from './receive-upload.ts';

/** Throws where an upload to this collection needs a signed token. */
export type RejectUnsigned = (request: FastifyRequest, collection: Collection) => void;

/** Throws UPLOAD_TOKEN_MISSING for a collection with `signUploads`. */
export const rejectUnsigned: RejectUnsigned = (_request, { settings }) => {
  if (settings.signUploads) throw tokenMissingError();
};

interface UploadOptions {
  readonly receive: ReceiveUpload;
  readonly refuseUnsigned: RejectUnsigned;
  /** `media.enabled`: undefined means that it follows from the collections. */
  readonly enabled: boolean | undefined;
}

/** Makes the function that answers an upload to a media collection. The caller may use POST there. */
export function createUploadHandler({ receive, refuseUnsigned, enabled }: UploadOptions) {
  return async (
    request: FastifyRequest,
    collection: Collection,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    if (enabled === false) throw new AppError('NOT_FOUND');
    refuseUnsigned(request, collection);
    rejectPreconditions(request);
    const results = await receive(request, collection);
    return sendText(reply.code(201), JSON_TYPE, formatResults(results));
  };
}
