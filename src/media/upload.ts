// An upload, from the first byte of its form to the response. All or nothing: an error before the records are stored removes all
// files.

import type { Collection } from '../collections/model/collection.ts';
import {
  ExtraWriteError,
  type NewRecord,
  type RecordService,
  type RequestContext,
} from '../collections/model/documents.ts';
import { missingFileIssue } from '../collections/model/media-record-fields.ts';
import { AppError, isStoreUnavailable, StoreError } from '../errors/errors.ts';
import type { JsonObject } from '../lib/json/json.ts';
import { createLogThrottle } from '../lib/logger.ts';
import type { MediaStore, MediaUpload } from '../stores/media-store.ts';
import type { DocumentStore } from '../stores/ports.ts';
import type { MediaWorkers } from '../workers/media-tasks.ts';
import {
  createKeyCandidates,
  mediaTypeOf,
  originalFileName,
  type PathFormat,
  sanitizeFileName,
} from './file-name.ts';
import { createHeadAndTail } from './head-and-tail.ts';
import { createMediaRecord, type FormField, parseFormFields, type UploadedFile } from './media-record.ts';
import type { FormPart, MediaService, UploadGrant, UploadRequest } from './media-service-types.ts';
import type { UploadPlace, UploadQuota } from './upload-quota.ts';
import { assertMatchesSigned, isTokenUsed, tokenUsedError, usedTokenWrite } from './used-upload-tokens.ts';

interface UploadLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface UploadDeps {
  readonly store: MediaStore;
  readonly documents: Pick<DocumentStore, 'find'>;
  readonly records: RecordService;
  readonly tasks: Pick<MediaWorkers, 'dimensionsOf' | 'sha1Of'>;
  readonly quota: Pick<UploadQuota, 'enter'>;
  /** How many bytes of the start and the end of a file `tasks` needs. */
  readonly ends: { readonly head: number; readonly tail: number };
  readonly settings: {
    readonly pathFormat: PathFormat;
    readonly publicUrl: string | undefined;
    /** `limits.jsonValues`. */
    readonly jsonValues: number;
    /** `limits.queryMs`, from the end of the form on. */
    readonly queryMs: number;
  };
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: UploadLog;
}

const EVERY_MS = 60_000;

type FilePart = Extract<FormPart, { readonly kind: 'file' }>;

/** A file whose bytes are stored and that has no key yet. */
interface StagedFile extends Omit<UploadedFile, 'key'> {
  readonly upload: MediaUpload;
}

/** The content of a form. `uploads` has every upload that was started, also for a rejected form. */
interface Form {
  readonly uploads: MediaUpload[];
  readonly files: StagedFile[];
  readonly fields: FormField[];
  readonly place: UploadPlace;
}

const noFile = () => new AppError('DOCUMENT_INVALID', { items: [missingFileIssue()] });
const oneFileOnly = () =>
  new AppError('BAD_REQUEST', { field: 'file', message: 'A signed upload carries one file' });

/** Throws unless the part is the single signed file. */
function assertGranted(part: FilePart, grant: UploadGrant, { uploads }: Form): void {
  if (uploads.length > 0) throw oneFileOnly();
  assertMatchesSigned(grant, part);
}

/** Creates the function that stores the files of a form and their records. */
export function createUpload(deps: UploadDeps): MediaService['upload'] {
  const { store, documents, records, tasks, quota, ends, settings, now, log } = deps;
  const { jsonValues, pathFormat: format, publicUrl, queryMs } = settings;

  const limit = createLogThrottle({ everyMs: EVERY_MS, now });

  const upload = async (request: UploadRequest) => {
    const { grant, context, declaredBytes = 0 } = request;
    const { clientId } = context.caller;
    const place = quota.enter({ clientId, tokenId: grant?.tokenId, declaredBytes });
    try {
      return await receiveAndStore(request, { uploads: [], files: [], fields: [], place });
    } finally {
      place.leave();
    }
  };

  const receiveAndStore = async (request: UploadRequest, form: Form) => {
    let isCommitting = false;
    try {
      await assertTokenUnused(request.grant);
      await receive(request, form);
      if (form.files.length === 0) throw noFile();
      const fields = await parseFormFields(request.collection, form.fields, jsonValues);
      const published = await publish(form, fields);
      isCommitting = true;
      const { results } = await commit(request, published);
      await settle(form);
      return { results };
    } catch (error) {
      // The records may be stored nevertheless: the cleanup checks that and keeps or removes the files.
      if (isCommitting && mayHaveCommitted(error)) abandon(form, error);
      else await discard(form);
      throw toClientError(error);
    }
  };

  const assertTokenUnused = async (grant: UploadGrant | undefined) => {
    if (grant === undefined) return;
    if (await isTokenUsed(documents, grant.tokenId, { deadline: now() + queryMs })) throw tokenUsedError();
  };

  const receive = async ({ collection, parts, grant }: UploadRequest, form: Form) => {
    for await (const part of parts) {
      if (part.kind === 'field') {
        form.place.hold(part.value.length);
        form.fields.push(part);
        continue;
      }
      if (grant !== undefined) assertGranted(part, grant, form);
      form.files.push(await stage(part, collection, form));
    }
  };

  /** Streams a file into the store, where it is not visible yet. */
  const stage = async (part: FilePart, collection: Collection, form: Form): Promise<StagedFile> => {
    const name = sanitizeFileName(part.fileName);
    const mimetype = mediaTypeOf(part.mimetype);
    const candidate = await createKeyCandidates(
      { collection, name, at: now() },
      { format, sha1Of: tasks.sha1Of },
    );
    const started = await store.begin({ candidate, contentType: mimetype });
    form.uploads.push(started);
    const seen = createHeadAndTail(ends.head, ends.tail);
    const watched = async function* () {
      for await (const chunk of part.bytes) {
        form.place.take(chunk.length);
        seen.take(chunk);
        yield chunk;
      }
    };
    const size = await started.write(watched());
    const dimensions = size === 0 ? undefined : await tasks.dimensionsOf(seen, size);
    return { upload: started, originalFileName: originalFileName(part.fileName), mimetype, size, dimensions };
  };

  /** Publishes every file under its key and creates its record. */
  const publish = async ({ files }: Form, fields: JsonObject): Promise<readonly NewRecord[]> => {
    const published: NewRecord[] = [];
    for (const file of files) {
      const key = await file.upload.publish();
      published.push({ serverFields: createMediaRecord({ ...file, key }, { store, publicUrl }), fields });
    }
    return published;
  };

  const commit = async (
    { collection, grant, context: requested }: UploadRequest,
    published: readonly NewRecord[],
  ) => {
    const context: RequestContext = { ...requested, deadline: now() + queryMs };
    if (grant === undefined) return records.createRecords(collection, published, context);
    try {
      return await records.createRecords(collection, published, context, {
        extraWrites: [usedTokenWrite(grant)],
      });
    } catch (error) {
      // Of two concurrent uploads with one token the second fails here.
      throw error instanceof ExtraWriteError ? tokenUsedError() : error;
    }
  };

  const abandon = ({ uploads }: Form, error: unknown) => {
    for (const upload of uploads) upload.abandon();
    log.warn({ err: error }, 'outcome of an upload unknown: its files stay until the database answers');
  };

  /** Logs one line per minute: while the media store is unavailable every upload fails here. */
  const logError = (message: string) => (error: unknown) => {
    const line = limit(message);
    if (line !== undefined) log.error({ err: error, ...line }, message);
  };

  /** The records are stored, so an error here does not fail the upload: the cleanup settles it later. */
  const settle = async ({ uploads }: Form) => {
    for (const upload of uploads) {
      await upload
        .settle()
        .catch(logError('could not remove the journal of an upload: the next cleanup does'));
    }
  };

  const discard = async ({ uploads }: Form) => {
    for (const upload of uploads) {
      await upload
        .discard()
        .catch(logError('could not remove the files of a refused upload: the next cleanup does'));
    }
  };

  return upload;
}

/** A media store refuses what it would refuse again: no 503, which asks for a repetition. */
function toClientError(error: unknown): unknown {
  if (!(error instanceof StoreError) || error.store !== 'media' || error.reason !== 'refused') return error;
  const { explanation: message } = error;
  return new AppError('UPLOAD_REFUSED', { ...(message !== undefined && { message }), cause: error });
}

/** Whether the commit may have succeeded despite the error, because the response of the database was lost. */
function mayHaveCommitted(error: unknown): boolean {
  return !(error instanceof AppError || (error instanceof StoreError && !isStoreUnavailable(error)));
}
