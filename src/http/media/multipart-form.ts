// Reads a multipart form part by part, without holding a file in memory. Every error of the form is a 4xx.

import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../errors/errors.ts';
import type { FormPart } from '../../media/media-service-types.ts';
import { createBoundaryCounter, parseBoundary } from './multipart-boundaries.ts';

const QUOTED = /"(?:[^"\\]|\\.)*"/g;
const EXTENDED = /;[ \t]*filename\*[ \t]*=[ \t]*(utf-8|iso-8859-1)'[^';]*'([^;\s]*)/i;
const DISPOSITION = /^content-disposition[ \t]*:(.*)$/i;
const ESCAPED = /%[0-9a-f]{2}/gi;

/** Undefined for bytes that are no text of that encoding. */
function decode(text: string, encoding: string): string | undefined {
  const unescaped = text.replace(ESCAPED, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
  const bytes = Buffer.from(unescaped, 'latin1');
  if (encoding === 'iso-8859-1') return bytes.toString('latin1');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The `filename*` in the headers of a part; undefined if it is absent or malformed. */
export function parseExtendedFilename(headers: string): string | undefined {
  for (const line of headers.split('\r\n')) {
    const [, disposition] = DISPOSITION.exec(line) ?? [];
    if (disposition === undefined) continue;
    const [, encoding = '', text = ''] = EXTENDED.exec(disposition.replace(QUOTED, '""')) ?? [];
    return encoding === '' || text === '' ? undefined : decode(text, encoding.toLowerCase());
  }
  return undefined;
}

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
/** Bytes of the headers of one part; longer ones are cut, and the part is malformed. */
const MAX_HEADER_BYTES = 16_384;
const DEFAULT_PART_TYPE = 'application/octet-stream';
/** Codes of the parser for a form that ends too early. */
const CUT_OFF_CODES: ReadonlySet<unknown> = new Set([
  'FST_MP_PREMATURE_CLOSE',
  'ECONNRESET',
  'ERR_STREAM_PREMATURE_CLOSE',
]);
const EARLY_END = /Unexpected end|terminated early/;

const badRequest = (message: string) => new AppError('BAD_REQUEST', { message });
const tooLarge = (bytes: number) =>
  new AppError('PAYLOAD_TOO_LARGE', { message: `A file may have ${bytes} bytes (\`media.maxFileSize\`)` });
const badHeaders = () => badRequest('The headers of a part of the form cannot be read');
const requestTimeout = () => new AppError('REQUEST_TIMEOUT');

/** Accepts multipart forms in this scope, unread until `parseMultipartForm`. */
export function acceptMultipart(server: FastifyInstance): void {
  // What the plugin would run at each request removes files that it has saved. It saves none here, and it would cost every request two promises.
  const bareServer: FastifyInstance = Object.create(server, { addHook: { value: () => bareServer } });
  const options = {
    preservePath: true,
    throwFileSizeLimit: false,
    // Fields too, so that each is read here instead of into a list of all.
    isPartAFile: () => true,
  };
  multipart(bareServer, options, () => undefined);
}

/** True for a request whose body is such a form. */
export function isMultipartForm({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return /^\s*multipart\/form-data\s*(;|$)/i.test(headers['content-type'] ?? '');
}

/** Maps errors of the parser and of a broken connection to a BAD_REQUEST; any other error passes. */
function toClientError(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  const code = 'code' in error ? error.code : undefined;
  // The parser throws plain errors without a code.
  if (code === undefined && error.name !== 'Error') return error;
  if (code === 'FST_PROTO_VIOLATION') return badRequest('A part of the form has a name that is not allowed');
  const isCutOff = EARLY_END.test(error.message) || CUT_OFF_CODES.has(code);
  const message = isCutOff ? 'The form ends before its last boundary' : 'The form cannot be read';
  return new AppError('BAD_REQUEST', { message, cause: error });
}

/** The bytes of a part as they arrive. Rejects with `tooLong()` beyond `maxBytes`. */
async function* limitBytes(
  file: AsyncIterable<Buffer>,
  { maxBytes, tooLong }: { readonly maxBytes: number; readonly tooLong: () => AppError },
): AsyncGenerator<Buffer> {
  let bytes = 0;
  try {
    for await (const chunk of file) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLong();
      yield chunk;
    }
  } catch (error) {
    throw toClientError(error);
  }
}

async function* prepend(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* rest;
}

/** The text of a field. Rejects with BAD_REQUEST if it is too long or no UTF-8. */
async function readField(name: string | undefined, file: AsyncIterable<Buffer>): Promise<FormPart> {
  if (name === undefined || name.length > MAX_FIELD_NAME) {
    throw badRequest(`A field of the form has no name, or one of more than ${MAX_FIELD_NAME} characters`);
  }
  const longest = () =>
    new AppError('BAD_REQUEST', {
      field: name,
      message: `\`${name}\` has more than ${MAX_FIELD_BYTES} bytes`,
    });
  const chunks: Buffer[] = [];
  for await (const chunk of limitBytes(file, { maxBytes: MAX_FIELD_BYTES, tooLong: longest }))
    chunks.push(chunk);
  try {
    const value = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
    return { kind: 'field', name, value };
  } catch {
    throw new AppError('BAD_REQUEST', { field: name, message: `\`${name}\` is not valid UTF-8` });
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
  const { maxFileBytes, maxParts, signal } = limits;
  const boundary = parseBoundary(request.headers['content-type'] ?? '');
  if (boundary === undefined) throw badRequest('The content type of the form names no boundary');
  const delimiters = createBoundaryCounter(boundary, maxParts);
  const stopped = Promise.withResolvers<never>();
  stopped.promise.catch(() => undefined);
  let current: { destroy(error?: Error): unknown } | undefined;
  const stop = (error: AppError) => {
    stopped.reject(error);
    current?.destroy(error);
  };
  const count = (chunk: Buffer) => {
    delimiters.push(chunk);
    if (delimiters.isBroken()) stop(badHeaders());
  };
  const onLate = () => stop(requestTimeout());
  if (signal.aborted) onLate();
  signal.addEventListener('abort', onLate, { once: true });
  // One byte over the limit of this function: the parser truncates silently.
  const longest = Math.max(maxFileBytes, MAX_FIELD_BYTES) + 1;
  const parserLimits = { parts: maxParts + 1, fileSize: longest, headerSize: MAX_HEADER_BYTES };
  const parts = request.parts({ limits: parserLimits, isPartAFile: () => true, preservePath: true });
  let read = 0;
  try {
    for (;;) {
      const next = parts.next();
      if (read === 0) request.raw.on('data', count);
      const { done, value: part } = await Promise.race([next, stopped.promise]);
      if (done === true) break;
      read += 1;
      if (part.type !== 'file') throw badRequest('The form cannot be read');
      current = part.file;
      if (read > maxParts)
        throw badRequest(`The form has more than ${maxParts} parts (\`limits.formParts\`)`);
      const fileName: string | undefined =
        parseExtendedFilename(delimiters.headersOf(read - 1)) ?? part.filename;
      // With a name it is a file, such as a page that a browser has saved.
      if (fileName === undefined && part.mimetype.startsWith('multipart/'))
        throw badRequest('A part of the form is a form itself');
      if (fileName === undefined && part.mimetype !== DEFAULT_PART_TYPE) {
        yield await readField(part.fieldname, part.file);
      } else {
        const all = limitBytes(part.file, { maxBytes: maxFileBytes, tooLong: () => tooLarge(maxFileBytes) });
        const first = fileName === '' ? await all.next() : undefined;
        // Browsers send an empty file input as a part without name and bytes.
        if (first?.done === true) continue;
        const bytes = first === undefined ? all : prepend(first.value, all);
        yield { kind: 'file', fileName: fileName ?? '', mimetype: part.mimetype, bytes };
      }
    }
    if (delimiters.partCount() !== read) throw badHeaders();
    // Discards what follows the form.
    request.raw.unpipe().resume();
  } catch (error) {
    throw toClientError(error);
  } finally {
    signal.removeEventListener('abort', onLate);
    request.raw.off('data', count);
    request.raw.unpipe();
    current?.destroy();
  }
}
