// Errors of uploads to signed URLs. Clients of this dialect expect `name` and `message` at the top of the body.
import { AppError, type ErrorCode } from '../errors/errors.ts';
import type { FormPart, UploadGrant } from './media.ts';
import { mediaTypeOf } from './media-type.ts';

type SignedFile = Pick<UploadGrant, 'fileName' | 'mimetype'>;

function createNamedError(code: ErrorCode, name: string, text?: string): AppError {
  const error = new AppError(code, text === undefined ? {} : { message: text });
  return new AppError(code, { items: error.items, body: { name, message: error.message } });
}

/** The token was already used by a successful upload. */
export const tokenUsedError = (): AppError => createNamedError('UPLOAD_TOKEN_USED', 'TokenUsedError');

/** The collection has `signUploads`, and the upload has no token. */
export const tokenMissingError = (): AppError => createNamedError('UPLOAD_TOKEN_MISSING', 'NoTokenError');

/**
 * Compares a file of the form with what was signed: the name as sent, in any Unicode normal form, and the media type.
 * Throws UPLOAD_NOT_AS_SIGNED.
 */
export function assertMatchesSigned(
  signed: SignedFile,
  { fileName, mimetype }: Pick<Extract<FormPart, { kind: 'file' }>, 'fileName' | 'mimetype'>,
): void {
  if (fileName.normalize('NFC') !== signed.fileName.normalize('NFC')) {
    const expected = `Expected a file named "${signed.fileName}"`;
    throw createNamedError('UPLOAD_NOT_AS_SIGNED', 'Unexpected filename', expected);
  }
  if (mediaTypeOf(mimetype) !== mediaTypeOf(signed.mimetype)) {
    const expected = `Expected a mimetype of "${signed.mimetype}"`;
    throw createNamedError('UPLOAD_NOT_AS_SIGNED', 'Unexpected mimetype', expected);
  }
}
