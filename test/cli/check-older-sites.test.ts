// What `cloister check` says of a site that was made for an older server, where nothing else would say a word.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { check } from '../../src/cli/check.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { captureIo } from '../helpers/server-process/console.ts';
import { createWorkspace, type Workspace } from '../helpers/temp/workspace.ts';

let workspace: Workspace | undefined;
afterEach(() => workspace?.remove());

const BOOKS = { fields: { title: { type: 'String' } }, settings: { hooks: { beforeCreate: ['unique'] } } };
const UNIQUE = `
const { Model } = require('@dadi/api');
module.exports = (obj, type, data) => new Promise((resolve, reject) => {
  Model(data.collection).find({ title: obj.title }, {}, (error, found) => (error ? reject(error) : resolve(obj)));
});`;

async function run(
  {
    specs = {},
    config = {},
    files = {},
  }: { specs?: Record<string, JsonObject>; config?: JsonObject; files?: Record<string, string> },
  flags: Parameters<typeof check>[0] = {},
) {
  workspace = createWorkspace(specs, config);
  for (const [name, text] of Object.entries(files)) {
    const file = join(workspace.cwd, 'workspace', name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const io = captureIo(workspace.cwd);
  return { code: await check(flags, io), lines: io.printed };
}

describe('a hook that calls Model', () => {
  const site = { specs: { '1.0/library/books': BOOKS }, files: { 'hooks/unique.js': UNIQUE } };

  it('and has no policy is named, with the collections that it needs', async () => {
    const { code, lines } = await run(site);
    expect([code, lines[0]]).toEqual([
      0,
      'warning: workspace/hooks/unique.js: calls `Model`, and needs a policy beside it, `unique.policy.json`, that grants 1.0/library/books; `cloister check --write-policies` writes it',
    ]);
    expect(existsSync(join(workspace!.cwd, 'workspace/hooks/unique.policy.json'))).toBe(false);
  });

  it('gets its policy from `--write-policies`, and is in order after that', async () => {
    const { lines } = await run(site, { 'write-policies': true });
    expect(lines[0]).toContain('`unique.policy.json` was written: it grants 1.0/library/books');
    const text = readFileSync(join(workspace!.cwd, 'workspace/hooks/unique.policy.json'), 'utf8');
    expect(JSON.parse(text)).toEqual({
      version: 1,
      grants: { collections: [{ name: '1.0/library/books', actions: ['find'] }] },
    });
    const io = captureIo(workspace!.cwd);
    expect([await check({}, io), io.printed]).toEqual([0, ['all is well']]);
  });

  it('and has a policy keeps it, and is told what that lacks', async () => {
    const policy = '{"grants":{"collections":[]}}';
    const files = { ...site.files, 'hooks/unique.policy.json': policy };
    const { lines } = await run({ ...site, files }, { 'write-policies': true });
    expect(lines[0]).toMatch(/that grants 1\.0\/library\/books$/);
    expect(readFileSync(join(workspace!.cwd, 'workspace/hooks/unique.policy.json'), 'utf8')).toBe(policy);
  });
});

describe('the configuration of an older server', () => {
  it('that names folders from another place is told where they would be', async () => {
    const { code, lines } = await run({
      specs: { '1.0/library/books': { fields: { a: {} }, settings: {} } },
      config: { paths: { collections: 'workspace/collections', hooks: 'hooks' } },
    });
    expect(code).toBe(0);
    expect(lines.filter((line) => line.includes('paths.'))).toEqual([
      expect.stringMatching(
        /config\.json:\d+: paths\.collections names a folder that is not there, workspace\/workspace\/collections: .* without this setting it is workspace\/collections/,
      ),
    ]);
    expect(lines).toContain(
      'warning: workspace/workspace/collections: there is no collection in this folder',
    );
  });

  it('whose folders are there is in order', async () => {
    const files = { 'other/1.0/library/collection.books.json': '{"fields":{"a":{}},"settings":{}}' };
    const { lines } = await run({ config: { paths: { collections: 'other' } }, files });
    expect(lines).toEqual(['all is well']);
  });
});

describe('specifications', () => {
  const text = '{"fields":{"a":{}},"settings":{}}';

  it('in a folder of another depth are named', async () => {
    const files = {
      'collections/second-property/collection.team.json': text,
      'collections/1.0/a/b/collection.deep.json': text,
      'collections/1.0/library/notes.json': text,
    };
    const { lines } = await run({
      specs: { '1.0/library/books': { fields: { a: {} }, settings: {} } },
      files,
    });
    expect(lines).toEqual([
      expect.stringMatching(
        /^warning: workspace\/collections\/1\.0\/a\/b\/collection\.deep\.json: is not read: .* \(and so in 1 more place\)$/,
      ),
      'no errors, 1 warning',
    ]);
  });

  it('that all have the same slip are one warning, and errors are told each', async () => {
    const sorted = { fields: { title: {} }, settings: { sort: 'title' } };
    const { lines } = await run({
      specs: { '1.0/library/a': sorted, '1.0/library/b': sorted, '1.0/library/c': sorted },
    });
    expect(lines).toEqual([
      expect.stringMatching(
        /collection\.a\.json:\d+: settings\.sort: no index begins with `title`.* \(and so in 2 more places\)$/,
      ),
      'no errors, 1 warning',
    ]);
    const broken = { fields: { title: { type: 'Nope' } }, settings: {} };
    workspace?.remove();
    const { lines: errors } = await run({ specs: { '1.0/library/a': broken, '1.0/library/b': broken } });
    expect(errors).toHaveLength(2);
  });
});
