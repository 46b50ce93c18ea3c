// The views of routes: branches in their order, and visitors tried on them.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminSite, PHONE, startAdminSite } from '../helpers/admin/admin-site.ts';
import { hasBrowser } from '../helpers/admin/browser.ts';

let site: AdminSite;
const canRun = hasBrowser();

const IMAGES = {
  route: 'site-image',
  branches: [
    { condition: { device: ['mobile', 'tablet'] }, recipe: 'small-picture' },
    {
      condition: { language: 'fr', languageMinQuality: 0.5, country: ['FR', 'BE'] },
      recipe: 'french-picture',
    },
    { recipe: 'default-picture' },
  ],
};

beforeAll(async () => {
  if (!canRun) return;
  site = await startAdminSite();
  for (const recipe of ['small-picture', 'french-picture', 'default-picture']) {
    const body = { recipe, settings: { width: 400 } };
    expect((await site.app.inject('POST', '/api/recipes', { body })).status).toBe(201);
  }
  expect((await site.app.inject('POST', '/api/routes', { body: IMAGES })).status).toBe(200);
});

afterAll(() => site?.close());

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const stored = async (name: string) => (await site.app.inject('GET', `/api/routes/${name}`)).body;
const branch = (page: Page, number: number) =>
  page.getByRole('group', { name: `Branch ${number}`, exact: true });
const put = (branches: unknown) => site.app.inject('PUT', '/api/routes/site-image', { body: { branches } });

describe.runIf(canRun)('routes', () => {
  it('are listed with their branches in words', () =>
    site.visit('/admin/routes', async (page) => {
      await page.getByText('small-picture: where the device is mobile or tablet').waitFor();
      await page.getByText('default-picture: everybody').waitFor();
      await page.getByRole('link', { name: 'site-image' }).click();
      await heading(page, 'site-image').waitFor();
      await branch(page, 3).waitFor();
    }));

  it('are views that are accessible', async () => {
    await site.expectAccessible('/admin/routes', 'Routes');
    await site.expectAccessible('/admin/routes/new', 'New route');
    await site.expectAccessible('/admin/routes/site-image?userAgent=x&try=1', 'site-image');
  });

  it('are made in the form, after the server has said beside each branch what is wrong', () =>
    site.visit('/admin/routes', async (page) => {
      await page.getByRole('link', { name: 'New', exact: true }).click();
      await page.getByLabel('Name', { exact: true }).fill('abc');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Route name must be 5 characters or longer').waitFor();
      await branch(page, 1).getByText('This branch does not have a recipe').waitFor();
      await page.getByLabel('Name', { exact: true }).fill('made-here');
      await branch(page, 1).getByRole('combobox', { name: 'Recipe' }).fill('small-picture');
      await branch(page, 1).getByRole('combobox', { name: 'Device' }).fill('mob');
      await page.getByRole('option', { name: 'mobile' }).click();
      await branch(page, 1).getByLabel('Country').fill('FR, BE');
      await page.getByRole('button', { name: 'Add a branch' }).click();
      await page.keyboard.type('default-picture');
      await page.getByRole('button', { name: 'Save' }).click();
      await heading(page, 'made-here').waitFor();
      expect(await stored('made-here')).toEqual({
        route: 'made-here',
        branches: [
          { recipe: 'small-picture', condition: { device: ['mobile'], country: ['FR', 'BE'] } },
          { recipe: 'default-picture' },
        ],
      });
    }));

  it('are put in another order by keyboard alone, with the focus on the branch that moves', () =>
    site.visit('/admin/routes/made-here', async (page) => {
      await page.getByRole('button', { name: 'Move up: branch 2' }).focus();
      await page.keyboard.press('Enter');
      await page.getByText('This is branch 1 of 2 now.').waitFor();
      const focused = page.locator('*:focus');
      await expect.poll(() => focused.getAttribute('aria-label')).toBe('Move down: branch 1');
      await page.getByText('Branch 1 takes everybody').waitFor();
      await page.keyboard.press('Enter');
      await expect.poll(() => focused.getAttribute('aria-label')).toBe('Move up: branch 2');
      await page.keyboard.press('Enter');
      await page.getByText('Branch 1 takes everybody').waitFor();
      await page.getByRole('button', { name: 'Save' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('status').getByText('was saved').waitFor();
      const { branches } = await stored('made-here');
      expect(branches.map(({ recipe }: { recipe: string }) => recipe)).toEqual([
        'default-picture',
        'small-picture',
      ]);
    }));

  it('tell which branch a described visitor takes, and why', () =>
    site.visit('/admin/routes/site-image', async (page) => {
      await page.getByLabel('Example of a device').selectOption({ label: 'Phone: Safari on iPhone' });
      await page.getByRole('button', { name: 'Try', exact: true }).click();
      await page.getByText('This visitor takes branch 1, with the recipe small-picture.').waitFor();
      await page
        .getByText('Holds: the device is mobile or tablet. Found: mobile.', { exact: true })
        .waitFor();
      await page.getByLabel('Example of a device').selectOption({ label: 'Desktop: Firefox on Windows' });
      await page.getByLabel('Accepted languages').fill('fr;q=0.7');
      await page.getByLabel('Country of the visitor').fill('be');
      await page.keyboard.press('Enter');
      await page.getByText('This visitor takes branch 2, with the recipe french-picture.').waitFor();
      const wrong = page.getByLabel('Address', { exact: true });
      await wrong.fill('not an address');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').getByText('an IPv4 or IPv6 address').waitFor();
      await wrong.fill('');
      await page.getByLabel('Country of the visitor').fill('DE');
      await page.getByRole('button', { name: 'Try', exact: true }).click();
      await page.getByText('This visitor takes branch 3').waitFor();
      // The address holds the visitor: whoever opens it sees the same.
      expect(new URL(page.url()).searchParams.get('country')).toBe('DE');
    }));

  it('are not overwritten when somebody else has changed them meanwhile', () =>
    site.visit('/admin/routes/site-image', async (page) => {
      const recipe = branch(page, 1).getByRole('combobox', { name: 'Recipe' });
      await recipe.fill('of-this-tab');
      await put([{ recipe: 'of-another-tab' }]);
      await page.getByRole('button', { name: 'Save' }).click();
      const dialog = page.getByRole('dialog', { name: 'Somebody else changed this' });
      await dialog.getByRole('rowheader', { name: 'branches' }).waitFor();
      await dialog.getByRole('cell', { name: 'of-another-tab' }).waitFor();
      await dialog.getByRole('button', { name: 'Go on editing' }).click();
      await dialog.waitFor({ state: 'hidden' });
      expect(await recipe.inputValue()).toBe('of-this-tab');
      await page.getByRole('button', { name: 'Save' }).click();
      await dialog.getByRole('button', { name: 'Take theirs' }).click();
      await expect.poll(() => recipe.inputValue()).toBe('of-another-tab');
      await branch(page, 2).waitFor({ state: 'hidden' });
      await recipe.fill('again-of-this');
      await put(IMAGES.branches);
      await page.getByRole('button', { name: 'Save' }).click();
      await dialog.getByRole('button', { name: 'Keep mine' }).click();
      await page.getByRole('status').getByText('was saved').waitFor();
      expect((await stored('site-image')).branches).toEqual([{ recipe: 'again-of-this' }]);
    }));

  it('are not overwritten when somebody else changes them between the last look and the write', () =>
    site.visit('/admin/routes/site-image', async (page) => {
      let isFirst = true;
      await page.route('**/api/routes/site-image', async (request) => {
        if (request.request().method() === 'PUT' && isFirst) {
          isFirst = false;
          await put([{ recipe: 'in-between' }]);
        }
        await request.continue();
      });
      const recipe = branch(page, 1).getByRole('combobox', { name: 'Recipe' });
      await recipe.fill('of-this-tab');
      await page.getByRole('button', { name: 'Save' }).click();
      const dialog = page.getByRole('dialog', { name: 'Somebody else changed this' });
      await dialog.getByRole('button', { name: 'Take theirs' }).click();
      await expect.poll(() => recipe.inputValue()).toBe('in-between');
      expect((await stored('site-image')).branches).toEqual([{ recipe: 'in-between' }]);
      await put(IMAGES.branches);
    }));

  it('with what the form has no place for are edited as JSON, and hostile text stays text', async () => {
    const hostile = '<img src=x onerror=alert(1)>';
    await put([{ recipe: 'small-picture', condition: { network: hostile }, note: hostile }]);
    await site.visit('/admin/routes/site-image', async (page) => {
      await page.getByText(`where the connection is ${hostile}`).waitFor();
      await page.getByRole('button', { name: 'Edit as JSON' }).click();
      const editor = page.getByRole('textbox', { name: 'The route as JSON' });
      await editor.fill('{"branches": [{"recipe": "small-picture", "condition": {"place": "x"}}]}');
      await page.getByText('The form cannot show all').waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').getByText('unknown condition "place"').waitFor();
      await editor.fill('{"branches": [');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').getByText('This is no JSON').waitFor();
      await editor.fill('{"branches": [{"recipe": "default-picture"}]}');
      await page.getByRole('button', { name: 'Edit in the form' }).click();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('status').getByText('was saved').waitFor();
      expect(await page.locator('img[src="x"]').count()).toBe(0);
    });
    expect((await stored('site-image')).branches).toEqual([{ recipe: 'default-picture' }]);
  });

  it('are deleted after it is said what will be gone, on a phone', () =>
    site.visit(
      '/admin/routes/made-here',
      async (page) => {
        await page.getByRole('button', { name: 'Delete' }).click();
        const dialog = page.getByRole('dialog', { name: 'Delete the route made-here?' });
        await dialog.getByText('every address that begins with /made-here/').waitFor();
        await dialog.getByRole('button', { name: 'Delete' }).click();
        await heading(page, 'Routes').waitFor();
        expect((await site.app.inject('GET', '/api/routes/made-here')).status).toBe(404);
      },
      { viewport: PHONE },
    ));
});
