// Files on their way to the server: a few at a time, each with how much has been sent, and with what the server said.

import type { StoredDocument } from '../../api/types-collections.ts';
import type { FormFields, SendFile } from '../../parts/files/send-file.ts';

/** Files that are sent at a time. */
const MAX_SENDING = 2;

export type UploadState = 'waiting' | 'sending' | 'stored' | 'failed' | 'stopped';

export interface Upload {
  readonly id: number;
  readonly file: File;
  readonly state: UploadState;
  /** What has been sent, from 0 to 1. */
  readonly part: number;
  readonly error?: unknown;
  readonly record?: StoredDocument;
}

interface UploadQueueOptions {
  readonly send: SendFile;
  /** A file has been stored. */
  readonly onStored: () => void;
}

export interface UploadQueue {
  readonly subscribe: (listener: () => void) => () => void;
  readonly uploads: () => readonly Upload[];
  add(files: readonly File[], fields: FormFields): void;
  /** Sends one again that failed or was stopped. */
  retry(id: number, fields: FormFields): void;
  stop(id: number): void;
  stopAll(): void;
}

export function createUploadQueue({ send, onStored }: UploadQueueOptions): UploadQueue {
  let uploads: readonly Upload[] = [];
  let lastId = 0;
  const fieldsOf = new Map<number, FormFields>();
  const controllers = new Map<number, AbortController>();
  const listeners = new Set<() => void>();
  const change = (id: number, next: Partial<Upload>) => {
    uploads = uploads.map((upload) => (upload.id === id ? { ...upload, ...next } : upload));
    for (const listener of listeners) listener();
  };
  const start = async ({ id, file }: Upload): Promise<void> => {
    const controller = new AbortController();
    const { signal } = controller;
    controllers.set(id, controller);
    change(id, { state: 'sending', part: 0, error: undefined });
    try {
      const record = await send(file, fieldsOf.get(id) ?? [], {
        signal,
        onProgress: (part) => change(id, { part }),
      });
      change(id, { state: 'stored', part: 1, ...(record && { record }) });
      onStored();
    } catch (error) {
      change(id, signal.aborted ? { state: 'stopped' } : { state: 'failed', error });
    } finally {
      controllers.delete(id);
      next();
    }
  };
  const next = () => {
    const waiting = uploads.filter(({ state }) => state === 'waiting');
    for (const upload of waiting.slice(0, Math.max(0, MAX_SENDING - controllers.size))) void start(upload);
  };
  const stop = (id: number) => {
    const controller = controllers.get(id);
    if (controller === undefined) change(id, { state: 'stopped' });
    else controller.abort();
  };
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    uploads: () => uploads,
    add(files, fields) {
      const added = files.map((file): Upload => {
        lastId += 1;
        fieldsOf.set(lastId, fields);
        return { id: lastId, file, state: 'waiting', part: 0 };
      });
      uploads = [...uploads, ...added];
      for (const listener of listeners) listener();
      next();
    },
    retry(id, fields) {
      fieldsOf.set(id, fields);
      change(id, { state: 'waiting', part: 0 });
      next();
    },
    stop,
    stopAll() {
      for (const { id, state } of uploads) if (state === 'waiting') stop(id);
      for (const id of [...controllers.keys()]) stop(id);
    },
  };
}
