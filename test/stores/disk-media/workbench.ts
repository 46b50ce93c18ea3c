// Media stores in folders of a test's own.
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openDiskMedia } from '../../../src/stores/disk-media/disk-media.ts';
import type { MediaStore } from '../../../src/stores/media-store.ts';
import type { OpenedMedia } from '../../contracts/media-cases.ts';
import { filesBelow } from '../../helpers/temp/folders.ts';

const STORE = new URL('../../../src/stores/disk-media/disk-media.ts', import.meta.url).href;

export interface LogLine {
  readonly fields: unknown;
  readonly message: string;
}

/** A store on this folder; its log lines are put into `lines`. */
export function diskMedia(path: string, lines: LogLine[] = []): MediaStore {
  return openDiskMedia({
    path,
    prefix: 'workspace/media/',
    log: {
      error: (fields: unknown, message?: string) => void lines.push({ fields, message: message ?? '' }),
    },
    now: Date.now,
    random: () => randomBytes(8).toString('hex'),
  });
}

/** An empty store for the contract. */
export async function openInFolder(): Promise<OpenedMedia> {
  const root = await mkdtemp(join(tmpdir(), 'cloister-media-'));
  const path = join(root, 'media');
  return {
    store: diskMedia(path),
    another: () => diskMedia(path),
    program: `
      const { openDiskMedia } = await import(${JSON.stringify(STORE)});
      const { randomBytes } = await import('node:crypto');
      const store = openDiskMedia({
        path: ${JSON.stringify(path)}, prefix: 'workspace/media/', log: console, now: Date.now,
        random: () => randomBytes(8).toString('hex'),
      });
    `,
    async put(key, bytes) {
      await mkdir(dirname(join(path, key)), { recursive: true });
      await writeFile(join(path, key), bytes);
    },
    everything: async () => filesBelow(root).map((file) => file.slice('media/'.length)),
    dispose: () => rm(root, { recursive: true, force: true }),
  };
}
