import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createModuleFiles, type ModuleFile } from '../../../src/modules/lifecycle/module-files.ts';
import { createFolderWorkspace } from '../../../src/stores/folder-workspace.ts';
import { temporaryFolder } from '../../helpers/temp/folders.ts';
import { endpoint, hook } from '../open-modules.ts';

async function open() {
  const root = await temporaryFolder();
  const folders = { endpoints: join(root, 'endpoints'), hooks: join(root, 'hooks') };
  const files = createModuleFiles({ workspace: createFolderWorkspace(), folders, maxBytes: 1000 });
  const lay = async (path: string, content: string | Buffer) => {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), content);
  };
  return { root, files, lay };
}

describe('module files', () => {
  it('are listed with the address of their name', async () => {
    const { root, files, lay } = await open();
    expect(await files.list()).toEqual([]);
    const names = [
      ...['hooks/slugify.js', 'hooks/slugify.policy.json', 'hooks/a.b.js', 'hooks/readme.md', 'hooks/.js'],
      ...['endpoints/1.0/endpoint.report.js', 'endpoints/1.0/endpoint.report.policy.json'],
      ...['endpoints/1.0/result-frame.js', 'endpoints/1.0/endpoint.search.js', 'endpoints/1.0/endpoint..js'],
      ...['endpoints/api/endpoint.x.js', 'endpoints/endpoint.x.js', 'endpoints/1.0/deep/endpoint.x.js'],
    ];
    for (const name of names) await lay(name, 'x');
    expect((await files.list()).map(({ address, part, file }) => [address.name, part, file])).toEqual([
      ['slugify', 'code', join(root, 'hooks/slugify.js')],
      ['slugify', 'policy', join(root, 'hooks/slugify.policy.json')],
      ['report', 'code', join(root, 'endpoints/1.0/endpoint.report.js')],
      ['report', 'policy', join(root, 'endpoints/1.0/endpoint.report.policy.json')],
    ]);
    for (const { address, part, file } of await files.list()) expect(files.fileOf(address, part)).toBe(file);
  });

  it('are read as text without a byte order mark', async () => {
    const { files, lay } = await open();
    await lay('hooks/a.js', '\ufeffé');
    expect(await files.read(hook('a'), 'code')).toEqual({ state: 'text', text: 'é' });
    expect(await files.read(hook('a'), 'policy')).toEqual({ state: 'absent' });
    expect(await files.read(endpoint('a'), 'code')).toEqual({ state: 'absent' });
  });

  it('are unreadable when they are not text, not files, or too large', async () => {
    const { root, files, lay } = await open();
    await lay('hooks/binary.js', Buffer.from([0xff, 0xfe, 0x00]));
    await lay('hooks/large.js', 'x'.repeat(1004));
    await mkdir(join(root, 'hooks/folder.js'));
    const server = createServer().listen(join(root, 'hooks/socket.js'));
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const why = async (name: string) => {
      const found = await files.read(hook(name), 'code');
      return found.state === 'unreadable' ? found.why : found.state;
    };
    expect(await why('binary')).toMatch(/ENCODING_INVALID|UTF-8/);
    expect(await why('large')).toBe('it has more than 1000 bytes');
    expect(await why('folder')).toBe('it is not a file');
    expect(await why('socket')).toBe('it is not a file');
  });

  it('report changes of others once, and none of the server itself', async () => {
    const { files, lay } = await open();
    await files.write(hook('a'), 'code', 'one');
    expect(await files.readIfChanged(hook('a'), 'code')).toBeUndefined();
    await lay('hooks/a.js', 'two');
    expect(await files.readIfChanged(hook('a'), 'code')).toEqual({ state: 'text', text: 'two' });
    expect(await files.readIfChanged(hook('a'), 'code')).toBeUndefined();
    await files.remove(hook('a'), 'code');
    await files.remove(hook('a'), 'code');
    expect(await files.readIfChanged(hook('a'), 'code')).toBeUndefined();
    await lay('hooks/a.js', 'x'.repeat(2000));
    expect(await files.readIfChanged(hook('a'), 'code')).toMatchObject({ state: 'unreadable' });
    expect(await files.readIfChanged(hook('a'), 'code')).toBeUndefined();
  });

  it('keep the known text when a write fails', async () => {
    const { root, files } = await open();
    await mkdir(join(root, 'hooks/a.js'), { recursive: true });
    await expect(files.write(hook('a'), 'code', 'one')).rejects.toMatchObject({
      code: 'WORKSPACE_UNAVAILABLE',
    });
    expect(await files.readIfChanged(hook('a'), 'code')).toMatchObject({ state: 'unreadable' });
  });

  it('are watched in both folders', async () => {
    const { files, lay } = await open();
    const named: ModuleFile[] = [];
    const end = await files.watch(
      (file) => void named.push(file),
      () => expect.unreachable(),
    );
    onTestFinished(end);
    await lay('endpoints/1.0/other.js', 'x');
    await lay('endpoints/1.0/endpoint.report.policy.json', 'x');
    await lay('hooks/slugify.js', 'x');
    await expect
      .poll(() => named.map(({ address, part }) => `${address.name} ${part}`).sort())
      .toEqual(['report policy', 'slugify code']);
  });
});
