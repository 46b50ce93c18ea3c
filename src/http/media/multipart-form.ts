// Reads a multipart form part by part, without holding a file in memory. Every error of the form is a 4xx.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../errors/errors.ts';
import { onceAborted } from '../../lib/streams/ownership.ts';
import type { FormPart } from '../../media/media-service-types.ts';
import { BodyReader } from './body-reader.ts';
import { type FormPiece, FormScanner, parseBoundary } from './form-scanner.ts';
import { type PartHeaders, parsePartHeaders } from './part-headers.ts';

export interface FormLimits {
  /** Bytes of one file (`media.maxFileSize`). */
  readonly maxFileBytes: number;
  /** Files and fields together (`limits.formParts`). */
  readonly maxParts: number;
  /** Aborted on timeout. */
  readonly signal: AbortSignal;
}

const MAX_FIELD_BYTES = 1_048_576;
const MAX_FIELD_NAME = 200;
/** Bytes of the headers of one part; with longer ones it is malformed. */
const MAX_HEADER_BYTES = 16_384;
const DEFAULT_PART_TYPE = 'application/octet-stream';
const TEXT_TYPE = 'text/plain';

const badRequest = (message: string) => new AppError('BAD_REQUEST', { message });
const tooLarge = (bytes: number) =>
  new AppError('PAYLOAD_TOO_LARGE', { message: `A file may have ${bytes} bytes (\`media.maxFileSize\`)` });
const badHeaders = () => badRequest('The headers of a part of the form cannot be read');
const noFieldName = () =>
  badRequest(`A field of the form has no name, or one of more than ${MAX_FIELD_NAME} characters`);
const requestTimeout = () => new AppError('REQUEST_TIMEOUT');

const badName = () => badRequest('A part of the form has a name that is not allowed');
const cutOff = (cause?: unknown) =>
  new AppError('BAD_REQUEST', { message: 'The form ends before its last boundary', cause });

/** Accepts multipart forms in this scope, unread until `parseMultipartForm`. */
export function acceptMultipart(server: FastifyInstance): void {
  server.addContentTypeParser('multipart/form-data', (_request, _body, done) => done(null));
}

/** True for a request whose body is such a form. */
export function isMultipartForm({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return /^\s*multipart\/form-data\s*(;|$)/i.test(headers['content-type'] ?? '');
}

async function* prepend(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

/** The text of a field. Rejects with BAD_REQUEST if it is too long or no UTF-8. */
async function readField(name: string, bytes: AsyncIterable<Buffer>): Promise<FormPart> {
  const chunks: Buffer[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  try {
    const value = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
    return { kind: 'field', name, value };
  } catch {
    throw new AppError('BAD_REQUEST', { field: name, message: `\`${name}\` is not valid UTF-8` });
  }
}

const longField = (name: string) =>
  new AppError('BAD_REQUEST', { field: name, message: `\`${name}\` has more than ${MAX_FIELD_BYTES} bytes` });

/** The form of one request, piece by piece. */
class FormReader {
  readonly #body: BodyReader;
  readonly #scanner: FormScanner;
  readonly #limits: FormLimits;
  #isEmpty = true;
  #isInPart = false;

  constructor(body: BodyReader, scanner: FormScanner, limits: FormLimits) {
    this.#body = body;
    this.#scanner = scanner;
    this.#limits = limits;
  }

  /** The headers of the next part, whether or not that before was read; undefined at the end of the form. */
  async nextPart(): Promise<PartHeaders | undefined> {
    while (this.#isInPart) await this.#next();
    const piece = await this.#next();
    if (piece?.kind !== 'headers') return undefined;
    const headers = parsePartHeaders(piece.text);
    if (headers === undefined) throw badHeaders();
    this.#isInPart = true;
    return headers;
  }

  /** The bytes of the part. Rejects with `tooLong()` beyond `maxBytes`. */
  async *bytes(maxBytes: number, tooLong: () => AppError): AsyncGenerator<Buffer> {
    let bytes = 0;
    while (this.#isInPart) {
      const piece = await this.#next();
      if (piece?.kind !== 'bytes') return;
      bytes += piece.bytes.length;
      if (bytes > maxBytes) throw tooLong();
      yield piece.bytes;
    }
  }

  /** The next part as it is for the caller; undefined for an empty file input of a browser, which has neither name nor bytes. */
  async read({ name, fileName, mimetype = TEXT_TYPE }: PartHeaders): Promise<FormPart | undefined> {
    if (name !== undefined && name in Object.prototype) throw badName();
    // With a name it is a file, such as a page that a browser has saved.
    if (fileName === undefined && mimetype.startsWith('multipart/'))
      throw badRequest('A part of the form is a form itself');
    if (fileName === undefined && mimetype !== DEFAULT_PART_TYPE) {
      if (name === undefined || name.length > MAX_FIELD_NAME) throw noFieldName();
      return readField(
        name,
        this.bytes(MAX_FIELD_BYTES, () => longField(name)),
      );
    }
    const { maxFileBytes } = this.#limits;
    const all = this.bytes(maxFileBytes, () => tooLarge(maxFileBytes));
    if (fileName !== '') return { kind: 'file', fileName: fileName ?? '', mimetype, bytes: all };
    const first = await all.next();
    return first.done === true
      ? undefined
      : { kind: 'file', fileName, mimetype, bytes: prepend(first.value, all) };
  }

  /** Undefined at the end of a body without a byte, which is a form without parts. */
  async #next(): Promise<FormPiece | undefined> {
    let piece = this.#scanner.next();
    while (piece === undefined) {
      const chunk = await this.#body.next();
      if (chunk === undefined) {
        if (this.#isEmpty) return undefined;
        throw cutOff();
      }
      this.#isEmpty = false;
      this.#scanner.push(chunk);
      piece = this.#scanner.next();
    }
    if (piece.kind === 'malformed') throw badHeaders();
    if (piece.kind === 'end') this.#isInPart = false;
    return piece;
  }
}

/**
 * The parts of a form in order: each must be read, or abandoned, before the next. Rejects with an AppError, and stops reading
 * then. Ending the iteration leaves the rest of the body unread.
 */
export async function* parseMultipartForm(
  request: FastifyRequest,
  limits: FormLimits,
): AsyncGenerator<FormPart> {
  const { maxParts, signal } = limits;
  const boundary = parseBoundary(request.headers['content-type'] ?? '');
  if (boundary === undefined) throw badRequest('The content type of the form names no boundary');
  const body = new BodyReader(request.raw, cutOff);
  const form = new FormReader(body, new FormScanner(boundary, MAX_HEADER_BYTES), limits);
  const forget = onceAborted(signal, () => body.stop(requestTimeout()));
  try {
    for (let read = 1; ; read += 1) {
      const headers = await form.nextPart();
      if (headers === undefined) break;
      if (read > maxParts)
        throw badRequest(`The form has more than ${maxParts} parts (\`limits.formParts\`)`);
      const part = await form.read(headers);
      if (part !== undefined) yield part;
    }
    // Answered before its end, the client would write to a closed connection.
    while ((await body.next()) !== undefined);
  } finally {
    forget();
    body.release();
  }
}
