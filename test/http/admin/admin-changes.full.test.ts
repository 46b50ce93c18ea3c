// What an admin changes over HTTP, where the audit log cannot be written, or the change fails behind its entry: no change is
// without its entry, and an entry without its change is followed by one that says so.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { auditEntryHash, parseAuditKeys } from '../../../src/auth/audit/audit-entry.ts';
import { StoreError } from '../../../src/errors/errors.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { type FailingStoreApp, startFailingStoreApp } from '../../helpers/app/failing-store-app.ts';
import { ADMIN } from '../../helpers/server-process/server-process.ts';
import { auditedIn, auditOf } from '../../helpers/store/audit-log.ts';
import type { FailingStore } from '../../helpers/store/temporary-store.ts';

const HELLO = `module.exports.get = (req, res) => res.end('hello');`;
const HI = `module.exports.get = (req, res) => res.end('hi');`;
const SPEC = { fields: { title: {} }, settings: {} };
const CODE = { 'content-type': 'text/plain' };
const BOOKS = '/1.0/library/books';

type Change = readonly [method: string, path: string, body?: unknown];

const PREPARED: readonly Change[] = [
  ['POST', '/1.0/hello/config', HELLO],
  ['POST', '/1.0/hello/config', HI],
  ['POST', '/api/clients', { clientId: 'mole', secret: 'a secret of the mole' }],
];

/** Every change that HTTP offers. */
const CHANGES: readonly Change[] = [
  ['POST', '/api/config', { cache: { ttl: 5 } }],
  ['POST', `${BOOKS}/config`, SPEC],
  ['POST', '/1.0/library/plants/config', SPEC],
  ['DELETE', `${BOOKS}/config`],
  ['POST', '/api/clients', { clientId: 'new' }],
  ['PUT', '/api/clients/mole', { accessType: 'admin' }],
  ['PUT', '/api/clients/mole/secret', { secret: 'another secret of it' }],
  ['DELETE', '/api/clients/mole'],
  ['POST', '/1.0/other/config', HELLO],
  ['POST', '/1.0/hello/config', HELLO],
  ['POST', '/api/hooks/shout/config', 'module.exports = (obj) => obj;'],
  ['PUT', '/1.0/hello/policy', { limits: { cpuMs: 50 } }],
  ['POST', '/1.0/hello/versions/1/rollback'],
  ['DELETE', '/1.0/hello/suspend'],
  ['DELETE', '/1.0/hello/config'],
];

async function running(config: JsonObject = {}) {
  const app = await startFailingStoreApp({ failing: false, config });
  const token = await app.login();
  const send = ([method, path, body]: Change, headers: Readonly<Record<string, string>> = {}) =>
    app.ask(method, path, {
      token,
      body,
      headers: { ...(typeof body === 'string' ? CODE : {}), ...headers },
    });
  for (const change of PREPARED) expect((await send(change)).status, change[1]).toBeLessThan(300);
  return { ...app, send };
}

const filesIn = ({ workspace }: FailingStoreApp) =>
  readdirSync(workspace.path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name), 'utf8')])
    .toSorted();

/** All that admins can change, as it is served and as it is kept. */
async function stateOf(app: Awaited<ReturnType<typeof running>>) {
  const shown = ['/api/clients', '/api/collections', '/api/endpoints', '/1.0/hello', `${BOOKS}/config`];
  const answers = [];
  for (const path of shown) answers.push((await app.send(['GET', path])).text);
  return { files: filesIn(app), answers, log: await auditedIn(app.store) };
}

describe('the audit entry of a change', () => {
  it('has client, address behind the proxy and id of the request, under its signature', async () => {
    const app = await running({ server: { trustProxy: ['loopback'] } });
    const keys = parseAuditKeys(readFileSync(join(app.workspace.cwd, 'data', 'audit.key'), 'utf8'));
    for (const [n, change] of CHANGES.entries()) {
      const address = `2001:db8::${n + 1}`;
      const { headers } = await app.send(change, { 'x-forwarded-for': `203.0.113.9, ${address}` });
      const entry = (await auditOf(app.store).read(0, 1000)).at(-1)!;
      expect(entry, change.join(' ')).toMatchObject({
        clientId: ADMIN.clientId,
        address,
        requestId: headers['x-request-id'],
      });
      const hashOf = (changes: object) => auditEntryHash({ ...entry, ...changes }, keys!.current);
      expect(hashOf({})).toBe(entry.hash);
      for (const member of ['clientId', 'address', 'requestId'])
        expect(hashOf({ [member]: 'other' }), member).not.toBe(entry.hash);
    }
  });
});

describe('while the audit log cannot be written', () => {
  it.each(['busy', 'timeout', 'unavailable'] as const)('nothing is changed: %s', async (reason) => {
    const app = await running();
    const before = await stateOf(app);
    app.store.fail(reason, ['commit']);
    for (const change of CHANGES) expect((await app.send(change)).status, change.join(' ')).toBe(503);
    app.store.recover();
    expect(await stateOf(app)).toEqual(before);
    for (const change of CHANGES) expect((await app.send(change)).status, change.join(' ')).toBeLessThan(300);
    expect((await auditedIn(app.store)).length).toBe(before.log.length + CHANGES.length);
  });
});

/** What processes tell each other is told again until it is stored, and is no part of a change. */
const BETWEEN_PROCESSES: ReadonlySet<string> = new Set([
  'cloister.changes',
  'cloister.processes',
  'cloister.locks',
]);

/** Lets so many commits through, and refuses all that follow. Gives how many were asked for, and puts things right. */
function refuseAfter(store: FailingStore, most: number): () => number {
  const { commit } = store;
  let asked = 0;
  store.commit = (...args) => {
    if (args[0].every(({ ns }) => BETWEEN_PROCESSES.has(ns.collection))) return commit(...args);
    asked += 1;
    return asked > most ? Promise.reject(new StoreError('busy')) : commit(...args);
  };
  return () => {
    store.commit = commit;
    return asked;
  };
}

describe('a change that the database stores in part', () => {
  it('is not made, and is a failure in the audit log if it is there at all', async () => {
    const app = await running();
    const again: Change = ['PUT', '/api/clients/probe/secret', { secret: 'a secret of the probe' }];
    await app.send(['POST', '/api/clients', { clientId: 'probe' }]);
    let parts = 0;
    for (const change of CHANGES) {
      for (let most = 0; ; most += 1) {
        const what = `${change.join(' ')} after ${most}`;
        const { log, ...before } = await stateOf(app);
        const putRight = refuseAfter(app.store, most);
        const { status } = await app.send(change);
        if (putRight() <= most) {
          expect(status, what).toBeLessThan(300);
          break;
        }
        expect(status, what).toBe(503);
        // What could not be told then is told before the next entry.
        expect((await app.send(again)).status).toBe(200);
        const after = await stateOf(app);
        expect({ files: after.files, answers: after.answers }, what).toEqual(before);
        const told = after.log.slice(log.length, -1).map(([action]) => action);
        expect(told, what).toEqual(most === 0 ? [] : [told[0], `${told[0]}.failed`]);
        parts += most;
      }
    }
    // Of code: its version with the entry, then what brings it into force.
    expect(parts).toBeGreaterThanOrEqual(4);
  });
});

describe('a change that fails after its audit entry', () => {
  const folders: readonly (readonly [string, Change])[] = [
    ['config.json', ['POST', '/api/config', { cache: { ttl: 5 } }]],
    ['collections/1.0/library/collection.plants.json', ['POST', '/1.0/library/plants/config', SPEC]],
    ['endpoints/1.0/endpoint.other.js', ['POST', '/1.0/other/config', HELLO]],
    ['endpoints/1.0/endpoint.hello.policy.json', ['PUT', '/1.0/hello/policy', { limits: {} }]],
  ];

  it.each(folders)('is recorded as failed: %s', async (name, change) => {
    const app = await running();
    // No file can be written where a folder stands.
    const file = join(app.workspace.path, name);
    rmSync(file, { force: true });
    mkdirSync(file, { recursive: true });
    const { length } = await auditedIn(app.store);
    expect((await app.send(change)).status).toBeGreaterThanOrEqual(400);
    const told = (await auditedIn(app.store)).slice(length).map(([action]) => action);
    if (name === 'config.json') expect(told).toEqual([]);
    else expect(told).toEqual([told[0], `${told[0]}.failed`]);
    expect(existsSync(join(file, 'x'))).toBe(false);
  });
});
