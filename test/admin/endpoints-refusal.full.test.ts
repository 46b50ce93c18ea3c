// Refusing what waits: the dialog, what the author is told, and what a reviewer sees where another one was faster.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminSite, PHONE, startAdminSite } from '../helpers/admin/admin-site.ts';
import { axeViolations, hasBrowser } from '../helpers/admin/browser.ts';
import { pressByTab } from '../helpers/admin/keyboard.ts';
import { addReviewer, REVIEWER_SECRET } from '../helpers/app/site.ts';

let site: AdminSite;
let second: string;

const canRun = hasBrowser();
const RITA = { clientId: 'rita', secret: REVIEWER_SECRET };
const BOTH = { clientId: 'both', secret: REVIEWER_SECRET };
const HOSTILE = '<img src=x onerror=alert(1)>\nand line 2';
const saying = (word: string) => `module.exports.get = (req, res) => res.json({ word: '${word}' });\n`;

const post = async (path: string, body: string, token?: string) => {
  const headers = { 'content-type': 'text/plain' };
  const { status } = await site.app.inject('POST', `${path}/config`, {
    body,
    headers,
    ...(token && { token }),
  });
  expect(status).toBe(202);
};
const decide = (path: string, decision: 'approve' | 'refuse', body?: object) =>
  site.app.inject('POST', `${path}/${decision}`, { token: second, ...(body && { body }) });

beforeAll(async () => {
  if (!canRun) return;
  site = await startAdminSite({ config: { sandbox: { review: 'all' } } });
  await addReviewer(site.app, RITA.clientId);
  second = await addReviewer(site.app, 'second');
  const both = await addReviewer(site.app, BOTH.clientId, true);
  await post('/1.0/report', saying('first'));
  expect((await decide('/1.0/report/versions/1', 'approve')).status).toBe(200);
  await post('/1.0/report', saying('second'));
  await post('/api/hooks/stamp', 'module.exports = (obj) => obj;\n');
  await post('/1.0/mine', saying('mine'), both);
});

afterAll(() => site?.close());

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const main = (page: Page) => page.locator('main');
const REVIEW = '/admin/endpoints/review';

describe.runIf(canRun)('the refusal of a version', () => {
  it('is asked for with a reason, by keyboard alone, and says what it does', () =>
    site.visit(
      `${REVIEW}/endpoint/1.0/report/2`,
      async (page) => {
        await page.getByRole('button', { name: 'Refuse' }).focus();
        await page.keyboard.press('Enter');
        const dialog = page.getByRole('dialog', { name: 'Refuse version 2 of 1.0/report?' });
        await dialog.getByText('never comes into force, by a roll back either').waitFor();
        const reason = dialog.getByRole('textbox', { name: 'Reason' });
        await dialog.locator('textarea:focus').waitFor();
        expect(await axeViolations(page)).toEqual([]);
        await page.keyboard.type('   ');
        const refuse = dialog.getByRole('button', { name: 'Refuse' });
        await pressByTab(page, refuse);
        await dialog.getByText('of 1 to 1,000 characters').waitFor();
        await reason.fill(HOSTILE);
        await pressByTab(page, refuse);
        await heading(page, 'Review').waitFor();
        await page.getByRole('status').getByText('Version 2 of 1.0/report is refused').waitFor();
        expect(await page.getByRole('link', { name: '1.0/report, version 2' }).count()).toBe(0);
        expect((await site.app.inject('GET', '/1.0/report')).body).toEqual({ word: 'first' });
      },
      { as: RITA },
    ));

  it('is told to the author with its reason as text, and offers no way back to the version', async () => {
    await site.visit('/admin/endpoints/1.0/report/versions', async (page) => {
      const note = page.getByRole('alert').filter({ hasText: 'Version 2 was refused' });
      await note.getByText('<img src=x onerror=alert(1)>').waitFor();
      const row = page.getByRole('row').filter({ hasText: 'by rita' });
      await row.getByText('and line 2').waitFor();
      expect(await row.getByRole('button', { name: 'Roll back' }).count()).toBe(0);
      expect(await page.locator('main img').count()).toBe(0);
    });
    await site.expectAccessible('/admin/endpoints/1.0/report/versions', 'Versions of 1.0/report');
  });

  it('leaves an endpoint without code in force in the list, and its code in the editor', async () => {
    const body = { reason: 'no' };
    expect((await decide('/api/hooks/stamp/versions/1', 'refuse', body)).status).toBe(200);
    await site.visit('/admin/hooks', async (page) => {
      const row = page.getByRole('row').filter({ hasText: 'stamp' });
      await row.getByText('Refused').waitFor();
      await row.getByRole('link', { name: 'stamp' }).click();
      await main(page).getByText('This is version 1, which was not approved').waitFor();
      const code = page.getByRole('textbox', { name: 'Code', exact: true });
      await code.fill('module.exports = (obj) => ({ ...obj, stamp: 1 });\n');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('status').getByText('Version 2 waits for approval').waitFor();
      await page.getByRole('alert').filter({ hasText: 'was refused' }).waitFor({ state: 'detached' });
    });
  });

  it('is not offered to who posted the version', () =>
    site.visit(
      `${REVIEW}/endpoint/1.0/mine/1`,
      async (page) => {
        await main(page).getByText('You posted this version').waitFor();
        expect(await page.getByRole('button', { name: 'Refuse' }).count()).toBe(0);
      },
      { as: BOTH },
    ));

  it('that comes after that of another reviewer is told as such, and the view shows what was decided', () =>
    site.visit(
      `${REVIEW}/endpoint/1.0/mine/1`,
      async (page) => {
        await page.getByRole('button', { name: 'Refuse' }).click();
        await page.getByRole('textbox', { name: 'Reason' }).fill('mine');
        const body = { reason: 'theirs' };
        expect((await decide('/1.0/mine/versions/1', 'refuse', body)).status).toBe(200);
        await page.getByRole('dialog').getByRole('button', { name: 'Refuse' }).click();
        await page.getByRole('alert').getByText('second has refused version 1').waitFor();
        await page
          .getByRole('alert')
          .filter({ hasText: 'Version 1 was refused' })
          .getByText('theirs')
          .waitFor();
        expect(await page.getByRole('dialog').count()).toBe(0);
        await main(page).getByRole('link', { name: 'To what waits' }).click();
        await heading(page, 'Review').waitFor();
        expect(await page.getByRole('link', { name: '1.0/mine, version 1' }).count()).toBe(0);
      },
      { as: RITA, viewport: PHONE },
    ));

  it('leads its author to the code of the version, as a draft in the editor that is saved as a new one', () =>
    site.visit('/admin/endpoints/1.0/report', async (page) => {
      const code = page.getByRole('textbox', { name: 'Code', exact: true });
      await code.getByText("'first'").waitFor();
      const note = page.getByRole('alert').filter({ hasText: 'Version 2 was refused' });
      await note.getByRole('button', { name: 'Edit this version' }).click();
      await code.getByText("'second'").waitFor();
      await page.getByRole('button', { name: 'Discard changes' }).click();
      await code.getByText("'first'").waitFor();
      await code.fill(saying('unsaved'));
      await main(page).getByRole('link', { name: 'Versions' }).click();
      await page.getByRole('dialog', { name: 'Leave without saving?' }).getByText('Leave').last().click();
      const row = page.getByRole('row').filter({ hasText: 'by rita' });
      await row.getByRole('button', { name: 'Edit this version' }).click();
      await code.getByText("'second'").waitFor();
      await main(page).getByText('holds the code of version 2 as a draft').waitFor();
      await code.fill(saying('put right'));
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('status').getByText('Version 3 waits for approval').waitFor();
      await note.waitFor({ state: 'detached' });
      expect(new URL(page.url()).search).toBe('');
      await code.getByText("'put right'").waitFor();
    }));
});
