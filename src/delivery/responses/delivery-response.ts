// Types of a delivered response and of the request headers that shape it.
import type { Readable } from 'node:stream';
import type { Conditions } from '../../lib/http/conditional.ts';

/** The headers of a request that decide how a file is sent. */
export interface FileRequest extends Pick<Conditions, 'ifNoneMatch' | 'ifModifiedSince'> {
  readonly acceptEncoding: string | undefined;
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
}

export interface DeliveryResponse {
  readonly status: 200 | 206 | 304 | 404 | 416;
  readonly headers: Readonly<Record<string, string>>;
  /** Opens the body, which is then to be read or destroyed; bytes where it is in memory; undefined where there is none. */
  readonly body: (() => Promise<Readable>) | Buffer | undefined;
}

/** Headers that follow from how the file was chosen. */
export interface CacheOptions {
  readonly cacheControl: string;
  /** Names of the request headers that were looked at. */
  readonly vary: readonly string[];
}
