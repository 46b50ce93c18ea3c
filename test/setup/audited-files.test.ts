// What a start finds changed, in the whole application.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../src/lib/sha256.ts';
import { auditActionOfEdit } from '../../src/setup/audit.ts';
import { startFailingStoreApp } from '../helpers/app/failing-store-app.ts';
import { auditOf } from '../helpers/store/audit-log.ts';

const SPEC = { fields: { title: {} }, settings: {} };
const CODE = { 'content-type': 'text/plain' };
const HELLO = `module.exports.get = (req, res) => res.end('hello');`;

describe('files that were changed by hand', () => {
  it('are in the audit log with their hashes: while no server ran, and while one runs', async () => {
    const first = await startFailingStoreApp({ failing: false });
    const token = await first.login();
    await first.ask('POST', '/1.0/library/plants/config', { token, body: SPEC });
    await first.ask('POST', '/1.0/hello/config', { token, body: HELLO, headers: CODE });
    await first.ask('PUT', '/1.0/hello/policy', { token, body: { limits: { cpuMs: 50 } } });
    await first.close();
    const path = (name: string) => join(first.workspace.path, name);
    const hashOf = (name: string) => sha256Hex(readFileSync(path(name), 'utf8'));
    const names = {
      plants: 'collections/1.0/library/collection.plants.json',
      books: 'collections/1.0/library/collection.books.json',
      late: 'collections/1.0/library/collection.late.json',
      policy: 'endpoints/1.0/endpoint.hello.policy.json',
      config: 'config.json',
    };
    const before = { plants: hashOf(names.plants), books: hashOf(names.books) };
    const more = { policy: hashOf(names.policy), config: hashOf(names.config) };
    writeFileSync(path(names.plants), JSON.stringify(SPEC));
    writeFileSync(path(names.late), JSON.stringify(SPEC));
    writeFileSync(path(names.policy), '{"limits":{"cpuMs":60}}');
    writeFileSync(path(names.config), '{"auth":{"tokenTtl":60}}');
    rmSync(path(names.books));

    const second = await startFailingStoreApp({ failing: false, earlier: first });
    const found = (await auditOf(second.store).read(0, 1000)).filter(({ action }) =>
      action.endsWith('.found'),
    );
    const told = found.map((entry) => [
      entry.action,
      entry.target,
      entry.clientId,
      entry.before,
      entry.after,
    ]);
    expect(told.toSorted()).toEqual([
      ['configuration.found', '/api/config', null, more.config, hashOf(names.config)],
      ['endpoint.policy.found', '/1.0/hello', null, more.policy, hashOf(names.policy)],
      ['specification.found', '/1.0/library/books', null, before.books, null],
      ['specification.found', '/1.0/library/late', null, null, hashOf(names.late)],
      ['specification.found', '/1.0/library/plants', null, before.plants, hashOf(names.plants)],
    ]);

    const text = JSON.stringify({ ...SPEC, settings: { count: 3 } });
    const known = hashOf(names.late);
    mkdirSync(dirname(path(names.late)), { recursive: true });
    writeFileSync(path(names.late), text);
    const last = async () => (await auditOf(second.store).read(0, 1000)).at(-1);
    const hashes = { before: known, after: sha256Hex(text) };
    await expect
      .poll(last)
      .toMatchObject({ action: 'specification.replace', target: '/1.0/library/late', ...hashes });
  });
});

describe('the entry of an edit', () => {
  it('says what became of the file', () => {
    const address = { version: '1.0', database: 'library', name: 'books' };
    const common = { actor: null, target: '/1.0/library/books' };
    const of = (before: string | null, after: string | null) => auditActionOfEdit({ address, before, after });
    expect(of(null, 'a')).toEqual({ ...common, action: 'specification.create', before: null, after: 'a' });
    expect(of('a', 'b')).toEqual({ ...common, action: 'specification.replace', before: 'a', after: 'b' });
    expect(of('a', null)).toEqual({ ...common, action: 'specification.remove', before: 'a', after: null });
  });
});
