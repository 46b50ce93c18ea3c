// Posted code and the rules: `Model` as the caller is the caller, and hooks neither widen what a caller may do nor tell of more.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { type EndpointServer, startEndpointServer } from '../helpers/app/endpoint-server.ts';
import { createWorkspace, type Workspace } from '../helpers/temp/workspace.ts';
import { CALLERS, type CallerName, createCallers, type Tokens } from './model/callers.ts';

const text = { type: 'String' };
const mine = { owner: { $caller: 'clientId' } };

/** Everyone reads what is open and what is theirs, and changes what is theirs; `secret` is for nobody. */
const BOOKS: JsonObject = {
  fields: {
    title: text,
    owner: text,
    open: { type: 'Boolean' },
    secret: { type: 'String', access: { read: [] } },
  },
  settings: {
    access: {
      read: [
        { to: 'anyone', where: { open: true } },
        { to: 'clients', where: mine },
      ],
      create: [{ to: 'clients', where: mine }],
      update: [{ to: 'clients', where: mine }],
      delete: [{ to: 'clients', where: mine }],
    },
  },
};

const withHooks = (hooks: JsonObject): JsonObject => ({
  ...BOOKS,
  settings: { ...(BOOKS['settings'] as JsonObject), hooks },
});

const HOOKS: Readonly<Record<string, string>> = {
  widen: 'module.exports = (obj) => ({ ...obj, filter: {} });',
  same: 'module.exports = (obj) => obj;',
  give: "module.exports = (obj) => ({ ...obj, owner: 'someone else' });",
  keep: "module.exports = (obj) => ({ ...obj, secret: 'set by a hook' });",
  tell: "module.exports = (obj, type, data) => { throw new Error('there is ' + JSON.stringify(data.previousDocs ?? obj)); };",
};

const SPECIFICATIONS = {
  '1.0/library/books': BOOKS,
  '1.0/library/widened': withHooks({ beforeGet: ['widen'], afterGet: ['same'] }),
  '1.0/library/given': withHooks({ beforeCreate: ['give'], beforeUpdate: ['give'] }),
  '1.0/library/kept': withHooks({ beforeCreate: ['keep'], beforeUpdate: ['keep'] }),
  '1.0/library/told': withHooks({ beforeUpdate: ['tell'], beforeDelete: ['tell'] }),
};

let workspace: Workspace;
let server: EndpointServer;
let tokens: Tokens;
const ids: Record<string, Record<string, string>> = {};

const send = async (caller: CallerName, method: string, path: string, body?: unknown) =>
  server.call(method, `/1.0/${path}`, { token: tokens[caller] as string | null, body });

beforeAll(async () => {
  const collections = [
    { name: '*', actions: ['find', 'count', 'create', 'update', 'delete', 'stats'], as: 'caller' },
  ];
  workspace = createWorkspace(SPECIFICATIONS, { sandbox: { policyFile: 'ceilings.json' } });
  writeFileSync(
    join(workspace.cwd, 'ceilings.json'),
    JSON.stringify({ version: 1, grants: { collections } }),
  );
  server = await startEndpointServer({ workspace });
  const { anonymous, plain, editor, admin } = CALLERS;
  tokens = await createCallers(server, [anonymous, plain, editor, admin]);
  for (const [name, body] of Object.entries(HOOKS)) {
    const headers = { 'content-type': 'text/plain' };
    const posted = await server.call('POST', `/api/hooks/${name}/config`, { body, headers });
    expect(posted.status, posted.text).toBe(200);
  }
  const source = `module.exports.model = { settings: { authenticate: false } };
    module.exports.post = async (req, res) => {
      const { action, args } = req.body;
      try { res.json({ ok: await Model('books')[action](...args) }); }
      catch ({ code, message }) { res.json({ code, message }); }
    };`;
  const granted = collections.map((grant) => ({ ...grant, name: '1.0/library/books' }));
  await server.endpoint('calls', source, { version: 1, grants: { collections: granted } });
});

afterAll(async () => {
  await server.close();
  workspace.remove();
});

/** Fresh documents of the admin's: an open one, one of plain, and one of nobody's, each with a secret. */
async function fill(collection: string): Promise<Readonly<Record<string, string>>> {
  await send('admin', 'DELETE', `library/${collection}`, { query: {}, all: true });
  const made: Record<string, string> = {};
  // Hooks that set an owner leave these as they are: they are put into place without them.
  for (const [title, more] of Object.entries({
    open: { open: true, owner: 'nobody' },
    plains: { owner: 'plain' },
    hidden: { owner: 'nobody' },
  })) {
    const {
      body,
      status,
      text: answer,
    } = await send('admin', 'POST', `library/${collection}`, { title, secret: 'a secret', ...more });
    expect(status, answer).toBe(200);
    made[title] = body.results[0]._id;
  }
  ids[collection] = made;
  return made;
}

const model = async (caller: CallerName, action: string, ...args: readonly unknown[]) =>
  (await send(caller, 'POST', 'calls', { action, args })).body;

const titlesOf = (documents: readonly JsonObject[]) => documents.map(({ title }) => title).toSorted();

describe('Model as the caller', () => {
  it.each<readonly [CallerName, readonly string[]]>([
    ['anonymous', ['open']],
    ['editor', ['open']],
    ['plain', ['open', 'plains']],
    ['admin', ['hidden', 'open', 'plains']],
  ])('finds and counts for %s what that caller may read, without hidden fields', async (caller, titles) => {
    await fill('books');
    const found = await model(caller, 'find', {});
    expect(titlesOf(found.ok.results)).toEqual(titles);
    expect(found.ok.metadata.totalCount).toBe(titles.length);
    expect(JSON.stringify(found).includes('a secret')).toBe(caller === 'admin');
    const counted = await model(caller, 'count', {});
    expect(counted.ok.metadata?.totalCount ?? counted.ok).toBe(titles.length);
  });

  it.each<readonly [CallerName, number]>([
    ['anonymous', 0],
    ['editor', 0],
    ['plain', 1],
    ['admin', 3],
  ])('changes and removes for %s what that caller may', async (caller, expected) => {
    await fill('books');
    await model(caller, 'update', { title: { $in: ['open', 'plains', 'hidden'] } }, { secret: 'changed' });
    const changed = await send(
      'admin',
      'GET',
      `library/books/count?filter=${encodeURIComponent('{"secret":"changed"}')}`,
    );
    expect(changed.body.metadata.totalCount).toBe(expected);
    await model(caller, 'delete', { title: { $in: ['open', 'plains', 'hidden'] } });
    const left = await send('admin', 'GET', 'library/books/count');
    expect(left.body.metadata.totalCount).toBe(3 - expected);
  });

  it('refuses conditions on hidden fields, documents of others, and statistics, with what HTTP answers', async () => {
    await fill('books');
    expect((await model('plain', 'find', { secret: 'a secret' })).code).toBe('FILTER_INVALID');
    expect((await model('plain', 'create', { title: 'x', owner: 'someone' })).code).toBe('NOT_PERMITTED');
    expect((await model('plain', 'create', { title: 'x', owner: 'plain' })).code).toBeUndefined();
    expect((await model('plain', 'stats')).code).toBe('NOT_PERMITTED');
    expect((await model('anonymous', 'create', { title: 'x', owner: 'plain' })).ok).toBeUndefined();
  });
});

describe('Hooks', () => {
  it('that replace the filter of a read show a caller nothing more, and hidden fields stay hidden', async () => {
    const { hidden } = await fill('widened');
    for (const path of ['library/widened', `library/widened/${hidden}`]) {
      const { text: answer } = await send('plain', 'GET', path);
      expect(answer).not.toMatch(/"hidden"|a secret/);
    }
    const { body } = await send('plain', 'GET', 'library/widened/count');
    expect(body.metadata.totalCount).toBe(2);
    const all = await send('admin', 'GET', 'library/widened');
    expect([titlesOf(all.body.results), all.text.includes('a secret')]).toEqual([
      ['hidden', 'open', 'plains'],
      true,
    ]);
  });

  it('that change what is written do not write for a caller what it may not', async () => {
    const created = await send('plain', 'POST', 'library/given', { title: 'x', owner: 'plain' });
    expect(created.status).toBe(403);
    expect((await send('admin', 'GET', 'library/given/count')).body.metadata.totalCount).toBe(0);
  });

  it('set fields that the caller may not read, which the answer does not show', async () => {
    const created = await send('plain', 'POST', 'library/kept', { title: 'x', owner: 'plain' });
    expect([created.status, created.text.includes('set by a hook')]).toEqual([200, false]);
    const { body } = await send('admin', 'GET', `library/kept/${created.body.results[0]._id}`);
    expect(body.results[0].secret).toBe('set by a hook');
  });

  it('do not run for a document that the caller may not read, or may not change', async () => {
    const { hidden, open, plains } = await fill('told');
    const unknown = 'f'.repeat(24);
    for (const method of ['PUT', 'DELETE']) {
      const body = method === 'PUT' ? { title: 'x' } : undefined;
      const answer = async (id: string | undefined) => {
        const { status, text: answered } = await send('plain', method, `library/told/${id}`, body);
        return [status, answered];
      };
      expect(await answer(hidden)).toEqual(await answer(unknown));
      expect([method, (await answer(open))[0]]).toEqual([method, 403]);
      expect(await answer(plains)).toEqual([400, expect.stringContaining('there is')]);
      const many =
        method === 'PUT'
          ? { query: { title: { $ne: 'x' } }, update: body }
          : { query: { title: { $ne: 'x' } } };
      const byQuery = await send('plain', method, 'library/told', many);
      expect([byQuery.status, byQuery.text.includes('hidden'), byQuery.text.includes('nobody')]).toEqual([
        400,
        false,
        false,
      ]);
    }
  });
});
