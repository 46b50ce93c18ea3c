// `cloister workspace push` and `pull`: as a whole or not at all, byte for byte, in force in the servers that run.
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeExampleWorkspace } from '../helpers/fixtures/example-workspace.ts';
import { startDeployment, type TestDeployment } from '../helpers/server-process/deployment.ts';
import { spawnCommand } from '../helpers/server-process/server-process.ts';
import { createDatabase, REPLICA_SET, rawClient } from '../helpers/store/mongo-servers.ts';

const ROUTE = { route: 'homepage', branches: [{ recipe: 'thumbnail' }] };
const MARK = '\ufeff';

/** Every file below a folder, with its bytes. */
function filesOf(folder: string): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    files.map((file) => [relative(folder, file), readFileSync(file).toString('base64')]).sort(),
  );
}

describe('The workspace of a database', () => {
  let deployment: TestDeployment;
  let database: ReturnType<typeof createDatabase>;
  let folder: string;

  const run = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const options = { cwd: folder, env: { ...deployment.env, ...env } };
    const { code, said } = await spawnCommand(['workspace', ...args], options).ended;
    return `${code} ${said}`;
  };
  const write = (path: string, text: string) => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const stored = () => rawClient(database.uri).db(database.name).collection('cloister.workspace');

  beforeAll(async () => {
    database = createDatabase(REPLICA_SET ?? '');
    folder = mkdtempSync(join(tmpdir(), 'cloister-push-'));
    const env = { CLOISTER_WORKSPACE_STORE: 'database', CLOISTER_WORKSPACE_PATH: folder };
    deployment = await startDeployment({ uri: database.uri, count: 0, env });
    writeExampleWorkspace(folder);
    renameSync(join(folder, 'workspace'), join(folder, 'site'));
  });

  afterAll(async () => {
    await deployment.close();
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  it('is what a folder was, byte for byte, and the dry run says what would be', async () => {
    write(
      'site/endpoints/1.0/endpoint.marked.js',
      `${MARK}module.exports.get = (req, res) => res.end('"é"');\r\n`,
    );
    write('site/routes/homepage.json', JSON.stringify(ROUTE));
    write('site/hooks/readme.md', 'No server reads this.');
    const dry = await run(['push', 'site', '--dry-run']);
    expect(dry).toMatch(
      /^0 (?:.*\n)*added {4}routes\/homepage\.json\n(?:.*\n)*.* added, .*: nothing was written\n$/,
    );
    expect(await stored().countDocuments()).toBe(0);
    expect(await run(['push', 'site'])).toMatch(/ 0 unchanged; no server runs, the next start does so\n$/);
    rmSync(join(folder, 'site/hooks/readme.md'));
    expect(await run(['pull', 'copy'])).toMatch(/^0 /);
    const { 'config.schema.json': _, ...pushed } = filesOf(join(folder, 'site'));
    expect(filesOf(join(folder, 'copy'))).toEqual(pushed);
    expect(await run(['push', 'copy'])).toMatch(/\n?0 files added, 0 changed, 0 removed, [1-9]/);
  });

  it('takes nothing of a folder in which a file has an error, and names it', async () => {
    cpSync(join(folder, 'site'), join(folder, 'broken'), { recursive: true });
    write('broken/routes/homepage.json', '{"route": "homepage", "branches": 1}');
    write('broken/endpoints/1.0/endpoint.broken.js', 'module.exports.get = (');
    write('broken/hooks/binary.js', '');
    writeFileSync(join(folder, 'broken/hooks/binary.js'), Buffer.from([0xff, 0xfe]));
    write('broken/endpoints/1.0/endpoint.fine.js', `module.exports.get = (req, res) => res.end('1');`);
    const before = await stored().find().toArray();
    const said = await run(['push', 'broken']);
    expect(said).toMatch(/^1 /);
    for (const file of ['routes/homepage.json', 'endpoint.broken.js:1', 'hooks/binary.js: is not UTF-8'])
      expect(said).toContain(join('broken', file.startsWith('endpoint.') ? `endpoints/1.0/${file}` : file));
    expect(said).toContain('nothing was written');
    expect(await stored().find().toArray()).toEqual(before);
  });

  it('is in force in the servers that run when the command ends, and is recorded once', async () => {
    const first = await deployment.add();
    const second = await deployment.add();
    const answer = async (path: string) => {
      const answers = [first, second].map(({ server, token }) =>
        fetch(server.url + path, { headers: { authorization: `Bearer ${token}` } }),
      );
      return (await Promise.all(answers)).map(({ status }) => status);
    };
    write('site/endpoints/1.0/endpoint.late.js', `module.exports.get = (req, res) => res.end('1');`);
    write('site/endpoints/1.0/endpoint.late.policy.json', '{"version": 1, "limits": {"cpuMs": 55}}');
    write(
      'site/collections/1.0/later/collection.things.json',
      '{"fields": {"a": {"type": "String"}}, "settings": {}}',
    );
    expect(await run(['push', 'site'])).toMatch(/in force in all 2 running servers\n$/);
    expect(await answer('/1.0/late')).toEqual([200, 200]);
    expect(await answer('/1.0/later/things')).toEqual([200, 200]);
    const audit = rawClient(database.uri).db(database.name).collection('cloister.audit');
    const entries = await audit.find({ target: /late/ }).toArray();
    expect(entries.map(({ action }) => action).sort()).toEqual(['endpoint.create', 'specification.create']);
  });

  it('keeps what the folder does not have, unless it is to be removed', async () => {
    rmSync(join(folder, 'site/endpoints/1.0/endpoint.late.js'));
    rmSync(join(folder, 'site/endpoints/1.0/endpoint.late.policy.json'));
    expect(await run(['push', 'site'])).toContain(
      'kept     endpoints/1.0/endpoint.late.js (only in the database; --prune removes it)\n',
    );
    expect(await run(['push', 'site', '--prune'])).toContain('removed  endpoints/1.0/endpoint.late.js\n');
    for (const { server, token } of deployment.servers) {
      const headers = { authorization: `Bearer ${token}` };
      await expect.poll(async () => (await fetch(`${server.url}/1.0/late`, { headers })).status).toBe(404);
    }
  });

  it('is written over a folder that is not empty only where that is asked for', async () => {
    write('used/routes/homepage.json', '{}');
    write('used/recipes/mine.json', '{"recipe": "mine", "settings": {"width": 1}}');
    write('used/config.json', '{}');
    expect(await run(['pull', 'used'])).toMatch(/^1 .*is not empty/);
    expect(await run(['pull', 'used', '--overwrite', '--dry-run'])).toContain(
      'changed  routes/homepage.json\n',
    );
    expect(readFileSync(join(folder, 'used/routes/homepage.json'), 'utf8')).toBe('{}');
    expect(await run(['pull', 'used', '--overwrite'])).toContain(
      'kept     recipes/mine.json (only in the folder',
    );
    expect(readFileSync(join(folder, 'used/routes/homepage.json'), 'utf8')).toBe(JSON.stringify(ROUTE));
    expect(await run(['pull', 'used', '--overwrite', '--prune'])).toContain('removed  recipes/mine.json\n');
    const { 'config.json': config, ...rest } = filesOf(join(folder, 'used'));
    expect(config).toBe(Buffer.from('{}').toString('base64'));
    const { 'config.schema.json': _, ...site } = filesOf(join(folder, 'site'));
    expect(rest).toEqual(site);
  });

  it('is written nowhere else than into the folder', async () => {
    const document = { path: 'routes/../../escaped.json', hash: 'x', text: '{}', v: 1 };
    await stored().insertOne(document);
    expect(await run(['pull', 'escape'])).toMatch(/^1 .*has a path that no workspace has/);
    await stored().deleteOne({ path: document.path });
  });

  it('is nothing to move where the workspace is in files', async () => {
    for (const command of ['push', 'pull'])
      expect(await run([command, 'site'], { CLOISTER_WORKSPACE_STORE: 'files' })).toMatch(
        /^1 .*workspace\.store is files: set it to database/,
      );
  });
});
