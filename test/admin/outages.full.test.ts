// A server that cannot serve for a while: the page says so, loses nothing, and goes on.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSqliteDocuments } from '../../src/stores/sqlite-documents/store.ts';
import { type AdminSite, signIn, startAdminSite } from '../helpers/admin/admin-site.ts';
import { hasBrowser } from '../helpers/admin/browser.ts';
import { type FailingStore, failingStore } from '../helpers/store/temporary-store.ts';

let site: AdminSite;
let store: FailingStore;
let folder: string;

const canRun = hasBrowser();

beforeAll(async () => {
  if (!canRun) return;
  folder = mkdtempSync(join(tmpdir(), 'cloister-admin-'));
  store = failingStore(await openSqliteDocuments({ path: folder, queueLimit: 1000 }));
  site = await startAdminSite({ store });
});

afterAll(async () => {
  await site?.close();
  if (canRun) rmSync(folder, { recursive: true, force: true });
});

describe.runIf(canRun)('while the database is away, the page', () => {
  it('says so where the data would be, and shows them once it is back', () =>
    site.visit('/admin/status', async (page) => {
      await page.getByRole('heading', { level: 1, name: 'Status' }).waitFor();
      store.fail();
      await page.getByRole('link', { name: 'Clients', exact: true }).click();
      const alert = page.getByRole('alert').filter({ hasText: 'Not now' });
      await alert.waitFor();
      store.recover();
      await alert.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('rowheader', { name: 'admin' }).waitFor();
      expect(await alert.count()).toBe(0);
    }));

  it('keeps what was typed into a form that could not be saved', () =>
    site.visit('/admin/clients/new', async (page) => {
      await page.getByLabel('Client ID').fill('kept-in-the-form');
      store.fail('unavailable', ['commit']);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').filter({ hasText: 'Not now' }).waitFor();
      expect(await page.getByLabel('Client ID').inputValue()).toBe('kept-in-the-form');
      store.recover();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('dialog', { name: 'The secret of kept-in-the-form' }).waitFor();
    }));
});

describe.runIf(canRun)('where the server is slow or refuses, the page', () => {
  it('says when to try again, and keeps what was typed', () =>
    site.visit('/admin/clients/new', async (page) => {
      await page.route('**/api/clients', (request) =>
        request.fulfill({ status: 503, headers: { 'retry-after': '7' }, json: { errors: [] } }),
      );
      await page.getByLabel('Client ID').fill('kept-through-503');
      await page.getByRole('button', { name: 'Save' }).click();
      const alert = page.getByRole('alert').filter({ hasText: 'Not now' });
      await alert.getByText('Try again in 7 s.').waitFor();
      expect(await page.getByLabel('Client ID').inputValue()).toBe('kept-through-503');
      await page.unroute('**/api/clients');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('dialog', { name: 'The secret of kept-through-503' }).waitFor();
    }));

  it('sends a form once, however long the answer takes', () =>
    site.visit('/admin/clients/new', async (page) => {
      let sent = 0;
      const { promise: isAnswered, resolve: answer } = Promise.withResolvers<void>();
      await page.route('**/api/clients', async (request) => {
        if (request.request().method() === 'POST') {
          sent += 1;
          await isAnswered;
        }
        await request.continue();
      });
      await page.getByLabel('Client ID').fill('slowly-made');
      const save = page.locator('button[type=submit]');
      await save.click();
      await expect.poll(() => save.isDisabled()).toBe(true);
      await page.getByLabel('Client ID').press('Enter');
      expect(await page.getByLabel('Client ID').inputValue()).toBe('slowly-made');
      answer();
      await page.getByRole('dialog', { name: 'The secret of slowly-made' }).waitFor();
      expect(sent).toBe(1);
    }));

  it('stays as it is where a view cannot be loaded, until the server answers', () =>
    site.visit('/admin/status', async (page) => {
      await page.getByRole('heading', { level: 1, name: 'Status' }).waitFor();
      const refuse = { status: 503, body: '' };
      await page.route('**/admin/assets/**', (request) => request.fulfill(refuse));
      await page.route('**/hello', (request) => request.fulfill(refuse));
      await page.getByRole('link', { name: 'Recipes', exact: true }).click();
      const alert = page.getByRole('alert').filter({ hasText: 'This view could not be loaded' });
      await alert.getByRole('button', { name: 'Load again' }).click();
      await alert.getByText('The server does not answer. This page stays').waitFor();
      await page.unroute('**/admin/assets/**');
      await page.unroute('**/hello');
      await alert.getByRole('button', { name: 'Load again' }).click();
      await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    }));
});

describe.runIf(canRun)('when its session ends, the page', () => {
  it('keeps what was typed, unseen, until the same client is back', async () => {
    const secret = 'a secret of an admin for a while';
    const next = 'another secret of that admin';
    const body = { clientId: 'typing', secret, accessType: 'admin' };
    expect((await site.app.inject('POST', '/api/clients', { body })).status).toBe(201);
    await site.visit(
      '/admin/clients/new',
      async (page) => {
        await page.getByLabel('Client ID').fill('half-typed');
        expect(
          (await site.app.inject('PUT', '/api/clients/typing/secret', { body: { secret: next } })).status,
        ).toBe(200);
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
        expect(await page.getByText('half-typed').count()).toBe(0);
        expect(await page.getByRole('navigation').count()).toBe(0);
        await signIn(page, { clientId: 'typing', secret: next });
        await page.getByRole('heading', { level: 1, name: 'New client' }).waitFor();
        expect(await page.getByLabel('Client ID').inputValue()).toBe('half-typed');
      },
      { as: { clientId: 'typing', secret } },
    );
  });

  it('shows nothing of it to another client', async () => {
    const secret = 'a secret of yet another admin';
    const body = { clientId: 'leaving', secret, accessType: 'admin' };
    expect((await site.app.inject('POST', '/api/clients', { body })).status).toBe(201);
    await site.visit(
      '/admin/clients/new',
      async (page) => {
        await page.getByLabel('Client ID').fill('half-typed');
        expect((await site.app.inject('DELETE', '/api/clients/leaving')).status).toBe(204);
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
        await signIn(page);
        await page.getByRole('heading', { level: 1, name: 'New client' }).waitFor();
        expect(await page.getByLabel('Client ID').inputValue()).toBe('');
      },
      { as: { clientId: 'leaving', secret } },
    );
  });
});
