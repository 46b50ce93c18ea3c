// The views of documents by keyboard alone: a document with a reference is made, changed, brought back and deleted.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminSite, PHONE, startAdminSite } from '../helpers/admin/admin-site.ts';
import { hasBrowser } from '../helpers/admin/browser.ts';
import { pressByTab as press, tabTo } from '../helpers/admin/keyboard.ts';

const PATH = '/1.0/library/books';

let site: AdminSite;
const canRun = hasBrowser();

beforeAll(async () => {
  if (!canRun) return;
  site = await startAdminSite();
  await site.app.inject('POST', '/1.0/library/people', {
    body: [{ name: 'Jane Austen' }, { name: 'Emily' }],
  });
});

afterAll(() => site?.close());

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

describe.runIf(canRun)('documents', () => {
  it('are made, changed, restored and deleted by keyboard alone, at the width of a phone', () =>
    site.visit(
      `/admin/collections${PATH}`,
      async (page) => {
        await press(page, page.getByRole('link', { name: 'New', exact: true }));
        await heading(page, 'New in books').waitFor();
        await tabTo(page, page.getByLabel('title'));
        await page.keyboard.type('Emma');
        await tabTo(page, page.getByLabel('inPrint'));
        await page.keyboard.press('Space');
        await tabTo(page, page.getByRole('combobox', { name: 'author' }));
        await page.keyboard.type('austen');
        await page.getByRole('option', { name: 'Jane Austen' }).waitFor();
        await page.getByRole('option', { name: 'Emily' }).waitFor({ state: 'hidden' });
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Enter');
        await page.getByRole('link', { name: 'Open Jane Austen' }).waitFor();
        await press(page, button(page, 'Save'));
        await heading(page, 'Emma').waitFor();
        const id = page.url().split('/').at(-1) ?? '';
        await tabTo(page, page.getByLabel('pages'));
        await page.keyboard.type('474');
        await page.keyboard.press('Enter');
        await page.getByRole('status').getByText('was saved').waitFor();
        const { body } = await site.app.inject('GET', `${PATH}/${id}`);
        expect(body.results[0]).toMatchObject({ title: 'Emma', pages: 474, inPrint: true, v: 2 });
        await press(page, page.getByRole('link', { name: 'Revisions', exact: true }));
        await heading(page, 'Revisions of Emma').waitFor();
        const first = page.getByRole('row').filter({ hasText: 'created' });
        await press(page, first.getByRole('button', { name: 'Restore' }));
        await press(page, page.getByRole('dialog').getByRole('button', { name: 'Restore' }));
        await heading(page, 'Emma').waitFor();
        await expect.poll(() => page.getByLabel('pages').inputValue()).toBe('');
        await press(page, button(page, 'Delete'));
        await press(page, page.getByRole('dialog').getByRole('button', { name: 'Cancel' }));
        // The focus is back where it was, although the button was disabled while the page looked for what refers to the document.
        await button(page, 'Delete').and(page.locator(':focus')).waitFor();
        await page.keyboard.press('Enter');
        await press(page, page.getByRole('dialog').getByRole('button', { name: 'Delete' }));
        await heading(page, 'books').waitFor();
        expect((await site.app.inject('GET', `${PATH}/${id}`)).status).toBe(404);
      },
      { viewport: PHONE },
    ));
});
