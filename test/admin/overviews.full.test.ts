// The list of collections and the status of the server.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminSite, startAdminSite } from '../helpers/admin/admin-site.ts';
import { hasBrowser } from '../helpers/admin/browser.ts';
import { LIBRARY } from '../helpers/fixtures/library.ts';

let site: AdminSite;

const canRun = hasBrowser();
const PICTURES = { fields: {}, settings: { type: 'media', displayName: 'Pictures <b>of</b> all' } };

const READER = { clientId: 'reader', secret: 'a secret of a test client' };

beforeAll(async () => {
  if (!canRun) return;
  site = await startAdminSite({ specs: { ...LIBRARY, '1.0/library/pictures': PICTURES } });
  const body = { ...READER, permissions: { actions: ['read'] } };
  expect((await site.app.inject('POST', '/api/clients', { body })).status).toBe(201);
});

afterAll(() => site?.close());

describe.runIf(canRun)('the list of collections', () => {
  it('is accessible', () => site.expectAccessible('/admin/collections', 'Collections'));

  it('names each with its address, and a name from a specification is text', () =>
    site.visit('/admin/collections', async (page) => {
      await page.getByRole('row').filter({ hasText: '/1.0/library/books' }).waitFor();
      const names = page.getByRole('rowheader').getByRole('link');
      expect(await names.allTextContents()).toEqual(['books', 'people', 'Pictures <b>of</b> all']);
      expect(await names.nth(0).getAttribute('href')).toBe('/admin/collections/1.0/library/books');
    }));

  it('is searched by words, which are part of the address', () =>
    site.visit('/admin/collections', async (page) => {
      await page.getByLabel('Search').fill('PEOP 1.0');
      const names = page.getByRole('rowheader').getByRole('link');
      await expect.poll(() => names.allTextContents()).toEqual(['people']);
      expect(new URL(page.url()).search).toBe('?search=PEOP+1.0');
      await page.getByLabel('Search').fill('nothing like it');
      await page.getByText('No collection has "nothing like it" in its name or address.').waitFor();
    }));

  it('tells a client what it may do with each', async () => {
    await site.visit(
      '/admin/collections',
      async (page) => {
        await page.getByRole('columnheader', { name: 'You may' }).waitFor();
        expect(await page.getByRole('cell', { name: 'read', exact: true }).count()).toBe(3);
        expect(await page.getByRole('link', { name: 'New' }).count()).toBe(0);
      },
      { as: READER },
    );
  });
});

describe.runIf(canRun)('the status', () => {
  it('is accessible', () => site.expectAccessible('/admin/status', 'Status'));

  it('shows the database, the work, the caches and the audit log beside their limits', () =>
    site.visit('/admin/status', async (page) => {
      for (const title of ['Database', 'Work', 'Caches', 'Audit log', 'Sandbox']) {
        await page.getByRole('heading', { name: title, exact: true }).waitFor();
      }
      const servers = page.getByRole('table', { name: 'Servers of this database' });
      await servers.getByText('This one').waitFor();
      await page.getByText('SQLite, in this process').waitFor();
      await page
        .getByText(/^0 of at most \d/)
        .first()
        .waitFor();
    }));

  it('shows to other clients neither the database nor the buttons that flush', () =>
    site.visit(
      '/admin/status',
      async (page) => {
        await page.getByText('it answers').waitFor();
        expect(await page.getByRole('heading', { name: 'Caches' }).count()).toBe(0);
        expect(await page.getByRole('table').count()).toBe(0);
        expect(await page.getByRole('button', { name: /^Flush/ }).count()).toBe(0);
      },
      { as: READER },
    ));

  it('shows the isolation level, and flushes each cache once that is confirmed', () =>
    site.visit('/admin/status', async (page) => {
      await page.getByText('Isolation level', { exact: true }).waitFor();
      await page.getByText('it answers').waitFor();
      for (const [button, question, done] of [
        ['Flush answers', 'Flush the cached answers?', 'The cache of answers is empty.'],
        ['Flush rendered images', 'Flush the rendered images?', 'The cache of rendered images is empty.'],
      ] as const) {
        await page.getByRole('button', { name: button }).click();
        const dialog = page.getByRole('dialog', { name: question });
        await dialog.getByRole('button', { name: 'Flush' }).click();
        await page.getByRole('status').getByText(done).waitFor();
      }
    }));
});
