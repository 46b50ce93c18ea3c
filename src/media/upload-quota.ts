// What all uploads together may take: how many are under way, also of one client, and the bytes of files that are not stored yet.
// One signed URL has one upload under way.

import type { Config } from '../config/schema.ts';
import { AppError } from '../errors/errors.ts';
import { tokenUsedError } from './used-upload-tokens.ts';

/** Characters of text fields that all forms under way may hold in memory. */
const MAX_TEXT = 67_108_864;

export type UploadLimits = Pick<Config['limits'], 'uploads' | 'uploadsPerClient' | 'stagedBytes'>;

export interface UploadToAdmit {
  /** The client that uploads, or that signed; null for one without a name. */
  readonly clientId: string | null;
  /** Of a signed upload. */
  readonly tokenId: string | undefined;
  /** What the request says about the length of its body, in bytes; 0 where it says nothing. */
  readonly declaredBytes: number;
}

/** The place of one upload among all. */
export interface UploadPlace {
  /** Counts bytes that were received. Throws UPLOADS_FULL beyond `limits.stagedBytes`. */
  take(bytes: number): void;
  /** Counts characters of a text field, which stay in memory. Throws UPLOADS_FULL where those of all forms are too many. */
  hold(characters: number): void;
  /** Gives back everything. Call it once nothing of the upload is staged any more. */
  leave(): void;
}

const full = (message: string) => new AppError('UPLOADS_FULL', { message });

/** The uploads of this process. */
export class UploadQuota {
  readonly #limits: UploadLimits;
  readonly #tokens = new Set<string>();
  readonly #byClient = new Map<string | null, number>();
  #uploads = 0;
  #bytes = 0;
  #text = 0;

  constructor(limits: UploadLimits) {
    this.#limits = limits;
  }

  /**
   * Admits an upload. Throws UPLOAD_TOKEN_USED while another one with the same token is under way, UPLOADS_FULL where one of the
   * limits is reached: before a byte of the form is read.
   */
  enter({ clientId, tokenId, declaredBytes }: UploadToAdmit): UploadPlace {
    const { uploads, uploadsPerClient } = this.#limits;
    if (tokenId !== undefined && this.#tokens.has(tokenId)) {
      throw tokenUsedError('An upload to this signed URL is under way');
    }
    const ofClient = this.#byClient.get(clientId) ?? 0;
    if (this.#uploads >= uploads) throw full('Too many uploads are under way (`limits.uploads`)');
    if (ofClient >= uploadsPerClient) {
      throw full('Too many uploads of this client are under way (`limits.uploadsPerClient`)');
    }
    this.#assertFits(declaredBytes, 0);
    this.#uploads += 1;
    this.#byClient.set(clientId, ofClient + 1);
    if (tokenId !== undefined) this.#tokens.add(tokenId);
    let taken = 0;
    let held = 0;
    return {
      take: (bytes) => {
        this.#assertFits(bytes, taken);
        this.#bytes += bytes;
        taken += bytes;
      },
      hold: (characters) => {
        if (this.#text + characters > MAX_TEXT)
          throw full('The fields of forms under way take too much memory');
        this.#text += characters;
        held += characters;
      },
      leave: () => {
        this.#uploads -= 1;
        this.#bytes -= taken;
        this.#text -= held;
        if (tokenId !== undefined) this.#tokens.delete(tokenId);
        const left = (this.#byClient.get(clientId) ?? 0) - 1;
        if (left > 0) this.#byClient.set(clientId, left);
        else this.#byClient.delete(clientId);
      },
    };
  }

  /** Uploads under way, and the bytes of their files. */
  status(): { readonly running: number; readonly bytes: number } {
    return { running: this.#uploads, bytes: this.#bytes };
  }

  /** An upload that has `own` bytes may have as many as its form, as long as it is the only one that has any. */
  #assertFits(bytes: number, own: number): void {
    if (this.#bytes === own || this.#bytes + bytes <= this.#limits.stagedBytes) return;
    throw full('The files of uploads that are under way take too much room (`limits.stagedBytes`)');
  }
}
