// The list of collections and the status of the server.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminSite, startAdminSite } from '../helpers/admin/admin-site.ts';
import { hasBrowser } from '../helpers/admin/browser.ts';
import { LIBRARY } from '../helpers/fixtures/library.ts';

let site: AdminSite;

const canRun = hasBrowser();
const PICTURES = { fields: {}, settings: { type: 'media', displayName: 'Pictures <b>of</b> all' } };

beforeAll(async () => {
  if (canRun) site = await startAdminSite({ specs: { ...LIBRARY, '1.0/library/pictures': PICTURES } });
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
    const secret = 'a secret of a test client';
    const body = { clientId: 'reader', secret, permissions: { actions: ['read'] } };
    expect((await site.app.inject('POST', '/api/clients', { body })).status).toBe(201);
    await site.visit(
      '/admin/collections',
      async (page) => {
        await page.getByRole('columnheader', { name: 'You may' }).waitFor();
        expect(await page.getByRole('cell', { name: 'read', exact: true }).count()).toBe(3);
        expect(await page.getByRole('link', { name: 'New' }).count()).toBe(0);
      },
      { as: { clientId: 'reader', secret } },
    );
  });
});

describe.runIf(canRun)('the status', () => {
  it('is accessible', () => site.expectAccessible('/admin/status', 'Status'));

  it('shows the isolation level, and flushes the cache once that is confirmed', () =>
    site.visit('/admin/status', async (page) => {
      await page.getByText('Isolation level', { exact: true }).waitFor();
      await page.getByText('it answers').waitFor();
      await page.getByRole('button', { name: 'Flush' }).click();
      const dialog = page.getByRole('dialog', { name: 'Flush the cache?' });
      await dialog.getByRole('button', { name: 'Flush' }).click();
      await page.getByRole('status').getByText('The cache is empty.').waitFor();
    }));
});
