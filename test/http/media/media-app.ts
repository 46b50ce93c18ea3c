// An application over real stores into which a test puts files and their records without uploading them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createIdSource } from '../../../src/lib/ids.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { openDiskMedia } from '../../../src/stores/disk-media/disk-media.ts';
import type { MediaStore } from '../../../src/stores/media-store.ts';
import { openSqliteDocuments } from '../../../src/stores/sqlite-documents/store.ts';
import { startApp, type TestApp } from '../../helpers/app/app.ts';

interface NewFile {
  /** `images` unless given; `open` needs no token. */
  readonly collection?: 'images' | 'open';
  /** Below the collection. */
  readonly path: string;
  readonly bytes?: string | Buffer;
  readonly mimetype?: string;
  readonly fileName?: string;
}

export interface MediaApp extends TestApp {
  /** Stores a file and its record; resolves with the id. */
  put(file: NewFile): Promise<string>;
  readonly disk: MediaStore;
  /** The folder of the disk store. */
  readonly folder: string;
}

const media = (settings: JsonObject = {}): JsonObject => ({
  fields: { caption: { type: 'String' } },
  settings: { type: 'media', ...settings },
});

/** `wrap` puts something between the application and the disk store. */
export async function startMediaApp(
  config: JsonObject = {},
  wrap: (disk: MediaStore) => MediaStore = (disk) => disk,
): Promise<MediaApp> {
  const root = mkdtempSync(join(tmpdir(), 'cloister-media-'));
  const folder = join(root, 'media');
  const generateId = createIdSource();
  const store = await openSqliteDocuments({ path: join(root, 'data'), queueLimit: 1000 });
  const disk = openDiskMedia({
    path: folder,
    prefix: '',
    log: { error: () => undefined },
    now: Date.now,
    random: () => generateId().slice(8),
  });
  const specs = {
    '1.0/library/images': media(),
    '1.0/library/open': media({ authenticate: false }),
    '1.0/library/books': { fields: { title: { type: 'String' } }, settings: {} },
  };
  const app = await startApp({ specs, config, store, mediaStore: wrap(disk) });
  return {
    ...app,
    disk,
    folder,
    async put({ collection = 'images', path, bytes = 'bytes', mimetype = 'text/plain', fileName }) {
      const key = `1.0/library/${collection}/${path}`;
      const upload = await disk.begin({ candidate: () => key, contentType: mimetype });
      await upload.write(
        (async function* () {
          yield Buffer.from(bytes);
        })(),
      );
      await upload.publish();
      await upload.settle();
      const _id = generateId();
      const about = { fileName: fileName ?? path.split('/').at(-1) ?? '', mimetype, path: key };
      const document = { _id, ...about, contentLength: bytes.length, createdAt: Date.now(), v: 1 };
      await store.commit([{ kind: 'insert', ns: { database: null, collection }, document }]);
      return _id;
    },
    async close() {
      await app.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
