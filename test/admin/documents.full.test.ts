// The views of documents: lists with search, order and pages, forms made from the specification, conflicts, and their end.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminSite, startAdminSite } from '../helpers/admin/admin-site.ts';
import { hasBrowser } from '../helpers/admin/browser.ts';
import { BOOKS, book, PEOPLE } from '../helpers/fixtures/library.ts';

const HOSTILE = '<img src=x onerror=alert(1)>';
const BOOKS_HREF = '/admin/collections/1.0/library/books';
const BOOKS_PATH = '/1.0/library/books';

const SPECS = {
  '1.0/library/books': BOOKS,
  '1.0/library/people': PEOPLE,
  '1.0/library/names': {
    fields: { title: {}, constructor: {}, toString: { validation: { maxLength: 9 } } },
    settings: {},
  },
  '1.0/library/notes': {
    fields: {
      heading: { label: 'Heading of the note', required: true, display: { index: true, edit: true } },
      body: {
        label: HOSTILE,
        comments: `What it says ${HOSTILE}`,
        example: 'Buy milk',
        display: { index: false },
      },
      secret: { display: { index: false, edit: false } },
      rank: { type: 'Number', label: 'Rank', default: 3, placement: 'sidebar', display: { index: true } },
      owner: { label: 'Owner', access: { write: ['client:nobody'] } },
    },
    settings: {
      access: {
        read: [{ to: 'clients' }],
        create: [{ to: 'clients' }],
        update: [{ to: 'clients' }],
      },
    },
  },
};

let site: AdminSite;
const canRun = hasBrowser();

const create = async (path: string, body: unknown): Promise<string> => {
  const { body: answer } = await site.app.inject('POST', path, { body });
  return (answer as unknown as { results: { _id: string }[] }).results[0]?._id ?? '';
};
const stored = async (path: string, id: string) =>
  (await site.app.inject('GET', `${path}/${id}`)).body.results[0] as Record<string, unknown>;

beforeAll(async () => {
  if (!canRun) return;
  site = await startAdminSite({ specs: SPECS });
  await site.app.inject('POST', BOOKS_PATH, { body: Array.from({ length: 95 }, (_, n) => book(n)) });
});

afterAll(() => site?.close());

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const saved = (page: Page) => page.getByRole('status').getByText('was saved').waitFor();

describe.runIf(canRun)('the documents of a collection', () => {
  it('have fields of any name, also of those that every object has', async () => {
    const id = await create('/1.0/library/names', { title: 'Names' });
    await site.visit('/admin/collections/1.0/library/names', async (page) => {
      await page.getByRole('link', { name: 'Names' }).click();
      expect(await page.getByLabel('constructor').inputValue()).toBe('');
      await page.getByLabel('toString').fill('text');
      await button(page, 'Save').click();
      await saved(page);
      const after = await stored('/1.0/library/names', id);
      expect(Object.keys(after)).not.toContain('constructor');
      expect(after['toString']).toBe('text');
    });
  });

  it('are accessible views', async () => {
    const id = await create('/1.0/library/people', { name: 'Ada', email: 'ada@example.org' });
    await site.expectAccessible(BOOKS_HREF, 'books');
    await site.expectAccessible('/admin/collections/1.0/library/people/new', 'New in people');
    await site.expectAccessible(`/admin/collections/1.0/library/people/${id}`, 'Ada');
    await site.expectAccessible('/admin/collections/1.0/library/books/new', 'New in books');
    await site.expectAccessible('/admin/collections/1.0/library/notes/new', 'New in notes');
  });

  it('are listed page by page, in the order of a column, with page and order in the address', () =>
    site.visit(BOOKS_HREF, async (page) => {
      await page.getByText('95 documents, page 1 of 3').waitFor();
      await button(page, 'Next').click();
      await page.getByText('page 2 of 3').waitFor();
      await page.getByRole('link', { name: 'Book 0040' }).waitFor();
      await page.getByRole('button', { name: /^title/ }).click();
      await page.getByRole('link', { name: 'Book 0094' }).waitFor();
      await page.locator('th[aria-sort=descending]').filter({ hasText: 'title' }).waitFor();
      expect(page.url()).toContain('sort=title&sortOrder=desc');
      await page.goBack();
      await page.getByRole('link', { name: 'Book 0040' }).waitFor();
    }));

  it('keep the words of the other columns whole beside a long text', async () => {
    const path = '/1.0/library/notes';
    await create(path, { heading: 'W'.repeat(5000), rank: 12345 });
    await site.visit(`/admin/collections${path}`, async (page) => {
      const rank = page.getByRole('cell', { name: '12345', exact: true });
      await rank.waitFor();
      // As many lines as boxes.
      const lines =
        'const text = document.createRange(); text.selectNodeContents(node); return text.getClientRects().length';
      const countLines = new Function('node', lines) as (node: unknown) => number;
      expect(await rank.locator('div').evaluate(countLines)).toBe(1);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    });
  });

  it('are searched by a field, with the filter in the address', () =>
    site.visit(BOOKS_HREF, async (page) => {
      const form = page.getByRole('form', { name: 'Search' });
      await form.getByLabel('Value').fill('ook 009');
      await page.keyboard.press('Enter');
      await page.getByText('5 documents').waitFor();
      expect(new URL(page.url()).searchParams.get('filter')).toBe('{"title":{"$regex":"ook 009"}}');
      await form.getByLabel('Value').fill('(');
      await page.keyboard.press('Enter');
      await page.getByText('No document matches.').waitFor();
      await form.getByLabel('Search in').selectOption('Filter in JSON');
      await form.getByLabel('Filter', { exact: true }).fill('{"titel": 1}');
      await button(page, 'Search').click();
      await page.getByRole('alert').getByText('titel').waitFor();
      await button(page, 'Show all').click();
      await page.getByText('95 documents').waitFor();
    }));

  it('are made and changed by a form, in only what was changed', () =>
    site.visit(BOOKS_HREF, async (page) => {
      await page.getByRole('link', { name: 'New', exact: true }).click();
      await heading(page, 'New in books').waitFor();
      await page.getByLabel('title').fill('Persuasion');
      await page.getByLabel('pages').fill('249');
      await page.getByLabel('inPrint').check();
      await page.getByLabel('published').fill('1817-12-20T10:00');
      await page.getByRole('textbox', { name: 'dimensions' }).fill('{"height": 20}');
      await button(page, 'Save').click();
      await heading(page, 'Persuasion').waitFor();
      const id = page.url().split('/').at(-1) ?? '';
      expect(await stored(BOOKS_PATH, id)).toMatchObject({
        title: 'Persuasion',
        pages: 249,
        inPrint: true,
        dimensions: { height: 20 },
        v: 1,
      });
      await page.getByLabel('pages').fill('');
      await page.getByLabel('isbn').fill('0-19-953555-0');
      await button(page, 'Save').click();
      await saved(page);
      const after = await stored(BOOKS_PATH, id);
      expect(after).toMatchObject({ isbn: '0-19-953555-0', inPrint: true, v: 2 });
      expect(after).not.toHaveProperty('pages');
    }));

  it('are refused beside their fields, which get the focus', () =>
    site.visit(`${BOOKS_HREF}/new`, async (page) => {
      await page.getByLabel('isbn').fill('no number');
      await page.getByLabel('pages').fill('many');
      await button(page, 'Save').click();
      await page.getByText('This is no number.').waitFor();
      await expect.poll(() => page.evaluate('document.activeElement.value')).toBe('many');
      await page.getByLabel('pages').fill('12');
      await button(page, 'Save').click();
      await page.getByText('A book needs a title').waitFor();
      await page.getByText('should match the pattern').waitFor();
      expect(await page.getByLabel('title').getAttribute('aria-invalid')).toBe('true');
    }));

  it('say where JSON is wrong', () =>
    site.visit(`${BOOKS_HREF}/new`, async (page) => {
      await page.getByLabel('title').fill('A title');
      await page.getByRole('textbox', { name: 'notes' }).fill('{"a": 1,\n "b": oops}');
      await page.getByText('notes: Line 2, column 7').waitFor();
      await button(page, 'Save').click();
      await heading(page, 'New in books').waitFor();
      expect((await site.app.inject('GET', `${BOOKS_PATH}?filter={"title":"A title"}`)).body.results).toEqual(
        [],
      );
    }));

  it('refer to documents that are found by words or made in place', async () => {
    const jane = await create('/1.0/library/people', { name: 'Jane Austen' });
    await create('/1.0/library/people', { name: 'Emily' });
    await site.visit(`${BOOKS_HREF}/new`, async (page) => {
      await page.getByLabel('title').fill('Emma');
      const author = page.getByRole('combobox', { name: 'author' });
      await Promise.all([page.waitForResponse(/regex.*austen/), author.fill('austen')]);
      // The list grows shorter when the search is answered.
      await page.getByRole('option', { name: 'Emily' }).waitFor({ state: 'hidden' });
      await page.getByRole('option', { name: 'Jane Austen' }).click();
      await button(page, 'Save').click();
      await heading(page, 'Emma').waitFor();
      const id = page.url().split('/').at(-1) ?? '';
      expect(await stored(BOOKS_PATH, id)).toMatchObject({ author: jane });
      await page.getByRole('link', { name: 'Open Jane Austen' }).waitFor();
      await button(page, 'Choose several documents').first().click();
      await button(page, 'New').first().click();
      const dialog = page.getByRole('dialog', { name: 'New in people' });
      await dialog.getByLabel('email').fill('x@example.org');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.getByText('must be specified').waitFor();
      await dialog.getByLabel('name').fill('Another Lady');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('link', { name: 'Open Another Lady' }).waitFor();
      await button(page, 'Save').click();
      await saved(page);
      expect((await stored(BOOKS_PATH, id))['author']).toEqual([jane, expect.any(String)]);
    });
  });

  it('are a choice where somebody else has changed them', async () => {
    const id = await create(BOOKS_PATH, { title: 'Two tabs', pages: 1 });
    await site.visit(`${BOOKS_HREF}/${id}`, async (page) => {
      await page.getByLabel('pages').fill('2');
      await site.app.inject('PUT', `${BOOKS_PATH}/${id}`, { body: { isbn: '1234567890' } });
      await button(page, 'Save').click();
      const differing = page.getByRole('table', { name: 'What differs' });
      await differing.getByRole('row', { name: 'isbn 1234567890 not changed' }).waitFor();
      await differing.getByRole('row', { name: 'pages not changed 2' }).waitFor();
      expect(await differing.getByRole('rowheader').allTextContents()).toEqual(['isbn', 'pages']);
      expect(await page.getByText('If-Match').count()).toBe(0);
      await page.getByText('writes only the fields that you changed').waitFor();
      await button(page, 'Go on editing').click();
      expect(await page.getByLabel('pages').inputValue()).toBe('2');
      await button(page, 'Save').click();
      await button(page, 'Take theirs').click();
      await expect.poll(() => page.getByLabel('isbn').inputValue()).toBe('1234567890');
      expect(await page.getByLabel('pages').inputValue()).toBe('1');
      await page.getByLabel('pages').fill('3');
      await site.app.inject('PUT', `${BOOKS_PATH}/${id}`, { body: { isbn: '1234567891' } });
      await button(page, 'Save').click();
      await button(page, 'Keep mine').click();
      await saved(page);
      expect(await stored(BOOKS_PATH, id)).toMatchObject({ pages: 3, isbn: '1234567891' });
    });
  });

  it('say of a value that must be unique that another document has it', async () => {
    await create('/1.0/library/people', { name: 'One', email: 'one@example.com' });
    await site.visit('/admin/collections/1.0/library/people/new', async (page) => {
      await page.getByLabel('name').fill('Two');
      await page.getByLabel('email').fill('one@example.com');
      await button(page, 'Save').click();
      await page.getByText('Another document has this value').waitFor();
    });
  });

  it('say what will be gone before they are deleted', async () => {
    const author = await create('/1.0/library/people', { name: 'Mary' });
    await create(BOOKS_PATH, { title: 'Frankenstein', author });
    await site.visit(`/admin/collections/1.0/library/people/${author}`, async (page) => {
      await button(page, 'Delete').click();
      const dialog = page.getByRole('dialog', { name: 'Delete Mary?' });
      await dialog.getByText('what 1 document of books refers to in "author"').waitFor();
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await heading(page, 'people').waitFor();
      expect((await site.app.inject('GET', `/1.0/library/people/${author}`)).status).toBe(404);
    });
  });

  it('show labels, examples, defaults and what the caller may not write, all of it as text', async () => {
    await site.app.userToken('reader');
    const secret = 'a secret of a user';
    await site.app.inject('POST', '/api/clients', { body: { clientId: 'writer', secret } });
    const id = await create('/1.0/library/notes', { heading: HOSTILE, owner: 'me' });
    await site.visit(
      `/admin/collections/1.0/library/notes/${id}`,
      async (page) => {
        await heading(page, HOSTILE).waitFor();
        await page.getByText('Example: Buy milk').waitFor();
        await page.getByText('You may not write this field.').waitFor();
        expect(await page.getByLabel('Owner').getAttribute('readonly')).not.toBeNull();
        expect(await page.getByLabel('Rank').inputValue()).toBe('3');
        expect(await page.getByLabel('secret').count()).toBe(0);
        expect(await button(page, 'Delete').count()).toBe(0);
        expect(await page.locator('img').count()).toBe(0);
        await page.getByRole('textbox', { name: HOSTILE }).fill('changed');
        await button(page, 'Save').click();
        await saved(page);
        expect(await stored('/1.0/library/notes', id)).toMatchObject({ body: 'changed', owner: 'me' });
      },
      { as: { clientId: 'writer', secret } },
    );
  });
});
