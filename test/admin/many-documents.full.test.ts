// The admin page with a collection of 100,000 documents: it stays usable, and asks for no more than it shows.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { type AdminSite, startAdminSite } from '../helpers/admin/admin-site.ts';
import { hasBrowser } from '../helpers/admin/browser.ts';

const DOCUMENTS = 100_000;
const BATCH = 1000;
const PATH = '/1.0/library/many';
const VIEW = `/admin/collections${PATH}`;
/** Documents that one request may ask for: more than a page of any view. */
const MAX_COUNT = 100;
/** Bytes of one answer: a page of such documents takes a tenth. */
const MAX_BYTES = 200_000;

let site: AdminSite;
const canRun = hasBrowser();
const numbered = (n: number) => `Document ${String(n).padStart(6, '0')}`;
const documentOf = (n: number): JsonObject => ({ title: numbered(n), note: `note of ${n}`, rank: n % 1000 });

beforeAll(async () => {
  if (!canRun) return;
  site = await startAdminSite({
    specs: {
      '1.0/library/many': {
        fields: { title: {}, note: {}, rank: { type: 'Number' } },
        settings: { storeRevisions: true, index: [{ keys: { title: 1 } }] },
      },
    },
  });
  for (let first = 0; first < DOCUMENTS; first += BATCH) {
    const body = Array.from({ length: BATCH }, (_, n) => documentOf(first + n));
    expect((await site.app.inject('POST', PATH, { body })).status).toBe(200);
  }
});

afterAll(() => site?.close());

/** Opens the list, and looks at each answer of the collection while `work` uses the page. */
const visit = (path: string, work: (page: Page) => Promise<void>) =>
  site.visit(path, async (page) => {
    const excesses: string[] = [];
    page.on('response', (response) => {
      const url = new URL(response.url());
      if (url.pathname !== PATH || response.request().method() !== 'GET') return;
      const count = Number(url.searchParams.get('count') ?? '0');
      const bytes = Number(response.headers()['content-length'] ?? '0');
      if (!(count > 0 && count <= MAX_COUNT) || bytes > MAX_BYTES)
        excesses.push(`${url.search}: ${bytes} bytes`);
    });
    await work(page);
    expect(excesses).toEqual([]);
  });

const link = (page: Page, n: number) => page.getByRole('link', { name: numbered(n), exact: true });
const search = async (page: Page, field: string, value: string) => {
  const form = page.getByRole('form', { name: 'Search' });
  await form.getByLabel('Search in').selectOption(field);
  await form.getByLabel('Value').fill(value);
  await page.getByRole('button', { name: 'Search', exact: true }).click();
};

describe.runIf(canRun)('a collection of 100,000 documents', () => {
  it('shows its first page, its last, and page 2,500 of an address', async () => {
    await visit(VIEW, async (page) => {
      await page.getByText('100,000 documents, page 1 of 2,500').waitFor();
      await link(page, 0).waitFor();
      await page.getByRole('button', { name: 'Last', exact: true }).click();
      await link(page, DOCUMENTS - 1).waitFor();
      expect(new URL(page.url()).searchParams.get('page')).toBe('2500');
    });
    await visit(`${VIEW}?page=2500`, async (page) => {
      await link(page, DOCUMENTS - 1).waitFor();
      await page.getByText('page 2,500 of 2,500').waitFor();
    });
  });

  it('is searched by a field with an index and by one without, and sorted by both', () =>
    visit(VIEW, async (page) => {
      await link(page, 0).waitFor();
      await search(page, 'title', '077777');
      await page.getByText('1 document', { exact: true }).waitFor();
      await search(page, 'note', 'note of 4242');
      await link(page, 4242).waitFor();
      await page.getByText('11 documents').waitFor();
      await page.getByRole('button', { name: 'Show all' }).click();
      await page.getByText('100,000 documents').waitFor();
      for (const field of ['title', 'rank']) {
        await page.getByRole('button', { name: new RegExp(`^${field}`) }).click();
        await page.locator('th[aria-sort=ascending]').filter({ hasText: field }).waitFor();
        await page.getByRole('button', { name: new RegExp(`^${field}`) }).click();
        await page.locator('th[aria-sort=descending]').filter({ hasText: field }).waitFor();
      }
      // Of those with the highest rank the one that was made last.
      await link(page, DOCUMENTS - 1).waitFor();
    }));

  it('loses a document, which is then among the deleted ones', () =>
    visit(VIEW, async (page) => {
      await link(page, 5).click();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('99,999 documents').waitFor();
      await page.getByRole('link', { name: 'Deleted', exact: true }).click();
      await page
        .getByRole('row')
        .filter({ hasText: numbered(5) })
        .waitFor();
      await page.getByText('1 deleted document', { exact: true }).waitFor();
    }));

  it('says that a search goes on, and ends it where that is wanted', () =>
    visit(VIEW, async (page) => {
      await link(page, 0).waitFor();
      // An answer that takes its time: the request is held until the page gives it up.
      await page.route(`**${PATH}?*`, () => undefined);
      const ended = page.waitForEvent('requestfailed');
      await search(page, 'note', 'anything');
      await page.getByRole('status').getByText('Loading the documents').waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      expect((await ended).url()).toContain('anything');
      await page.getByText('Cancelled: this is what was here before').waitFor();
      await link(page, 0).waitFor();
      await page.unroute(`**${PATH}?*`);
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('No document matches.').waitFor();
    }));
});
