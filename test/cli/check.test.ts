import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { check } from '../../src/cli/check.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { captureIo } from '../helpers/server-process/console.ts';
import { createWorkspace, type Workspace } from '../helpers/temp/workspace.ts';

let workspace: Workspace | undefined;
afterEach(() => workspace?.remove());

const BOOKS = { fields: { title: { type: 'String' } }, settings: {} };

async function run(specs: Record<string, JsonObject>, config: JsonObject = {}) {
  workspace = createWorkspace(specs, config);
  const io = captureIo(workspace.cwd);
  return { code: await check({}, io), lines: io.printed };
}

describe('the check command', () => {
  it('has one line for a good workspace', async () => {
    expect(await run({ '1.0/library/books': BOOKS })).toEqual({ code: 0, lines: ['all is well'] });
  });

  it('names file and line of every problem, of configuration and specifications', async () => {
    const broken = { fields: { title: { type: 'Text' } } };
    const { code, lines } = await run({ '1.0/library/books': broken }, { server: { port: 'x' } });
    expect(code).toBe(1);
    expect(lines).toContain('workspace/config.json:3: server.port must be a whole number');
    expect(lines.join('\n')).toMatch(
      /^workspace\/collections\/1\.0\/library\/collection\.books\.json:\d+: .*title/m,
    );
  });

  it('lets warnings pass', async () => {
    const { code, lines } = await run({ '1.0/library/books': BOOKS }, { sever: {} });
    expect(code).toBe(0);
    expect(lines).toEqual([
      'warning: workspace/config.json:2: sever is not a setting; did you mean server?',
      'no errors, 1 warning',
    ]);
  });

  it('names file and line of every problem of the media block', async () => {
    const media = {
      basePath: 'data',
      tokenSecret: 'short',
      tokenExpiresIn: 'soon',
      storgae: 's3',
      s3: { endpoint: 'https://a:b@s3.example.org/x', bucketName: 'My Bucket' },
    };
    const { code, lines } = await run({ '1.0/library/books': BOOKS }, { media });
    expect(code).toBe(1);
    expect(lines.map((line) => line.replace(/ must .*/, ' must …'))).toEqual([
      'workspace/config.json:4: media.tokenSecret must …',
      'workspace/config.json:5: media.tokenExpiresIn must …',
      'workspace/config.json:8: media.s3.endpoint must …',
      'workspace/config.json:9: media.s3.bucketName must …',
      'warning: workspace/config.json:6: media.storgae is not a setting; did you mean media.storage?',
      expect.stringContaining('warning: '),
    ]);
    workspace?.remove();
    expect(await run({ '1.0/library/books': BOOKS }, { media: { basePath: 'data' } })).toEqual({
      code: 1,
      lines: ['workspace/config.json:3: media.basePath must not be or contain the folder of the database'],
    });
    workspace?.remove();
    const s3 = { basePath: '../media', storage: 's3', s3: { endpoint: 'http://localhost:9000' } };
    expect((await run({}, { media: s3 })).lines.slice(0, 4)).toEqual([
      expect.stringContaining('media.s3.accessKey is missing'),
      expect.stringContaining('media.s3.secretKey is missing'),
      expect.stringContaining('media.s3.bucketName is missing'),
      expect.stringContaining('workspace/config.json:3: media.basePath must have no `..`'),
    ]);
  });

  it('reports a specification that is not JSON', async () => {
    workspace = createWorkspace({ '1.0/library/books': BOOKS });
    writeFileSync(
      join(workspace.path, 'collections/1.0/library/collection.books.json'),
      '{\n"fields": {,}\n}',
    );
    const io = captureIo(workspace.cwd);
    expect(await check({}, io)).toBe(1);
    expect(io.printed[0]).toMatch(/collection\.books\.json:2: /);
  });

  it('reads the connection string as the start does, repeats none of it and asks no server', async () => {
    const databaseAt = (uri: string) => ({ database: { engine: 'mongodb', mongodb: { uri } } });
    const specs = { '1.0/library/books': BOOKS };
    const { code, lines } = await run(specs, databaseAt('mongodb://someone:hunter2@127.0.0.1:99999/x'));
    expect([code, lines]).toEqual([
      1,
      [expect.stringMatching(/^database\.mongodb\.uri cannot be read: a host, a port/)],
    ]);
    const away = await run(specs, databaseAt('mongodb://127.0.0.1:9/x'));
    expect(away).toEqual({ code: 0, lines: ['all is well'] });
  });

  it('does not look into a workspace in a database while the settings are wrong', async () => {
    const { code, lines } = await run(
      { '1.0/library/books': { fields: 5 } },
      { database: { engine: 'sqlite' }, workspace: { store: 'database' } },
    );
    expect(code).toBe(1);
    expect(lines).toEqual([expect.stringMatching(/^workspace\/config\.json:\d+: workspace\.store /)]);
  });

  it('wants the workspace to be there', async () => {
    workspace = createWorkspace();
    const io = captureIo(workspace.cwd);
    expect(await check({ workspace: 'elsewhere' }, io)).toBe(1);
    expect(io.printed).toEqual(['elsewhere: there is no such folder']);
  });

  describe('of posted code', () => {
    async function runWith(files: Record<string, string>, config: JsonObject = {}) {
      const hooks = { beforeCreate: ['slug', 'nobody'] };
      workspace = createWorkspace({ '1.0/library/books': { ...BOOKS, settings: { hooks } } }, config);
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(workspace.path, path)), { recursive: true });
        writeFileSync(join(workspace.path, path), text);
      }
      const io = captureIo(workspace.cwd);
      return { code: await check({}, io), lines: io.printed };
    }

    it('evaluates it, and names file and line of what is wrong', async () => {
      const { code, lines } = await runWith({
        'hooks/slug.js': 'module.exports = (obj) => obj;',
        'hooks/slug.policy.json': '{\n  "limits": { "cpuMs": 999999999 }\n}',
        'endpoints/1.0/endpoint.good.js': 'module.exports.get = (req, res) => res.end();',
        'endpoints/1.0/endpoint.broken.js': 'module.exports.get = () => {\n  const = 5;\n};',
        'endpoints/1.0/endpoint.throws.js': 'throw new Error("at load");',
        'endpoints/1.0/endpoint.library.js': 'module.exports.get = (req, res) => res.end();',
      });
      expect(code).toBe(1);
      expect(lines).toEqual([
        expect.stringMatching(
          /^warning: workspace\/collections\/1\.0\/library\/collection\.books\.json:\d+: beforeCreate: there is no hook `nobody`$/,
        ),
        expect.stringMatching(/^workspace\/endpoints\/1\.0\/endpoint\.broken\.js:2: /),
        expect.stringMatching(
          /^workspace\/endpoints\/1\.0\/endpoint\.library\.js: name `library` is the name/,
        ),
        expect.stringMatching(/^workspace\/endpoints\/1\.0\/endpoint\.throws\.js:1: .*at load/),
        expect.stringMatching(/^workspace\/hooks\/slug\.policy\.json:2: limits\.cpuMs must be/),
      ]);
    });

    it('compiles it where custom code is switched off, and says so', async () => {
      const files = { 'hooks/slug.js': 'module.exports = 1', 'hooks/nobody.js': 'module.exports = 1' };
      const { code, lines } = await runWith(files, { sandbox: { enabled: false } });
      expect(code).toBe(0);
      expect(lines[0]).toMatch(/^warning: workspace\/endpoints: no process of the sandbox starts here/);
      expect(lines.at(-1)).toBe('no errors, 1 warning');
    });

    it('waits for the configuration and the policy limits', async () => {
      const files = { 'hooks/slug.js': '}', 'hooks/nobody.js': '}' };
      const wrong = await runWith(files, { server: { port: 'x' } });
      expect(wrong.lines.at(-1)).toBe(
        'warning: endpoints, hooks and policies are looked at once the configuration is right',
      );
      const ceilings = { ...files, 'ceilings.json': '{"limits": {"cpuMs": "much"}}' };
      const { code, lines } = await runWith(ceilings, {
        sandbox: { policyFile: 'workspace/ceilings.json' },
      });
      expect(code).toBe(1);
      expect(lines[0]).toMatch(/^workspace\/ceilings\.json: limits\.cpuMs must be/);
      expect(lines).toHaveLength(2);
    });
  });
});
