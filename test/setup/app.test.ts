// The composition root: what is built from a configuration works together, survives a restart and lets go of everything.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load-config.ts';
import { createApp } from '../../src/setup/app.ts';
import type { FirstAdmin } from '../../src/setup/startup-steps.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { book, LIBRARY, person } from '../helpers/fixtures/library.ts';
import { createWorkspace, type Workspace } from '../helpers/temp/workspace.ts';

const BOOKS = '/1.0/library/books';
const PLAIN = { fields: { title: { type: 'String' } }, settings: {} };

let workspace: Workspace;

beforeEach(() => {
  workspace = createWorkspace(LIBRARY);
});

afterEach(() => workspace.remove());

async function withApp<T>(work: (app: TestApp) => Promise<T>): Promise<T> {
  const app = await startApp({ workspace });
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

/** A start without an admin in the environment, as an operator's first one is. */
async function bareStart() {
  const { config, file } = await loadConfig({
    flags: {},
    env: { CLOISTER_LOGGING_LEVEL: 'silent' },
    cwd: workspace.cwd,
  });
  const made: FirstAdmin[] = [];
  const onFirstAdmin = (admin: FirstAdmin) => void made.push(admin);
  const app = await createApp(config, { configFile: file, cwd: workspace.cwd, onFirstAdmin });
  return { ...app, made };
}

describe('createApp', () => {
  it('makes one admin at the first start and none at the second', async () => {
    const first = await bareStart();
    const [firstAdmin] = first.made;
    await first.close();
    const second = await bareStart();
    try {
      expect(firstAdmin).toEqual({ id: expect.any(String), secret: expect.stringMatching(/^\S{20,}$/) });
      expect(second.made).toEqual([]);
      const payload = { clientId: firstAdmin?.id, secret: firstAdmin?.secret };
      const answer = await second.server.inject({ method: 'POST', url: '/token', payload });
      expect(answer.statusCode).toBe(200);
    } finally {
      await second.close();
    }
  });

  it('finds documents, revisions, clients and tokens of an earlier run', async () => {
    const { token, id } = await withApp(async (app) => {
      const { body } = await app.inject('POST', BOOKS, { body: book(1) });
      return { token: await app.adminToken(), id: body.results[0]._id };
    });
    await withApp(async (app) => {
      const read = await app.inject('GET', `${BOOKS}/${id}`, { token });
      expect(read.body.results).toEqual([expect.objectContaining({ title: 'Book 0001', v: 1 })]);
      const past = await app.inject('GET', `${BOOKS}/${id}/history`, { token });
      expect(past.body.results).toHaveLength(1);
    });
  });

  it('serves a collection that was posted in an earlier run', async () => {
    const body = { fields: { name: { type: 'String' } }, settings: {} };
    await withApp((app) => app.inject('POST', '/1.0/garden/plants/config', { body }));
    await withApp(async (app) => {
      expect((await app.inject('GET', '/1.0/garden/plants')).status).toBe(200);
    });
  });

  it('answers from the cache until a write, when the cache is on', async () => {
    workspace.remove();
    workspace = createWorkspace(LIBRARY, { cache: true });
    await withApp(async (app) => {
      const cached = async () => (await app.inject('GET', BOOKS)).headers['x-cache'];
      expect([await cached(), await cached()]).toEqual(['MISS', 'HIT']);
      await app.inject('POST', '/1.0/library/people', { body: person(1) });
      await app.inject('POST', BOOKS, { body: book(1) });
      expect(await cached()).toBe('MISS');
    });
  });

  it('gives each database folder documents of its own where the configuration says so', async () => {
    workspace.remove();
    const specs = { '1.0/library/books': LIBRARY['1.0/library/books'] ?? {}, '1.0/shop/books': PLAIN };
    workspace = createWorkspace(specs, { database: { enableCollectionDatabases: true } });
    await withApp(async (app) => {
      await app.inject('POST', BOOKS, { body: book(1) });
      expect((await app.inject('GET', '/1.0/shop/books')).body.results).toEqual([]);
      expect((await app.inject('GET', BOOKS)).body.results).toHaveLength(1);
    });
  });

  it('listens where it is told to, and no longer once closed', async () => {
    const app = await startApp({ workspace });
    const url = await app.listen();
    expect((await fetch(`${url}/health`)).status).toBe(200);
    await app.close();
    await expect(fetch(`${url}/health`)).rejects.toThrow();
  });
});
