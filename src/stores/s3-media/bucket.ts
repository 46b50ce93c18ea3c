// Requests to the bucket, each with a time limit. The SDK is loaded by the first one.
import type { GetObjectCommandOutput, S3Client } from '@aws-sdk/client-s3';
import {
  type AwsSdk,
  type BucketSettings,
  createS3Client,
  errorNameOf,
  isMissingObject,
} from './s3-client.ts';

export interface BucketDeps {
  readonly settings: BucketSettings;
  /** Connections, which no other object shares. A request beyond them waits for five seconds at most. */
  readonly maxSockets: number;
  /** Milliseconds that a request may take, repetitions included; of a part of a file, its body excluded. */
  readonly timeoutMs?: number | undefined;
}

export interface ObjectHead {
  readonly size: number;
  /** Epoch milliseconds. */
  readonly modifiedAt: number;
  readonly etag: string | undefined;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface PutOptions {
  readonly contentType?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Fails with PreconditionFailed when there is an object already. */
  readonly onlyNew?: boolean;
}

interface Part {
  readonly number: number;
  readonly etag: string | undefined;
}

const TIMEOUT_MS = 20_000;
/** Milliseconds more for a request that carries up to 8 MiB. */
const BODY_TIMEOUT_MS = 100_000;
const MAX_REMOVED = 1000;

function headOf(answer: {
  ContentLength?: number | undefined;
  LastModified?: Date | undefined;
  ETag?: string | undefined;
  Metadata?: Record<string, string> | undefined;
}): ObjectHead {
  return {
    size: answer.ContentLength ?? 0,
    modifiedAt: answer.LastModified?.getTime() ?? 0,
    etag: answer.ETag,
    metadata: answer.Metadata ?? {},
  };
}

/** Undefined in place of the error of an object that is not there. */
async function orMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isMissingObject(error)) return undefined;
    throw error;
  }
}

/** One bucket. Keys are those of the bucket, prefix included. Methods reject with what the SDK throws. */
export class Bucket {
  readonly #settings: BucketSettings;
  readonly #maxSockets: number;
  readonly #timeoutMs: number;
  #loaded: Promise<{ sdk: AwsSdk; client: S3Client }> | undefined;

  constructor({ settings, maxSockets, timeoutMs = TIMEOUT_MS }: BucketDeps) {
    this.#settings = settings;
    this.#maxSockets = maxSockets;
    this.#timeoutMs = timeoutMs;
  }

  async head(key: string): Promise<ObjectHead | undefined> {
    const answer = await orMissing(
      this.#run(({ sdk, client, at, options }) => client.send(new sdk.HeadObjectCommand(at(key)), options)),
    );
    return answer === undefined ? undefined : headOf(answer);
  }

  /** The answer with its stream; undefined when there is no such object. `range` is a header. */
  get(key: string, range: string | undefined): Promise<GetObjectCommandOutput | undefined> {
    const about = range === undefined ? {} : { Range: range };
    return orMissing(
      this.#run(({ sdk, client, at, options }) =>
        client.send(new sdk.GetObjectCommand({ ...at(key), ...about }), options),
      ),
    );
  }

  /** Returns the ETag. */
  async put(key: string, body: Uint8Array, put: PutOptions = {}): Promise<string | undefined> {
    const { ETag } = await this.#run(
      ({ sdk, client, at, options }) =>
        client.send(
          new sdk.PutObjectCommand({
            ...at(key),
            Body: body,
            ContentLength: body.length,
            ...(put.contentType === undefined ? {} : { ContentType: put.contentType }),
            ...(put.metadata === undefined ? {} : { Metadata: put.metadata }),
            ...(put.onlyNew === true ? { IfNoneMatch: '*' } : {}),
          }),
          options,
        ),
      this.#timeoutMs + BODY_TIMEOUT_MS,
    );
    return ETag;
  }

  /** Removes objects; one that is missing is no error. */
  async remove(keys: readonly string[]): Promise<void> {
    for (let at = 0; at < keys.length; at += MAX_REMOVED) {
      const Objects = keys.slice(at, at + MAX_REMOVED).map((Key) => ({ Key }));
      const { Errors = [] } = await this.#run(({ sdk, client, bucket, options }) =>
        client.send(new sdk.DeleteObjectsCommand({ ...bucket, Delete: { Objects, Quiet: true } }), options),
      );
      const first = Errors.find(({ Code }) => Code !== 'NoSuchKey');
      if (first !== undefined)
        throw Object.assign(new Error('an object stays'), { name: first.Code ?? 'Error' });
    }
  }

  /** Objects whose keys begin with `prefix`, without their metadata. */
  async *list(prefix: string): AsyncGenerator<Omit<ObjectHead, 'metadata'> & { readonly key: string }> {
    let token: string | undefined;
    do {
      const page = await this.#run(({ sdk, client, bucket, options }) => {
        const about = { Prefix: prefix, ...(token === undefined ? {} : { ContinuationToken: token }) };
        return client.send(new sdk.ListObjectsV2Command({ ...bucket, ...about }), options);
      });
      for (const { Key = '', Size = 0, LastModified, ETag } of page.Contents ?? []) {
        yield { key: Key, size: Size, modifiedAt: LastModified?.getTime() ?? 0, etag: ETag };
      }
      token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    } while (token !== undefined);
  }

  /** Begins a multipart upload. Others are open beside it where the request was repeated, and not only one of them answered. */
  async beginParts(
    key: string,
    { contentType, metadata }: Required<Omit<PutOptions, 'onlyNew'>>,
  ): Promise<{ readonly uploadId: string; readonly isOnly: boolean }> {
    const { UploadId = '', $metadata } = await this.#run(({ sdk, client, at, options }) =>
      client.send(
        new sdk.CreateMultipartUploadCommand({
          ...at(key),
          ContentType: contentType,
          Metadata: { ...metadata },
        }),
        options,
      ),
    );
    return { uploadId: UploadId, isOnly: $metadata.attempts === 1 };
  }

  async putPart(
    key: string,
    uploadId: string,
    { number, body }: { number: number; body: Uint8Array },
  ): Promise<Part> {
    const about = { UploadId: uploadId, PartNumber: number, Body: body, ContentLength: body.length };
    const { ETag } = await this.#run(
      ({ sdk, client, at, options }) =>
        client.send(new sdk.UploadPartCommand({ ...at(key), ...about }), options),
      this.#timeoutMs + BODY_TIMEOUT_MS,
    );
    return { number, etag: ETag };
  }

  /** Makes the parts one object, if the one that is there still has the ETag `replaces`. */
  async completeParts(
    key: string,
    uploadId: string,
    { parts, replaces }: { parts: readonly Part[]; replaces: string | undefined },
  ): Promise<void> {
    const Parts = parts.map(({ number, etag }) => ({ PartNumber: number, ETag: etag }));
    const condition = replaces === undefined ? {} : { IfMatch: replaces };
    await this.#run(
      ({ sdk, client, at, options }) =>
        client.send(
          new sdk.CompleteMultipartUploadCommand({
            ...at(key),
            ...condition,
            UploadId: uploadId,
            MultipartUpload: { Parts },
          }),
          options,
        ),
      // The service may put thousands of parts together before it answers.
      this.#timeoutMs + BODY_TIMEOUT_MS,
    );
  }

  /** Ends a multipart upload; one that is gone is no error. */
  async abortParts(key: string, uploadId: string): Promise<void> {
    try {
      await this.#run(({ sdk, client, at, options }) =>
        client.send(new sdk.AbortMultipartUploadCommand({ ...at(key), UploadId: uploadId }), options),
      );
    } catch (error) {
      if (errorNameOf(error) !== 'NoSuchUpload') throw error;
    }
  }

  /** Ids of the multipart uploads to exactly this key. */
  async uploadsTo(key: string): Promise<readonly string[]> {
    const { Uploads = [] } = await this.#run(({ sdk, client, bucket, options }) =>
      client.send(new sdk.ListMultipartUploadsCommand({ ...bucket, Prefix: key }), options),
    );
    return Uploads.flatMap(({ Key, UploadId }) => (Key === key && UploadId !== undefined ? [UploadId] : []));
  }

  /** Rejects when the bucket cannot be reached or asked. */
  async check(): Promise<void> {
    try {
      await this.#run(({ sdk, client, bucket, options }) =>
        client.send(new sdk.HeadBucketCommand(bucket), options),
      );
    } catch (error) {
      // The answer has no body that could say of what.
      if (isMissingObject(error)) throw Object.assign(new Error('no such bucket'), { name: 'NoSuchBucket' });
      throw error;
    }
  }

  /** Closes the connections. Uploads may still be discarded, over new ones. */
  async close(): Promise<void> {
    (await this.#loaded?.catch(() => undefined))?.client.destroy();
  }

  #load(): Promise<{ sdk: AwsSdk; client: S3Client }> {
    this.#loaded ??= import('@aws-sdk/client-s3').then((sdk) => ({
      sdk,
      client: createS3Client(sdk, this.#settings, this.#maxSockets),
    }));
    return this.#loaded;
  }

  async #run<T>(
    send: (request: {
      sdk: AwsSdk;
      client: S3Client;
      bucket: { Bucket: string };
      at: (key: string) => { Bucket: string; Key: string };
      options: { abortSignal: AbortSignal };
    }) => Promise<T>,
    timeoutMs = this.#timeoutMs,
  ): Promise<T> {
    const { sdk, client } = await this.#load();
    const limit = new AbortController();
    // Until the answer begins: its body, a file of any length, may take longer.
    const timer = setTimeout(() => limit.abort(), timeoutMs);
    const { bucketName: Bucket = '' } = this.#settings;
    try {
      return await send({
        sdk,
        client,
        bucket: { Bucket },
        at: (Key) => ({ Bucket, Key }),
        options: { abortSignal: limit.signal },
      });
    } finally {
      clearTimeout(timer);
    }
  }
}
