// Originals on other web servers: only on those that the operator lists, and only at addresses that were checked.
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { AppError } from '../../errors/errors.ts';
import { onceClosed } from '../../lib/async/ownership.ts';
import { originOf } from '../../lib/egress/addresses.ts';
import { createDestinationResolver, type NameResolver } from '../../lib/egress/destination.ts';
import { FetchFailedError, FetchRefusedError } from '../../lib/egress/fetch-errors.ts';
import { type HeaderList, rejectOnAbort, sendRequest } from '../../lib/egress/http-request.ts';
import { followRedirects } from '../../lib/egress/redirects.ts';
import type { ByteRange } from '../../stores/media-store.ts';
import type { OriginalFile } from '../model/delivery-types.ts';
import { assertPartialContent, describeResponse, partOfStream, rangeHeader } from './remote-response.ts';
import { heldToSize } from './source-chain.ts';

/** Statuses of servers that answer GET and not HEAD. */
const WITHOUT_HEAD: ReadonlySet<number> = new Set([400, 403, 405, 501]);

export interface RemoteSourceOptions {
  /** Origins, as `images.remote.allow` lists them. */
  readonly allow: readonly string[];
  readonly allowPrivateAddresses: boolean;
  /** For one fetch, its body included. */
  readonly seconds: number;
  /** Bytes that an original may have. */
  readonly maxBytes: number;
  readonly names: NameResolver;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface RemoteSource {
  /**
   * The file at an `http` or `https` URL, undefined where that server has none. Rejects with ORIGIN_REFUSED,
   * ORIGIN_FAILED or ORIGIN_TIMEOUT.
   */
  find(url: URL): Promise<OriginalFile | undefined>;
}

interface Request {
  readonly method: 'GET' | 'HEAD';
  readonly headers: HeaderList;
  readonly signal: AbortSignal;
}

interface Sent {
  readonly response: IncomingMessage;
  /** Aborted when the time is over, while the body is read too. */
  readonly signal: AbortSignal;
}

interface Found {
  readonly file: Omit<OriginalFile, 'open'>;
  /** When: epoch milliseconds. */
  readonly at: number;
}

function toAppError(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof AppError) return error;
  if (error instanceof FetchRefusedError) return new AppError('ORIGIN_REFUSED', { cause: error });
  const isLate = signal.aborted || (error instanceof FetchFailedError && error.reason === 'timeout');
  return new AppError(isLate ? 'ORIGIN_TIMEOUT' : 'ORIGIN_FAILED', { cause: error });
}

/** The file is not the one that was found: another look finds another one, or none. */
export class OriginalChangedError extends AppError {
  constructor() {
    super('ORIGIN_FAILED', { message: 'The original has just changed' });
  }
}

const changed = () => new OriginalChangedError();

/** Throws OriginalChangedError for a file that is not the one that was found: its bytes do not fit what was announced. */
function assertSame(answer: Found['file'] | undefined, found: Found['file']): void {
  const isResized = answer?.size !== undefined && found.size !== undefined && answer.size !== found.size;
  if (answer?.validator === found.validator && !isResized) return;
  throw changed();
}

/** The same for an answer with a part, whose head says less: what it says must be of the file that was found. */
function assertPartOfSame(
  response: IncomingMessage,
  answer: Found['file'] | undefined,
  found: Found['file'],
): void {
  const total = /\/(\d{1,15})$/.exec(response.headers['content-range']?.trim() ?? '')?.[1];
  const isResized = total !== undefined && found.size !== undefined && Number(total) !== found.size;
  const isAnother = response.headers.etag !== undefined && answer?.validator !== found.validator;
  if (isResized || isAnother) throw changed();
}

/** Makes the source. */
export function createRemoteSource(options: RemoteSourceOptions): RemoteSource {
  const { allow, allowPrivateAddresses, seconds, maxBytes, names, now } = options;
  const allowed = new Set(allow.map((origin) => originOf(new URL(origin))));
  const destination = createDestinationResolver(names, () => allowPrivateAddresses);

  const assertAllowed = (url: URL): void => {
    const isPlain = /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
    if (!isPlain || !allowed.has(originOf(url))) throw new FetchRefusedError('grant', originOf(url));
  };

  /** One request and those that redirects turn it into: each is held against the list, and its addresses are checked. */
  const follow = async (url: URL, { method, headers, signal }: Request): Promise<IncomingMessage> => {
    const { response } = await followRedirects(
      { url, method, headers, body: undefined },
      {
        async send(outgoing) {
          assertAllowed(outgoing.url);
          const addresses = await rejectOnAbort(destination(outgoing.url), signal);
          return sendRequest(outgoing, { addresses, signal, headersMs: seconds * 1000 });
        },
        redirect: (sent, target) => ({ ...sent, url: target }),
      },
    );
    return response;
  };

  const send = async (url: URL, method: Request['method'], range?: string): Promise<Sent> => {
    const signal = AbortSignal.timeout(seconds * 1000);
    const headers: HeaderList = [
      ['accept', '*/*'],
      ['accept-encoding', 'identity'],
      ['user-agent', 'Cloister'],
      ...(range === undefined ? [] : [['range', range] as const]),
    ];
    try {
      return { response: await follow(url, { method, headers, signal }), signal };
    } catch (error) {
      throw toAppError(error, signal);
    }
  };

  /** The head of an answer, which is all that says whether a file is there and which one. */
  const headOf = async (url: URL): Promise<IncomingMessage> => {
    const { response: head } = await send(url, 'HEAD');
    head.destroy();
    if (!WITHOUT_HEAD.has(head.statusCode ?? 0)) return head;
    const { response: whole } = await send(url, 'GET');
    whole.destroy();
    return whole;
  };

  /** The bytes on their way, with errors that a client may see. */
  const bytesOf = (response: IncomingMessage, signal: AbortSignal): Readable => {
    const chunks = async function* () {
      let count = 0;
      try {
        for await (const chunk of response as AsyncIterable<Buffer>) {
          count += chunk.length;
          if (count > maxBytes) throw new AppError('ORIGIN_FAILED', { message: 'The original is too large' });
          yield chunk;
        }
      } catch (error) {
        throw toAppError(error, signal);
      }
    };
    const stream = Readable.from(chunks(), { objectMode: false });
    onceClosed(stream, () => response.destroy());
    return stream;
  };

  const open = async (url: URL, found: Found, range?: ByteRange): Promise<Readable> => {
    const { response, signal } = await send(url, 'GET', range && rangeHeader(range));
    try {
      const answer = describeResponse(response, found.at, { mayBePart: range !== undefined });
      if (response.statusCode === 206 && range !== undefined) {
        assertPartOfSame(response, answer, found.file);
        assertPartialContent(response, range);
      } else assertSame(answer, found.file);
    } catch (error) {
      response.destroy();
      throw error;
    }
    const bytes = bytesOf(response, signal);
    // A server may ignore ranges.
    return range === undefined || response.statusCode === 206 ? bytes : partOfStream(bytes, range);
  };

  return {
    async find(url) {
      const at = now();
      const file = describeResponse(await headOf(url), at);
      if (file === undefined) return undefined;
      return heldToSize({ ...file, open: (range) => open(url, { file, at }, range) }, changed);
    },
  };
}
