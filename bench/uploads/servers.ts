// The two that store uploads, each in a process of its own, in folders of the same disk.
import { join } from 'node:path';
import { createWorkspace } from '../../test/helpers/temp/workspace.ts';
import { type RunningServer, startCloister, startProgram } from '../servers.ts';

export const PICTURES = '/1.0/bench/pictures';
export const BOOKS = '/1.0/bench/books';
export const BARE_UPLOAD = '/upload';

const SPECIFICATIONS = {
  '1.0/bench/pictures': { fields: { caption: { type: 'String' } }, settings: { type: 'media' } },
  '1.0/bench/books': { fields: { title: { type: 'String' } }, settings: { count: 20 } },
};
const BOOK_COUNT = 1000;
const MAX_FILE_BYTES = 4_294_967_296;

/** Cloister with a media collection and a thousand books. `sync`: `media.sync`. */
export async function startUploads({ sync = true } = {}): Promise<RunningServer> {
  const server = await startCloister(SPECIFICATIONS, { media: { maxFileSize: MAX_FILE_BYTES, sync } });
  const books = Array.from({ length: BOOK_COUNT }, (_, n) => ({ title: `Book ${n}` }));
  await server.client.request('POST', BOOKS, books);
  return server;
}

/** A bare Fastify that writes the files of forms to a folder. */
export async function startBare(): Promise<RunningServer> {
  const workspace = createWorkspace();
  const script = join(import.meta.dirname, 'bare-server.ts');
  const server = await startProgram({
    command: (port) => [process.execPath, script, workspace.cwd, String(port)],
    path: '/health',
  });
  return {
    ...server,
    async stop() {
      await server.stop();
      workspace.remove();
    },
  };
}
