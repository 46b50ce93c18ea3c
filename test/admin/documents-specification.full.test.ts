// The views of specifications: a new collection, changes in words before they are saved, warnings, conflicts, and their end.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminSite, startAdminSite } from '../helpers/admin/admin-site.ts';
import { axeViolations, hasBrowser } from '../helpers/admin/browser.ts';

const PATH = '/1.0/library/books';
const HREF = `/admin/collections${PATH}/specification`;

let site: AdminSite;
const canRun = hasBrowser();

beforeAll(async () => {
  if (!canRun) return;
  site = await startAdminSite();
  await site.app.inject('POST', PATH, { body: { title: 'Emma', pages: 1 } });
});

afterAll(() => site?.close());

const editor = (page: Page) => page.getByRole('textbox', { name: 'Specification' });
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).first().click();
const config = async (path = PATH) => (await site.app.inject('GET', `${path}/config`)).body as unknown;
const write = (page: Page, value: unknown) => editor(page).fill(JSON.stringify(value, null, 1));

describe.runIf(canRun)('the specification of a collection', () => {
  it('is an accessible view, as is that of a new one', async () => {
    await site.expectAccessible('/admin/collections/new', 'New collection');
    await site.expectAccessible(HREF, 'Specification of books');
  });

  it('is made with the collection', () =>
    site.visit('/admin/collections', async (page) => {
      await page.getByRole('link', { name: 'New', exact: true }).click();
      await save(page);
      await page.getByText('A name is needed').first().waitFor();
      await page.getByLabel('Database').fill('library');
      await page.getByLabel('Name').fill('books');
      await save(page);
      await page.getByText('There is a collection at this address').waitFor();
      await page.getByLabel('Name').fill('shelves');
      await write(page, {
        fields: { room: { type: 'Reference', settings: { collection: 'rooms' } } },
        settings: {},
      });
      await page.getByText('The field room (Reference) is added').waitFor();
      await save(page);
      await page.getByRole('heading', { level: 1, name: 'shelves' }).waitFor();
      const warning = page
        .getByRole('status')
        .getByText(/^A warning: .*refers to a collection that does not exist/);
      await warning.waitFor();
      expect(await config('/1.0/library/shelves')).toMatchObject({ fields: { room: { type: 'Reference' } } });
    }));

  it('gets its fields by a form too', () =>
    site.visit('/admin/collections/new', async (page) => {
      await page.getByLabel('Database').fill('library');
      await page.getByLabel('Name', { exact: true }).fill('reviews');
      await write(page, { fields: { stars: { type: 'Number' } }, settings: {} });
      const open = page.getByRole('button', { name: 'Add a field' });
      const add = page.getByRole('button', { name: 'Add', exact: true });
      await open.click();
      expect(await axeViolations(page)).toEqual([]);
      await page.getByLabel('Name of the field').fill('stars');
      await page.keyboard.press('Enter');
      await page.getByText('There is a field stars already').waitFor();
      await page.getByLabel('Name of the field').fill('book');
      await page.getByLabel('Label').fill('Book');
      await page.getByLabel('Type').selectOption('Reference');
      await page.getByLabel('Required').check();
      await add.click();
      await page.getByText('Choose a collection').waitFor();
      await page.getByLabel('Leads to').selectOption(PATH);
      await add.click();
      await page.getByText('The field book (Reference) is added').waitFor();
      await open.click();
      await page.getByLabel('Name of the field').fill('text');
      await page.keyboard.press('Enter');
      await page.getByText('The field text (String) is added').waitFor();
      await save(page);
      await page.getByRole('heading', { level: 1, name: 'reviews' }).waitFor();
      const { fields } = (await config('/1.0/library/reviews')) as { fields: unknown };
      expect(fields).toEqual({
        stars: { type: 'Number' },
        book: { type: 'Reference', required: true, label: 'Book', settings: { collection: 'books' } },
        text: { type: 'String' },
      });
    }));

  it('is checked while it is written, and refused at the line of the mistake', () =>
    site.visit(HREF, async (page) => {
      await write(page, { fields: { a: { type: 'Text' } }, settings: {} });
      await page.getByText('Line 4: This is no type').waitFor();
      await save(page);
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').getByText('is not a type').waitFor();
      await page.getByText('Line 3: `Text` is not a type').waitFor();
      expect(await config()).toHaveProperty('fields.title');
    }));

  it('offers the names that it may have', () =>
    site.visit(HREF, async (page) => {
      await editor(page).fill('');
      await editor(page).pressSequentially('{"fields": {"a": {"place');
      await page.getByRole('option', { name: /placement/ }).click();
      await expect.poll(() => editor(page).textContent()).toContain('"placement"');
    }));

  it('says what is lost, in how many documents, before it is saved', () =>
    site.visit(HREF, async (page) => {
      await write(page, { fields: { title: { type: 'String' } }, settings: { storeRevision: true } });
      await page.getByText('The field pages is removed').waitFor();
      await page.getByText('The index on pages, title is dropped').waitFor();
      await save(page);
      const dialog = page.getByRole('dialog', { name: 'Save the specification of books?' });
      await dialog.getByText('1 document has a value in pages').waitFor();
      await dialog.getByText('the keeping of revisions').waitFor();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByText('did you mean `storeRevisions`?').waitFor();
      await page.getByText('Nothing.').waitFor();
      expect(await config()).toMatchObject({ settings: { storeRevision: true } });
    }));

  it('is a choice where somebody else has changed it', () =>
    site.visit(HREF, async (page) => {
      await page.getByText('What saving will change').waitFor();
      const theirs = { fields: { title: {}, theirs: {} }, settings: {} };
      expect((await site.app.inject('POST', `${PATH}/config`, { body: theirs })).status).toBe(200);
      await write(page, { fields: { title: {}, ours: {} }, settings: {} });
      await save(page);
      await page.getByRole('button', { name: 'Take theirs' }).click();
      await page.getByText('Nothing.').waitFor();
      expect(await config()).toMatchObject({ fields: theirs.fields });
      await expect.poll(() => editor(page).textContent()).toContain('theirs');
    }));

  it('says what is gone before the collection is deleted', () =>
    site.visit('/admin/collections/1.0/library/shelves/specification', async (page) => {
      await page.getByRole('button', { name: 'Delete' }).click();
      const dialog = page.getByRole('dialog', { name: 'Delete the collection shelves?' });
      await dialog.getByText('the way to its 0 documents').waitFor();
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('heading', { level: 1, name: 'Collections' }).waitFor();
      expect((await site.app.inject('GET', '/1.0/library/shelves/config')).status).toBe(404);
    }));
});
