// A hook from its first code to its end, on a phone.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AdminSite,
  expectNoSidewaysScrolling,
  PHONE,
  startAdminSite,
} from '../helpers/admin/admin-site.ts';
import { hasBrowser } from '../helpers/admin/browser.ts';

let site: AdminSite;

const canRun = hasBrowser();

beforeAll(async () => {
  if (canRun) site = await startAdminSite();
});

afterAll(() => site?.close());

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const source = async (name: string) => (await site.app.inject('GET', `/api/hooks/${name}/config`)).text;

describe.runIf(canRun)('a hook on a phone', () => {
  it('is made, changed, granted a collection, suspended, and deleted', () =>
    site.visit(
      '/admin/hooks/new',
      async (page) => {
        const button = (name: string) => page.getByRole('button', { name, exact: true });
        const confirm = (name: string) =>
          page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
        const section = (name: string) =>
          page.locator('main').getByRole('link', { name, exact: true }).click();
        const code = page.getByRole('textbox', { name: 'Code', exact: true });
        await page.getByLabel('Name').fill('slug');
        await code.fill('module.exports = (obj) => obj; // one\n');
        await button('Save').click();
        await heading(page, 'slug').waitFor();
        await expectNoSidewaysScrolling(page);
        expect(await source('slug')).toContain('// one');
        await code.fill('module.exports = (obj) => obj; // two\n');
        await button('Save').click();
        await page.getByRole('status').getByText('Version 2 is in force').waitFor();
        expect(await source('slug')).toContain('// two');
        await section('Policy');
        await heading(page, 'Policy of slug').waitFor();
        await button('Add a collection').click();
        await page.getByRole('combobox', { name: 'Collection' }).fill('1.0/library/books');
        await page.keyboard.press('Tab');
        await page.getByRole('alert').getByText('Read documents of 1.0/library/books').waitFor();
        await button('Save').click();
        await page.getByRole('status').getByText('is in force').waitFor();
        await expectNoSidewaysScrolling(page);
        const { body } = await site.app.inject('GET', '/api/hooks/slug/policy');
        expect(body.grants).toEqual({ collections: [{ name: '1.0/library/books', actions: ['find'] }] });
        await button('Suspend').click();
        await page.getByRole('dialog').getByText('collections that name it: 503').waitFor();
        await confirm('Suspend');
        await page.getByText('by the admin admin').waitFor();
        await button('Resume').click();
        await button('Delete').click();
        await confirm('Delete');
        await heading(page, 'Hooks').waitFor();
        await page.getByText('There are no hooks yet').waitFor();
      },
      { viewport: PHONE },
    ));
});
