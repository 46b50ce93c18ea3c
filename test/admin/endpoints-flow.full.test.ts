// The way of somebody new to posted code: a mistake at its line, a policy, a review, a suspension, and what the audit log has of it.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AdminSite,
  expectNoSidewaysScrolling,
  PHONE,
  startAdminSite,
} from '../helpers/admin/admin-site.ts';
import { axeViolations, hasBrowser } from '../helpers/admin/browser.ts';
import { addReviewer, REVIEWER_SECRET } from '../helpers/app/site.ts';

let site: AdminSite;

const canRun = hasBrowser();
const RITA = { clientId: 'rita', secret: REVIEWER_SECRET };
const WRONG = `module.exports.get = (req, res) => {
  const now = 1;
  const = now;
  res.json({});
};
`;
const RIGHT = `module.exports.get = (req, res) => {
  const books = Model('1.0/library/books');
  books.find({}).then((found) => res.json(found), (error) => res.status(500).json({ error: error.message }));
};
`;
const BOOKS = { fields: { title: { type: 'String' } }, settings: {} };

beforeAll(async () => {
  if (!canRun) return;
  site = await startAdminSite({
    specs: { '1.0/library/books': BOOKS },
    config: { sandbox: { review: 'grants' } },
  });
  await addReviewer(site.app, RITA.clientId);
});

afterAll(() => site?.close());

const main = (page: Page) => page.locator('main');
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const expectReadable = async (page: Page) => {
  await page.waitForLoadState('networkidle');
  // A dialog that fades away has no contrast for a moment.
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await axeViolations(page)).toEqual([]);
  await expectNoSidewaysScrolling(page);
};
/** Moves the focus to a control as its user would, and presses Enter on it. */
const enter = async (page: Page, role: 'button' | 'link', name: string) => {
  await main(page).getByRole(role, { name, exact: true }).focus();
  await page.keyboard.press('Enter');
};

describe.runIf(canRun)('somebody new to posted code', () => {
  it('is shown a mistake at its line, and puts it right', () =>
    site.visit('/admin/endpoints', async (page) => {
      await enter(page, 'link', 'New');
      await heading(page, 'New endpoint').waitFor();
      await page.getByLabel('Name').fill('shelf');
      const code = page.getByRole('textbox', { name: 'Code' });
      await code.fill(WRONG);
      await enter(page, 'button', 'Save');
      await page.getByRole('alert').getByText('Line 3').waitFor();
      await page.locator('.cm-lint-marker-error').waitFor();
      await expectReadable(page);
      await code.fill(RIGHT);
      await enter(page, 'button', 'Save');
      await heading(page, '1.0/shelf').waitFor();
      await expectReadable(page);
    }));

  it('gives it one collection, which waits for a reviewer', () =>
    site.visit(
      '/admin/endpoints/1.0/shelf/policy',
      async (page) => {
        await page.getByRole('button', { name: 'Add a collection' }).click();
        const grant = page.getByRole('group', { name: 'The code may read documents of a collection' });
        await grant.getByRole('combobox', { name: 'Collection' }).fill('1.0/library/books');
        await page.getByRole('alert').getByText('Read documents of 1.0/library/books').waitFor();
        await expectReadable(page);
        await page.keyboard.press('Escape');
        await enter(page, 'button', 'Save');
        await page.getByText('The policy waits for approval').waitFor();
        await expectReadable(page);
      },
      { viewport: PHONE },
    ));

  it('has it approved by a reviewer', () =>
    site.visit(
      '/admin',
      async (page) => {
        await expectReadable(page);
        await page.getByRole('button', { name: 'Menu' }).click();
        await page.getByRole('link', { name: 'Endpoints' }).click();
        await heading(page, 'Endpoints').waitFor();
        await expectReadable(page);
        await main(page).getByRole('link', { name: 'Review' }).click();
        await main(page).getByRole('link', { name: '1.0/shelf, version 2' }).click();
        await heading(page, 'Review 1.0/shelf, version 2').waitFor();
        await expectReadable(page);
        await enter(page, 'button', 'Approve');
        await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
        await page.getByText('Nothing waits for approval').waitFor();
        await expectReadable(page);
        expect((await site.app.inject('GET', '/1.0/shelf')).body).toMatchObject({ results: [] });
      },
      { as: RITA, viewport: PHONE },
    ));

  it('finds it suspended, and resumes it', async () => {
    expect((await site.app.inject('POST', '/1.0/shelf/suspend')).status).toBe(200);
    await site.visit('/admin/endpoints', async (page) => {
      const row = page.getByRole('row').filter({ hasText: '1.0/shelf' });
      await row.getByText('by the admin admin').waitFor();
      await page.getByRole('searchbox', { name: 'Search' }).fill('nothing');
      await main(page).getByText('No endpoint has "nothing" in its name, address or state').waitFor();
      await page.getByRole('searchbox', { name: 'Search' }).fill('suspended');
      await expectReadable(page);
      await row.getByRole('link', { name: '1.0/shelf' }).click();
      await expectReadable(page);
      await enter(page, 'button', 'Resume');
      await page.getByText('1.0/shelf runs again').waitFor();
      expect((await site.app.inject('GET', '/1.0/shelf')).body).toMatchObject({ results: [] });
    });
  });

  it('reads in the audit log who did what of it', () =>
    site.visit('/admin/endpoints/1.0/shelf', async (page) => {
      await enter(page, 'link', 'What the audit log has of it');
      await heading(page, 'Audit log').waitFor();
      for (const action of ['create', 'propose', 'approve', 'suspend', 'resume'])
        await page.getByRole('row').getByText(`endpoint.${action}`).waitFor();
      await expectReadable(page);
    }));
});
