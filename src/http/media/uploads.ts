// POST of a form to a media collection: files are stored.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Collection } from '../../collections/collection.ts';
import { AppError } from '../../errors.ts';
import { tokenMissing } from '../../media/upload-errors.ts';
import { documentsText } from '../document-answers.ts';
import { refusePreconditions } from '../preconditions.ts';
import { JSON_TYPE, sendText } from '../reply.ts';
import type { ReceiveUpload } from './receive-upload.ts';

/** Throws where an upload to this collection needs a signed token. */
export type RefuseUnsigned = (request: FastifyRequest, collection: Collection) => void;

/** Throws UPLOAD_TOKEN_MISSING for a collection with `signUploads`. */
export const refuseUnsigned: RefuseUnsigned = (_request, { settings }) => {
  if (settings.signUploads) throw tokenMissing();
};

interface UploadOptions {
  readonly receive: ReceiveUpload;
  readonly refuseUnsigned: RefuseUnsigned;
  /** `media.enabled`: undefined means that it follows from the collections. */
  readonly enabled: boolean | undefined;
}

/** Makes the function that answers an upload to a media collection. The caller may use POST there. */
export function createUploads({ receive, refuseUnsigned, enabled }: UploadOptions) {
  return async (
    request: FastifyRequest,
    collection: Collection,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    if (enabled === false) throw new AppError('NOT_FOUND');
    refuseUnsigned(request, collection);
    refusePreconditions(request);
    const results = await receive(request, collection);
    return sendText(reply.code(201), JSON_TYPE, documentsText(results));
  };
}
