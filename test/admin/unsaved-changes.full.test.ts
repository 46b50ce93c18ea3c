// Whoever leaves a view with unsaved changes is asked first: by a link, by the buttons of the browser, by signing out, by closing the
// tab. Whoever changed nothing is not.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminSite, startAdminSite } from '../helpers/admin/admin-site.ts';
import { hasBrowser } from '../helpers/admin/browser.ts';
import { storeFile } from '../helpers/admin/stored-file.ts';
import { BOOKS, book, PEOPLE } from '../helpers/fixtures/library.ts';
import { ROOT } from '../helpers/fixtures/source-tree.ts';

let site: AdminSite;
let bookId: string;
let photoId: string;
const canRun = hasBrowser();

const TEXT = 'changed by a test';
const LIGHTHOUSE = join(ROOT, 'docs/examples/lighthouse.jpg');
const inCollections = '/admin/collections/1.0/library';

const created = async (path: string, body: unknown): Promise<string> => {
  const { body: answer } = await site.app.inject('POST', path, { body });
  return String((answer.results as unknown as { _id: string }[])[0]?._id);
};

const storePhoto = async () => {
  const file = { fileName: 'one.jpg', type: 'image/jpeg', body: readFileSync(LIGHTHOUSE) };
  return (await storeFile(site.app, '/1.0/library/photos', file))._id;
};

beforeAll(async () => {
  if (!canRun) return;
  site = await startAdminSite({
    specs: {
      '1.0/library/books': BOOKS,
      '1.0/library/people': PEOPLE,
      '1.0/library/photos': { fields: { caption: { label: 'Caption' } }, settings: { type: 'media' } },
    },
  });
  bookId = await created('/1.0/library/books', book(1));
  photoId = await storePhoto();
  const text = { 'content-type': 'text/plain' };
  const endpoint = 'module.exports.get = (req, res) => res.end();\n';
  const answers = [
    await site.app.inject('POST', '/1.0/greeting/config', { body: endpoint, headers: text }),
    await site.app.inject('POST', '/api/hooks/stamp/config', {
      body: 'module.exports = (obj) => obj;\n',
      headers: text,
    }),
    await site.app.inject('POST', '/api/clients', {
      body: { clientId: 'plain', secret: 'a secret for tests' },
    }),
    await site.app.inject('POST', '/api/recipes', { body: { recipe: 'small-picture', settings: {} } }),
    await site.app.inject('POST', '/api/routes', {
      body: { route: 'site-image', branches: [{ recipe: 'small-picture' }] },
    }),
  ];
  expect(answers.map(({ status }) => status).filter((status) => status >= 300)).toEqual([]);
});

afterAll(() => site?.close());

interface FormView {
  readonly path: () => string;
  readonly input: (page: Page) => Locator;
  /** Done in place of writing into the input. */
  readonly change?: (page: Page) => Promise<void>;
}

const labelled = (name: string) => (page: Page) =>
  page.getByRole('textbox', { name: new RegExp(`^${name}`) });
const editor = (name: string) => (page: Page) => page.getByRole('textbox', { name, exact: true });
const at = (path: string) => () => path;

/** Every view with a form that saves something. */
const FORMS: Readonly<Record<string, FormView>> = {
  'a document': { path: () => `${inCollections}/books/${bookId}`, input: labelled('title') },
  'a new document': { path: at(`${inCollections}/books/new`), input: labelled('title') },
  'a specification': { path: at(`${inCollections}/books/specification`), input: editor('Specification') },
  'a new collection': { path: at('/admin/collections/new'), input: labelled('Name') },
  'the record of a file': {
    path: () => `/admin/media/1.0/library/photos/${photoId}`,
    input: labelled('Caption'),
  },
  'an upload': {
    path: at('/admin/media/1.0/library/photos/upload'),
    input: (page) => page.locator('main form'),
    change: async (page) => {
      const file = { name: TEXT, mimeType: 'text/plain', buffer: Buffer.from('x') };
      await page.getByLabel('Files').setInputFiles(file);
      await page.getByText('1 file chosen').waitFor();
    },
  },
  'the code of an endpoint': { path: at('/admin/endpoints/1.0/greeting'), input: editor('Code') },
  'the policy of an endpoint': {
    path: at('/admin/endpoints/1.0/greeting/policy'),
    input: editor('Policy as JSON'),
  },
  'a new endpoint': { path: at('/admin/endpoints/new'), input: labelled('Name') },
  'the code of a hook': { path: at('/admin/hooks/stamp'), input: editor('Code') },
  'the policy of a hook': { path: at('/admin/hooks/stamp/policy'), input: editor('Policy as JSON') },
  'a new hook': { path: at('/admin/hooks/new'), input: editor('Code') },
  'a route': {
    path: at('/admin/routes/site-image'),
    input: (page) => page.getByRole('combobox', { name: 'Recipe' }),
  },
  'a new route': { path: at('/admin/routes/new'), input: labelled('Name') },
  'a recipe': { path: at('/admin/recipes/small-picture'), input: labelled('Path in front') },
  'a new recipe': { path: at('/admin/recipes/new'), input: labelled('Name') },
  'a client': {
    path: at('/admin/clients/plain'),
    input: (page) => page.getByRole('status').filter({ hasText: 'In words' }),
    change: (page) => page.getByRole('radio', { name: 'Admin' }).check(),
  },
  'a new client': { path: at('/admin/clients/new'), input: labelled('Client ID') },
};

const QUESTION = 'Leave without saving?';
const question = (page: Page) => page.getByRole('dialog', { name: QUESTION });
const area = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });

const answer = async (page: Page, name: 'Cancel' | 'Leave') => {
  await question(page).getByRole('button', { name, exact: true }).click();
  await question(page).waitFor({ state: 'hidden' });
};

/** Closes the tab, and says no to what the browser asks then. True: it did ask. */
async function isCloseQuestioned(page: Page): Promise<boolean> {
  const asked = page.waitForEvent('dialog');
  await page.close({ runBeforeUnload: true });
  const dialog = await asked;
  await dialog.dismiss();
  return dialog.type() === 'beforeunload';
}

describe.runIf(canRun)('unsaved changes', () => {
  it.each(Object.entries(FORMS))('of %s are not lost without a question', (_name, { path, input, change }) =>
    site.visit(path(), async (page) => {
      const shown = () =>
        input(page).evaluate((element) => ('value' in element ? element.value : element.textContent));
      const isStillThere = async (text: unknown) => {
        await answer(page, 'Cancel');
        await expect.poll(() => new URL(page.url()).pathname).toBe(path());
        expect(await shown()).toBe(text);
      };
      await input(page).waitFor();
      await area(page, 'Status').click();
      await heading(page, 'Status').waitFor();
      await page.goBack();
      await input(page).waitFor();
      const before = await shown();
      await (change?.(page) ?? input(page).fill(TEXT));
      const after = await shown();
      expect(after).not.toBe(before);
      await area(page, 'Status').click();
      await isStillThere(after);
      await page.goForward();
      await isStillThere(after);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await isStillThere(after);
      expect(await isCloseQuestioned(page)).toBe(true);
      await page.goForward();
      await answer(page, 'Leave');
      await heading(page, 'Status').waitFor();
    }),
  );

  it('are lost where that is wanted, and are then not asked about again', () =>
    site.visit(inCollections.replace('/1.0/library', ''), async (page) => {
      await page.getByRole('link', { name: 'books', exact: true }).first().click();
      await page.getByRole('link', { name: 'Book 0001' }).click();
      await labelled('title')(page).fill(TEXT);
      await page.goBack();
      await answer(page, 'Leave');
      await heading(page, 'books').waitFor();
      await page.goForward();
      await heading(page, 'Book 0001').waitFor();
      expect(await labelled('title')(page).inputValue()).toBe('Book 0001');
      await page.getByRole('button', { name: 'Sign out' }).click();
      await heading(page, 'Sign in').waitFor();
    }));

  it('are none where a value is what it was, is saved, or its document is deleted', async () => {
    const id = await created('/1.0/library/books', book(2));
    await site.visit(`${inCollections}/books/${id}`, async (page) => {
      const title = labelled('title')(page);
      await title.fill(TEXT);
      await title.fill('Book 0002');
      await area(page, 'Status').click();
      await heading(page, 'Status').waitFor();
      await page.goBack();
      await title.fill('Saved');
      await page.getByRole('button', { name: 'Save' }).click();
      await heading(page, 'Saved').waitFor();
      await area(page, 'Status').click();
      await heading(page, 'Status').waitFor();
      await page.goBack();
      await title.fill(TEXT);
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await heading(page, 'books').waitFor();
    });
  });

  it('of a document that is made in a dialog are asked about when the dialog is closed, and no others', () =>
    site.visit(`${inCollections}/books/new`, async (page) => {
      await labelled('title')(page).fill(TEXT);
      await page
        .getByRole('button', { name: 'New', exact: true })
        .and(page.locator('[aria-description=related]'))
        .click();
      const dialog = page.getByRole('dialog', { name: 'New in books' });
      const title = dialog.getByRole('textbox', { name: /^title/ });
      await title.fill('Ada');
      await dialog.getByRole('button', { name: 'Close' }).click();
      await answer(page, 'Cancel');
      expect(await title.inputValue()).toBe('Ada');
      await dialog.getByRole('button', { name: 'Close' }).click();
      await answer(page, 'Leave');
      await dialog.waitFor({ state: 'hidden' });
      await area(page, 'Status').click();
      await answer(page, 'Cancel');
      expect(await labelled('title')(page).inputValue()).toBe(TEXT);
    }));
});
