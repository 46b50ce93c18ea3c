// The review: what waits, what it newly may do, its approval, and who may see and do which of it.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminSite, startAdminSite } from '../helpers/admin/admin-site.ts';
import { hasBrowser } from '../helpers/admin/browser.ts';
import { pressByTab } from '../helpers/admin/keyboard.ts';
import { addReviewer, REVIEWER_SECRET } from '../helpers/app/site.ts';

let site: AdminSite;

const canRun = hasBrowser();
const REVIEWER = { clientId: 'rita', secret: REVIEWER_SECRET };
const PLAIN = { clientId: 'plain', secret: 'a secret for tests' };
const HOSTILE = '</script><img src=x onerror=alert(1)>';
const saying = (word: string) => `module.exports.get = (req, res) => res.json({ word: '${word}' });\n`;
const POLICY = {
  version: 1,
  grants: { collections: [{ name: '1.0/library/books', actions: ['find', 'delete'] }] },
};

const post = (path: string, body: string) =>
  site.app.inject('POST', path, { body, headers: { 'content-type': 'text/plain' } });
const approve = (path: string, token: string) => site.app.inject('POST', `${path}/approve`, { token });

beforeAll(async () => {
  if (!canRun) return;
  site = await startAdminSite({ config: { sandbox: { review: 'all' } } });
  const token = await addReviewer(site.app, REVIEWER.clientId);
  expect((await site.app.inject('POST', '/api/clients', { body: PLAIN })).status).toBe(201);
  expect((await post('/1.0/report/config', saying('first'))).status).toBe(202);
  expect((await approve('/1.0/report/versions/1', token)).status).toBe(200);
  expect((await site.app.inject('PUT', '/1.0/report/policy', { body: POLICY })).status).toBe(202);
  expect(
    (await post('/api/hooks/stamp/config', `module.exports = (obj) => obj; // ${HOSTILE}\n`)).status,
  ).toBe(202);
});

afterAll(() => site?.close());

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const main = (page: Page) => page.locator('main');

describe.runIf(canRun)('the review of posted code', () => {
  it('has accessible views', async () => {
    await site.expectAccessible('/admin/endpoints/review', 'Review', { as: REVIEWER });
    await site.expectAccessible(
      '/admin/endpoints/review/endpoint/1.0/report/2',
      'Review 1.0/report, version 2',
      {
        as: REVIEWER,
      },
    );
  });

  it('says to whoever posts code that it waits, and what is in force meanwhile', () =>
    site.visit('/admin/endpoints/1.0/report', async (page) => {
      const code = page.getByRole('textbox', { name: 'Code', exact: true });
      await code.getByText("'first'").waitFor();
      await code.fill(saying('second'));
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('status').getByText('Version 3 waits for approval').waitFor();
      const waiting = page.getByRole('alert').filter({ hasText: 'Waiting for approval' });
      await waiting.getByText('Version 2, new policy by admin').waitFor();
      await waiting.getByText('Version 3, new code by admin').waitFor();
      await waiting.getByText('A reviewer who wrote none of it decides').waitFor();
      await code.fill(saying('third'));
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('status').getByText('Version 4 waits for approval').waitFor();
      expect((await site.app.inject('GET', '/1.0/report')).body).toEqual({ word: 'first' });
    }));

  it('is read, and not decided, by the admin who posted', () =>
    site.visit('/admin/endpoints/review', async (page) => {
      await main(page).getByText('You may read them, and not decide').waitFor();
      const rows = page.getByRole('row').filter({ hasText: ', version' });
      // What waits longest comes first.
      expect(await rows.locator('th').allTextContents()).toEqual([
        '1.0/report, version 2',
        'stamp, version 1',
        '1.0/report, version 3',
        '1.0/report, version 4',
      ]);
      await rows.filter({ hasText: 'version 2' }).getByText('New policy').waitFor();
      await main(page).getByRole('link', { name: 'stamp, version 1' }).click();
      await heading(page, 'Review stamp, version 1').waitFor();
      await main(page).getByText('Only a reviewer approves or refuses').waitFor();
      for (const name of ['Approve', 'Refuse'])
        expect(await page.getByRole('button', { name }).count()).toBe(0);
    }));

  it('shows first what a policy newly allows, and is approved by keyboard alone', () =>
    site.visit(
      '/admin/endpoints',
      async (page) => {
        const enter = async (name: string) => {
          await main(page).getByRole('link', { name, exact: true }).focus();
          await page.keyboard.press('Enter');
        };
        const row = page.getByRole('row').filter({ hasText: '1.0/report' });
        for (const version of [2, 3, 4])
          await row.getByRole('link', { name: `version ${version}` }).waitFor();
        await enter('Review (4)');
        await heading(page, 'Review').waitFor();
        await enter('1.0/report, version 2');
        await heading(page, 'Review 1.0/report, version 2').waitFor();
        const opened = page.getByRole('alert').filter({ hasText: 'What the code newly may do' });
        await opened.getByText('Read documents and delete documents of 1.0/library/books').waitFor();
        await main(page).getByText('The code is the one in force').waitFor();
        await page.getByRole('button', { name: 'Approve' }).focus();
        await page.keyboard.press('Enter');
        const dialog = page.getByRole('dialog');
        await dialog.getByText('the code and the policy in force').waitFor();
        await pressByTab(page, dialog.getByRole('button', { name: 'Approve' }));
        await heading(page, 'Review').waitFor();
        await page.getByRole('status').getByText('is in force').waitFor();
        const { body } = await site.app.inject('GET', '/1.0/report/policy');
        expect(body).toMatchObject({ ...POLICY, code: { approvedBy: 'client:rita' } });
      },
      { as: REVIEWER },
    ));

  it('leaves versions that say what was new in each', () =>
    site.visit('/admin/endpoints/1.0/report/versions', async (page) => {
      const row = (number: number) =>
        page
          .getByRole('row')
          .filter({ has: page.getByRole('rowheader', { name: new RegExp(`^${number}\\b`) }) });
      await row(1).getByRole('cell', { name: 'Code', exact: true }).waitFor();
      await row(2).getByRole('cell', { name: 'Policy', exact: true }).waitFor();
      await row(3).getByRole('cell', { name: 'Code', exact: true }).waitFor();
    }));

  it('shows code side by side with the one in force, and why an approval is refused', () =>
    site.visit(
      '/admin/endpoints/review/endpoint/1.0/report/3',
      async (page) => {
        await page.getByRole('textbox', { name: 'Code in force' }).getByText("'first'").waitFor();
        const next = page.getByRole('textbox', { name: 'Code of version 3, and its changes' });
        await next.getByText("'second'").waitFor();
        await page.getByRole('button', { name: 'Approve' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
        // The policy is another one since the code was posted.
        await page.getByRole('alert').getByText('policy').first().waitFor();
        expect((await site.app.inject('GET', '/1.0/report')).body).toEqual({ word: 'first' });
        await page.getByRole('button', { name: 'Refuse' }).waitFor();
      },
      { as: REVIEWER },
    ));

  it('shows reviewers code and policies as text, and no way to change or stop them', () =>
    site.visit(
      '/admin/hooks/stamp',
      async (page) => {
        await page.getByRole('textbox', { name: 'Code', exact: true }).getByText(HOSTILE).waitFor();
        expect(await page.locator('main img').count()).toBe(0);
        for (const name of ['Save', 'Suspend', 'Delete'])
          expect(await page.getByRole('button', { name }).count()).toBe(0);
        expect(await main(page).getByRole('link', { name: 'Logs' }).count()).toBe(0);
        await main(page).getByRole('link', { name: 'Policy' }).click();
        await heading(page, 'Policy of stamp').waitFor();
        await main(page).getByText('The code may').first().waitFor();
        expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
      },
      { as: REVIEWER },
    ));

  it('counts what waits on its link, and shows what is posted while it is open', () =>
    site.visit(
      '/admin/endpoints',
      async (page) => {
        const counted = main(page).getByRole('link', { name: /^Review \([1-9]\)$/ });
        await counted.waitFor();
        await page.clock.install();
        await counted.click();
        await main(page).getByRole('link', { name: 'stamp, version 1' }).waitFor();
        expect((await post('/1.0/late/config', saying('late'))).status).toBe(202);
        await page.clock.fastForward(61_000);
        await main(page).getByRole('link', { name: '1.0/late, version 1' }).waitFor();
      },
      { as: REVIEWER },
    ));

  it('is one link away from every view, with how much waits, for who may decide', async () => {
    const hint = (page: Page) =>
      page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /wait/ });
    await site.visit(
      '/admin/status',
      async (page) => {
        await hint(page)
          .filter({ hasText: /^[1-9] versions wait$/ })
          .click();
        await heading(page, 'Review').waitFor();
      },
      { as: REVIEWER },
    );
    await site.visit('/admin/endpoints', async (page) => {
      await main(page)
        .getByRole('link', { name: /^Review \([1-9]\)$/ })
        .waitFor();
      expect(await hint(page).count()).toBe(0);
    });
  });

  it('is not there for other clients', async () => {
    for (const path of [
      '/admin/endpoints/review',
      '/admin/endpoints/new',
      '/admin/hooks',
      '/admin/hooks/stamp',
    ]) {
      await site.visit(path, (page) => heading(page, 'Nothing here').waitFor(), { as: PLAIN });
    }
    await site.visit(
      '/admin/endpoints/1.0/report/policy',
      (page) => main(page).getByText('You may not see this').waitFor(),
      { as: PLAIN },
    );
  });
});
