// `cloister media copy`, from the folder to a real bucket and back.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { mediaCopy } from '../../src/cli/media-copy.ts';
import { startApp } from '../helpers/app/app.ts';
import { FORM_TYPE, formOf } from '../helpers/app/media-server.ts';
import { captureIo, createTestStreams, type TestStreams } from '../helpers/server-process/console.ts';
import {
  type BucketAccess,
  isS3ServerInstalled,
  launchS3Server,
  objectsIn,
  type S3Server,
} from '../helpers/store/redis-and-s3.ts';
import { createWorkspace, type Workspace } from '../helpers/temp/workspace.ts';

const PICTURES = '/1.0/library/pictures';
const SPECS = {
  '1.0/library/pictures': { fields: { caption: { type: 'String' } }, settings: { type: 'media' } },
};
const PREFIX = 'workspace/media/';

/** Configures the storage, in the file of the workspace. */
function configure(workspace: Workspace, media: object): void {
  const file = join(workspace.path, 'config.json');
  const config = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...config, media }));
}

async function run(workspace: Workspace, to: string, host: TestStreams = createTestStreams()) {
  const io = captureIo(workspace.cwd, {});
  const code = await mediaCopy({ to }, io, host);
  return { code, said: io.complained, host };
}

/** Uploads files as a client does, and gives their records. */
async function upload(workspace: Workspace, files: Readonly<Record<string, string>>) {
  const app = await startApp({ workspace });
  const parts = Object.entries(files).map(([fileName, body]) => ({ fileName, body, type: 'text/plain' }));
  const answer = await app.inject('POST', PICTURES, {
    body: formOf(parts).toString(),
    headers: { 'content-type': FORM_TYPE },
  });
  await app.close();
  expect(answer.status).toBe(201);
  return (answer.body as { results: Record<string, unknown>[] }).results;
}

/** What the server says of a file, by its id and by the path below its collection. */
async function served(workspace: Workspace, { _id, path }: Record<string, unknown>) {
  const app = await startApp({ workspace });
  const key = String(path).replace(PREFIX, '');
  const answer = await app.inject('GET', `${PICTURES}/${_id}`);
  const [record] = (answer.body as { results: Record<string, unknown>[] }).results;
  const byId = await app.inject('GET', `${PICTURES}/${_id}/file`);
  const byPath = await app.inject('GET', `/${key}`);
  await app.close();
  return { record, bytes: [byId.text, byPath.text] };
}

describe.skipIf(!isS3ServerInstalled())('media copy', () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await launchS3Server();
  });
  afterAll(() => server.stop());

  async function createSite(): Promise<{ workspace: Workspace; s3: BucketAccess }> {
    const workspace = createWorkspace(SPECS);
    onTestFinished(() => workspace.remove());
    const s3 = await server.createBucket();
    configure(workspace, { s3 });
    return { workspace, s3 };
  }

  it('takes files to the bucket and back, and their records with them once the storage is changed', async () => {
    const { workspace, s3 } = await createSite();
    const [record] = await upload(workspace, { 'a b.txt': 'first', 'b.txt': 'second', 'empty.txt': '' });
    expect(await run(workspace, 's3')).toMatchObject({
      code: 0,
      said: ['copied 3 files to s3', expect.stringContaining('set media.storage to s3')],
    });
    expect(await served(workspace, record!)).toEqual({
      record: expect.objectContaining(record!),
      bytes: ['first', 'first'],
    });

    configure(workspace, { storage: 's3', s3 });
    expect((await run(workspace, 's3')).said).toEqual([
      'copied 0 files to s3 (3 files were there already)',
      'updated 3 records',
    ]);
    rmSync(join(workspace.path, 'media'), { recursive: true });
    const moved = await served(workspace, record!);
    expect(moved.bytes).toEqual(['first', 'first']);
    expect(moved.record).toMatchObject({
      path: `${PREFIX}${record!['path']}`,
      cloudUrl: `${s3.endpoint}/${s3.bucketName}/${PREFIX}${String(record!['path']).replace(' ', '%20')}`,
      v: 2,
    });
    expect((await run(workspace, 's3')).said.at(-1)).toBe('updated 0 records');

    configure(workspace, { s3 });
    expect((await run(workspace, 'disk')).said).toEqual(['copied 3 files to disk', 'updated 3 records']);
    const back = await served(workspace, record!);
    expect(back.bytes).toEqual(['first', 'first']);
    expect(back.record).toEqual({ ...moved.record, path: record!['path'], cloudUrl: undefined, v: 3 });
  });

  it('goes on where it stopped, and names what it must not overwrite', async () => {
    const { workspace, s3 } = await createSite();
    const files = join(workspace.path, 'media', '1.0/library/pictures');
    const put = (name: string, text: string) => {
      mkdirSync(dirname(join(files, name)), { recursive: true });
      writeFileSync(join(files, name), text);
    };
    put('a.txt', 'a');
    put('b.txt', 'b');
    await run(workspace, 's3');
    put('b.txt', 'longer');
    put('c.txt', 'c');
    expect(await run(workspace, 's3')).toMatchObject({
      code: 1,
      said: [
        '1.0/library/pictures/b.txt: another file of this name is there: it has 1 bytes, not 6',
        'copied 1 file to s3 (1 file was there already, 1 file could not be copied)',
        expect.anything(),
      ],
    });
    expect(await objectsIn(server.client, s3.bucketName, `${PREFIX}1.0/library/pictures/`)).toEqual([
      ...['a.txt', 'b.txt', 'c.txt'],
    ]);
  });

  it('shows a bar on a terminal', async () => {
    const { workspace } = await createSite();
    await upload(workspace, { 'a.txt': 'first' });
    const { host } = await run(workspace, 's3', createTestStreams('', { terminal: true }));
    expect(host.drawn()).toContain('100% | 1 files');
  });

  it('ends at the first signal, and may be repeated', async () => {
    const { workspace, s3 } = await createSite();
    await upload(workspace, { 'a.txt': 'first' });
    const host = createTestStreams();
    const done = run(workspace, 's3', host);
    host.emit('SIGINT');
    const { code, said } = await done;
    expect([code, said.at(-1)]).toEqual([1, 'cloister: media copy: stopped; it may be repeated']);
    expect((await run(workspace, 's3')).code).toBe(0);
    expect(await objectsIn(server.client, s3.bucketName, PREFIX)).toHaveLength(1);
  });

  it('says which settings of the bucket are missing, and what is wrong with them', async () => {
    const { workspace, s3 } = await createSite();
    configure(workspace, { s3: { bucketName: 'pictures' } });
    expect((await run(workspace, 's3')).said).toEqual([
      'cloister: media copy: media.s3.accessKey, media.s3.secretKey, media.s3.region must be set: one end of the copy is the bucket',
    ]);
    configure(workspace, { s3: { ...s3, bucketName: 'missing' } });
    await upload(workspace, { 'a.txt': 'first' });
    const { code, said } = await run(workspace, 's3');
    expect(code).toBe(1);
    expect(said.at(-1)).toBe(
      'cloister: media copy: the media store cannot be used (failed): The specified bucket does not exist.',
    );
    expect(said.join()).not.toContain(s3.secretKey);
  });
});
