// SIGKILL during uploads, again and again: every acknowledged upload is there with its exact bytes, whatever is listed can
// be read and is whole, and nothing else is left of uploads that were cut off.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FORM_TYPE, formOf } from '../helpers/app/media-server.ts';
import { type Client, connectClient } from '../helpers/server-process/client.ts';
import { freePort, type ServerProcess, spawnServer } from '../helpers/server-process/server-process.ts';
import { seededRandom } from '../helpers/store/tracked-writer.ts';
import { filesBelow } from '../helpers/temp/folders.ts';
import { createWorkspace } from '../helpers/temp/workspace.ts';

const KILLS = 12;
const UPLOADERS = 4;
const LONGEST_RUN_MS = 250;
const MAX_BYTES = 400_000;
const SEED = 20_260_102;
const PICTURES = '/1.0/library/pictures';
const SPEC = { fields: { caption: { type: 'String' } }, settings: { type: 'media' } } as const;

interface Listed {
  readonly _id: string;
  readonly path: string;
  readonly originalFileName: string;
  readonly contentLength: number;
}

/** The bytes of a file follow from its name, which also says how many there are. */
function bytesOf(name: string): Buffer {
  const size = Number(/-(\d+)\.bin$/.exec(name)?.[1]);
  return Buffer.alloc(size, createHash('sha256').update(name).digest());
}

interface Uploader {
  readonly url: string;
  readonly token: string;
  readonly random: () => number;
  /** Gets the ids. */
  readonly acknowledged: Set<string>;
  readonly times?: number;
}

/** Uploads one or two files at a time until the connection breaks, and notes the ids of what was acknowledged. */
async function upload({ url, token, random, acknowledged, times = Number.POSITIVE_INFINITY }: Uploader) {
  for (let time = 0; time < times; time += 1) {
    const names = Array.from({ length: random() < 0.3 ? 2 : 1 }, () => {
      // Few names, so that many clash.
      return `${Math.floor(random() * 5)}-${Math.floor(random() * random() * MAX_BYTES)}.bin`;
    });
    const form = formOf(names.map((fileName) => ({ fileName, body: bytesOf(fileName) })));
    const headers = { authorization: `Bearer ${token}`, 'content-type': FORM_TYPE };
    try {
      const answer = await fetch(url + PICTURES, { method: 'POST', headers, body: new Uint8Array(form) });
      const { results } = (await answer.json()) as { results: readonly Listed[] };
      expect(answer.status).toBe(201);
      for (const { _id } of results) acknowledged.add(_id);
    } catch (error) {
      if (error instanceof TypeError || error instanceof SyntaxError) return;
      throw error;
    }
  }
}

async function list(client: Client): Promise<readonly Listed[]> {
  const found: Listed[] = [];
  for (let page = 1; ; page += 1) {
    const { body } = await client.request('GET', `${PICTURES}?count=1000&page=${page}`);
    found.push(...body.results);
    if (page >= body.metadata.totalPages) return found;
  }
}

describe('SIGKILL during uploads', () => {
  it(`loses nothing that was acknowledged and leaves nothing else, ${KILLS} times`, async () => {
    const workspace = createWorkspace({ '1.0/library/pictures': SPEC });
    const media = join(workspace.path, 'media');
    const port = await freePort();
    const random = seededRandom(SEED);
    const acknowledged = new Set<string>();
    const read = new Set<string>();
    let left = 0;
    let server: ServerProcess | undefined;

    const audit = async (url: string, client: Client) => {
      // The sweep goes on behind the start.
      await expect.poll(() => filesBelow(join(media, '.uploads')), { interval: 20 }).toEqual([]);
      const listed = await list(client);
      expect(filesBelow(media)).toEqual(listed.map(({ path }) => path).sort());
      const ids = new Set(listed.map(({ _id }) => _id));
      expect([...acknowledged].filter((id) => !ids.has(id))).toEqual([]);
      for (const { _id, originalFileName, contentLength } of listed.filter(({ _id }) => !read.has(_id))) {
        const headers = { authorization: `Bearer ${client.token}` };
        const answer = await fetch(`${url}${PICTURES}/${_id}/file`, { headers });
        const bytes = Buffer.from(await answer.arrayBuffer());
        const expected = bytesOf(originalFileName);
        expect([answer.status, contentLength, bytes.equals(expected)]).toEqual([200, expected.length, true]);
        read.add(_id);
      }
    };

    try {
      for (let kill = 0; kill < KILLS || acknowledged.size <= KILLS; kill += 1) {
        server = await spawnServer({ cwd: workspace.cwd, port });
        const client = await connectClient(server.url);
        await audit(server.url, client);
        const uploader = { url: server.url, token: client.token, random, acknowledged };
        // The first waits for the threads that read images.
        await upload({ ...uploader, times: 1 });
        const uploading = Promise.all(Array.from({ length: UPLOADERS }, () => upload(uploader)));
        await Promise.race([uploading, pause(5 + random() * LONGEST_RUN_MS)]);
        await server.stop('SIGKILL');
        await uploading;
        left += filesBelow(join(media, '.uploads')).length;
      }
      server = await spawnServer({ cwd: workspace.cwd, port });
      await audit(server.url, await connectClient(server.url));
      // Otherwise no kill came during an upload, and nothing was shown.
      expect(left).toBeGreaterThan(0);
    } finally {
      await server?.stop('SIGKILL');
      workspace.remove();
    }
  });
});
