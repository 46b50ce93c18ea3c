// The views of recipes: their settings in a form and as JSON, and what they make of a picture.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminSite, PHONE, startAdminSite } from '../helpers/admin/admin-site.ts';
import { hasBrowser } from '../helpers/admin/browser.ts';
import { storeFile } from '../helpers/admin/stored-file.ts';
import { ROOT } from '../helpers/fixtures/source-tree.ts';

let site: AdminSite;
let original: string;
const canRun = hasBrowser();
const lighthouse = readFileSync(join(ROOT, 'docs/examples/lighthouse.jpg'));

beforeAll(async () => {
  if (!canRun) return;
  const open = { type: 'media', authenticate: ['POST', 'PUT', 'DELETE'] };
  site = await startAdminSite({ specs: { '1.0/library/photos': { fields: {}, settings: open } } });
  const file = { fileName: 'lighthouse.jpg', type: 'image/jpeg', body: lighthouse };
  original = (await storeFile(site.app, '/1.0/library/photos', file)).path;
  const body = { recipe: 'thumbnail', settings: { format: 'webp', width: 300, allowOverride: ['width'] } };
  expect((await site.app.inject('POST', '/api/recipes', { body })).status).toBe(201);
});

afterAll(() => site?.close());

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const stored = async (name: string) => (await site.app.inject('GET', `/api/recipes/${name}`)).body;
const delivered = (page: Page) => page.getByRole('region', { name: 'As this recipe delivers it' });

describe.runIf(canRun)('recipes', () => {
  it('are listed with their settings', () =>
    site.visit('/admin/recipes', async (page) => {
      await page.getByText('format webp, width 300').waitFor();
      await page.getByRole('link', { name: 'thumbnail' }).click();
      await heading(page, 'thumbnail').waitFor();
      expect(await page.getByLabel('Width', { exact: true }).inputValue()).toBe('300');
    }));

  it('are views that are accessible', async () => {
    await site.expectAccessible('/admin/recipes', 'Recipes');
    await site.expectAccessible('/admin/recipes/new', 'New recipe');
    await site.expectAccessible(`/admin/recipes/thumbnail?original=${original}`, 'thumbnail');
  });

  it('are made by keyboard alone, after the server has said beside each setting what is wrong', () =>
    site.visit('/admin/recipes/new', async (page) => {
      await page.getByLabel('Name', { exact: true }).focus();
      await page.keyboard.type('thumbnail');
      await page.keyboard.press('Enter');
      await page.getByText('A recipe of this name already exists').waitFor();
      await page.getByLabel('Name', { exact: true }).fill('by-keys');
      const quality = page.getByLabel('Quality');
      await quality.focus();
      await page.keyboard.type('500');
      await page.keyboard.press('Tab');
      await page.keyboard.type('320');
      await page.keyboard.press('Enter');
      await page.getByText(/Setting "quality" must be/).waitFor();
      expect(await quality.getAttribute('aria-invalid')).toBe('true');
      await quality.focus();
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.type('60');
      await page.keyboard.press('Enter');
      await heading(page, 'by-keys').waitFor();
      expect(await stored('by-keys')).toEqual({ recipe: 'by-keys', settings: { quality: 60, width: 320 } });
      expect((await stored('thumbnail')).settings.width).toBe(300);
    }));

  it('keep the focus in the field from which they are saved', () =>
    site.visit('/admin/recipes/by-keys', async (page) => {
      await page.getByLabel('Quality').fill('70');
      await page.keyboard.press('Enter');
      await page.getByRole('status').getByText('was saved').waitFor();
      expect(await page.locator('*:focus').inputValue()).toBe('70');
    }));

  it('show what they make of a picture while they are changed, beside the original', () =>
    site.visit('/admin/recipes/thumbnail', async (page) => {
      await page.getByRole('combobox', { name: 'Original' }).fill('light');
      await page.getByRole('option', { name: original }).click();
      await page.getByRole('button', { name: 'Preview' }).click();
      await delivered(page).getByText('300 × 200').waitFor();
      await delivered(page).getByText('webp').waitFor();
      // Beside the form, and not larger than it is.
      const picture = delivered(page).getByRole('img');
      await picture.scrollIntoViewIfNeeded();
      const box = await picture.boundingBox();
      expect(box?.width).toBeLessThanOrEqual(300);
      const form = await page.getByLabel('Width', { exact: true }).boundingBox();
      expect(box?.x).toBeGreaterThan((form?.x ?? 0) + (form?.width ?? 0));
      await delivered(page)
        .getByText(/% of the original/)
        .waitFor();
      const before = page.getByRole('region', { name: 'The original' });
      await before.getByText('1600 × 1067').waitFor();
      await before.getByText('39.2 kB').waitFor();
      await page.getByLabel('Width', { exact: true }).fill('90');
      await delivered(page).getByText('90 × 60').waitFor();
      expect((await stored('thumbnail')).settings.width).toBe(300);
      await page.getByLabel('Quality').fill('1000');
      await delivered(page).getByRole('alert').getByText('Setting "quality" must be').waitFor();
    }));

  it('keep the original that was chosen when a new one is saved', () =>
    site.visit(`/admin/recipes/new?original=${original}`, async (page) => {
      await page.getByLabel('Name', { exact: true }).fill('kept-original');
      await page.getByRole('button', { name: 'Save' }).click();
      await heading(page, 'kept-original').waitFor();
      expect(new URL(page.url()).searchParams.get('original')).toBe(original);
      await delivered(page).getByText('1600 × 1067').waitFor();
    }));

  it('tell of an original that cannot be read', () =>
    site.visit('/admin/recipes/thumbnail?original=no/such.jpg', async (page) => {
      await delivered(page).getByRole('alert').getByText('File not found').waitFor();
      await page.getByText('only files whose record anyone may read').waitFor();
    }));

  it('are edited as JSON where the form has no place for what they hold', () =>
    site.visit('/admin/recipes/by-keys', async (page) => {
      await page.getByRole('button', { name: 'Edit as JSON' }).click();
      const editor = page.getByRole('textbox', { name: 'The recipe as JSON' });
      await editor.fill('{"settings": {"w": 90, "widht": 1}}');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').getByText('Setting "widht" is unknown').waitFor();
      await editor.fill('{"settings": {"w": 90}}');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('status').getByText('was saved').waitFor();
      expect(await stored('by-keys')).toEqual({ recipe: 'by-keys', settings: { w: 90 } });
    }));

  it('are deleted after the routes are named that lead to them, on a phone', async () => {
    const body = { route: 'to-keys', branches: [{ recipe: 'by-keys' }] };
    expect((await site.app.inject('POST', '/api/routes', { body })).status).toBe(200);
    const work = async (page: Page) => {
      await page.getByRole('button', { name: 'Delete' }).click();
      const dialog = page.getByRole('dialog', { name: 'Delete the recipe by-keys?' });
      await dialog.getByText('what the route to-keys gives').waitFor();
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await heading(page, 'Recipes').waitFor();
    };
    await site.visit('/admin/recipes/by-keys', work, { viewport: PHONE });
    expect((await site.app.inject('GET', '/api/recipes/by-keys')).status).toBe(404);
  });
});
