// The editor for code and JSON, which comes after the view around it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminSite, signIn, startAdminSite } from '../helpers/admin/admin-site.ts';
import { hasBrowser } from '../helpers/admin/browser.ts';
import { ADMIN } from '../helpers/server-process/server-process.ts';

let site: AdminSite;
const canRun = hasBrowser();
const LINES = 400;

beforeAll(async () => {
  if (!canRun) return;
  site = await startAdminSite();
  const body = `module.exports.get = (req, res) => res.json({});\n${'// A line.\n'.repeat(LINES)}`;
  const headers = { 'content-type': 'text/plain' };
  expect((await site.app.inject('POST', '/1.0/long/config', { body, headers })).status).toBe(200);
});

afterAll(() => site?.close());

describe.runIf(canRun)('the editor', () => {
  it.each([
    ['that is empty', '/admin/collections/1.0/library/books/new', 'notes'],
    ['with many lines', '/admin/collections/1.0/library/books/specification', 'Specification'],
    ['with more lines than a window shows', '/admin/endpoints/1.0/long', 'Code'],
  ])('%s moves nothing when it comes', (_, path, name) =>
    site.visit(
      path,
      async (page) => {
        const { promise: release, resolve } = Promise.withResolvers<void>();
        await page.route(/assets\/editor-view/, async (route) => {
          await release;
          await route.continue();
        });
        await signIn(page, ADMIN);
        const places = () =>
          page.evaluate(
            `[...document.querySelectorAll('main input, main button')].map((element) => element.getBoundingClientRect().top + scrollY)`,
          );
        await page.getByText('Loading the editor').first().waitFor();
        const before = await places();
        resolve();
        await page.getByRole('textbox', { name, exact: true }).waitFor();
        await expect.poll(places).toEqual(before);
      },
      { as: null },
    ),
  );
});
