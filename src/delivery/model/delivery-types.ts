// The words that the parts of delivery share: who asks, what a route decides, where bytes come from. Types only.
import type { Readable } from 'node:stream';
import type { ByteRange } from '../../stores/media-store.ts';

/** What a condition can ask about. */
export type VisitorFact = 'device' | 'language' | 'country' | 'network';

/** The request as conditions see it. */
export interface Visitor {
  /** Header values; empty when absent. */
  readonly userAgent: string;
  readonly acceptLanguage: string;
  /** Address of the client after `server.trustProxy`, without port or zone. */
  readonly ip: string;
  /** In place of what the address tells, where somebody asks about a visitor of his own making. */
  readonly country?: string;
  readonly network?: string;
}

/** The outcome of a route for one visitor. */
export interface RouteDecision {
  /** Name of the recipe; null when no branch matches. */
  readonly recipe: string | null;
  /** What was looked at on the way: decides `Vary` and whether the answer is private. */
  readonly consulted: ReadonlySet<VisitorFact>;
  /** Seconds for which the decision holds, where a lookup failed. */
  readonly maxAge?: number;
}

/** A file that a source offers. */
export interface OriginalFile {
  /** Bytes; undefined where a remote server does not say. */
  readonly size: number | undefined;
  /** Epoch milliseconds, where known. */
  readonly modifiedAt: number | undefined;
  /** Changes whenever the bytes change: part of ETags and of the keys of cached variants. */
  readonly validator: string;
  /** Media type that the source declares; undefined: by the extension. */
  readonly contentType: string | undefined;
  /** The caller reads or destroys the stream. */
  open(range?: ByteRange): Promise<Readable>;
}

/** Where originals come from. */
export interface OriginalSource {
  /** Undefined when the source has no such file. `path` is decoded, relative and free of `.` and `..`. */
  find(path: string): Promise<OriginalFile | undefined>;
}
