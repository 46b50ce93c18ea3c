// The views of endpoints and hooks: making one, mending its code, trying it, its logs and versions, stopping it.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminSite, startAdminSite } from '../helpers/admin/admin-site.ts';
import { hasBrowser } from '../helpers/admin/browser.ts';
import { pressByTab } from '../helpers/admin/keyboard.ts';

let site: AdminSite;

const canRun = hasBrowser();
const HOSTILE = '<img src=x onerror=alert(1)>';
const GREETING = `module.exports.model = { settings: { authenticate: false } };
module.exports.get = (req, res) => {
  console.warn('${HOSTILE}', req.client ? req.client.clientId : 'nobody');
  res.set('x-seen', 'yes').json({ hello: req.query.name || 'world', by: req.client ? req.client.clientId : null });
};
`;
const CLIENT = { clientId: 'plain', secret: 'a secret for tests' };

const post = (path: string, body: string) =>
  site.app.inject('POST', path, { body, headers: { 'content-type': 'text/plain' } });

beforeAll(async () => {
  if (!canRun) return;
  site = await startAdminSite();
  expect((await site.app.inject('POST', '/api/clients', { body: CLIENT })).status).toBe(201);
  expect((await post('/1.0/greeting/config', GREETING)).status).toBe(200);
  const hook = 'module.exports = (obj) => obj;\n';
  for (const name of ['stamp', 'new'])
    expect((await post(`/api/hooks/${name}/config`, hook)).status).toBe(200);
});

afterAll(() => site?.close());

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const code = (page: Page) => page.getByRole('textbox', { name: 'Code', exact: true });
const link = (page: Page, name: string) => page.locator('main').getByRole('link', { name, exact: true });

describe.runIf(canRun)('the views of endpoints', () => {
  it('are accessible', async () => {
    await site.expectAccessible('/admin/endpoints', 'Endpoints');
    await site.expectAccessible('/admin/endpoints/new', 'New endpoint');
    await site.expectAccessible('/admin/endpoints/1.0/greeting', '1.0/greeting');
    await site.expectAccessible('/admin/endpoints/1.0/greeting/versions', 'Versions of 1.0/greeting');
    await site.expectAccessible('/admin/endpoints/1.0/greeting/try', 'Try 1.0/greeting');
    await site.expectAccessible('/admin/hooks', 'Hooks');
    await site.expectAccessible('/admin/hooks/stamp', 'stamp');
  });

  it('make an endpoint whose mistake is shown at its line until it is put right', () =>
    site.visit('/admin/endpoints', async (page) => {
      await link(page, 'New').click();
      await heading(page, 'New endpoint').waitFor();
      await page.getByLabel('Name').fill('report');
      await code(page).fill(
        'module.exports.get = (req, res) => {\n  const one = 1;\n  res.json({ one: };\n};\n',
      );
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').getByText('Line 3').waitFor();
      await page.locator('.cm-lint-marker-error').waitFor();
      expect((await site.app.inject('GET', '/1.0/report/config')).status).toBe(404);
      await code(page).fill(
        'module.exports.get = (req, res) => {\n  const one = 1;\n  res.json({ one });\n};\n',
      );
      await page.getByRole('button', { name: 'Save' }).click();
      await heading(page, '1.0/report').waitFor();
      expect((await site.app.inject('GET', '/1.0/report')).body).toEqual({ one: 1 });
    }));

  it('refuse to make one in the place of another', () =>
    site.visit('/admin/endpoints/new', async (page) => {
      await page.getByLabel('Name').fill('greeting');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').getByText('There is an endpoint 1.0/greeting already').waitFor();
      await page.getByLabel('Version').fill('api');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').getByText('is reserved').waitFor();
      expect((await site.app.inject('GET', '/1.0/greeting/config')).text).toBe(GREETING);
    }));

  it('show a warning at its line, and the code in force', () =>
    site.visit('/admin/endpoints/1.0/report', async (page) => {
      await code(page).fill('module.exports.get = (req, res) => {\n  seen = 2;\n  res.json({ seen });\n};\n');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('status').getByText('Version 2 is in force').waitFor();
      await page.getByText('line 2: `seen` is assigned to but not declared').first().waitFor();
      await page.locator('.cm-lint-marker-warning').waitFor();
    }));

  it('show what somebody else has saved meanwhile as a choice', () =>
    site.visit('/admin/endpoints/1.0/report', async (page) => {
      await code(page).fill('module.exports.get = (req, res) => res.json({ mine: true });\n');
      const theirs = 'module.exports.get = (req, res) => res.json({ theirs: true });\n';
      expect((await post('/1.0/report/config', theirs)).status).toBe(200);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: 'Take theirs' }).click();
      await code(page).getByText('theirs').waitFor();
      expect((await site.app.inject('GET', '/1.0/report/config')).text).toBe(theirs);
    }));

  it('compare versions and roll back', () =>
    site.visit('/admin/endpoints/1.0/report', async (page) => {
      await link(page, 'Versions').click();
      await heading(page, 'Versions of 1.0/report').waitFor();
      await page.getByRole('button', { name: 'Show version 2' }).click();
      const shown = page.getByRole('textbox', { name: 'Version 2, and its changes since version 1' });
      await shown.getByText('const one = 1;').waitFor();
      await shown.getByText('seen = 2;').waitFor();
      await page.getByRole('button', { name: 'Roll back to version 1' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
      await page.getByRole('rowheader', { name: '4 In force' }).waitFor();
      await page.getByRole('button', { name: 'Roll back to version 2' }).waitFor();
      // Its code is in force again.
      expect(await page.getByRole('button', { name: 'Roll back to version 1' }).count()).toBe(0);
      expect((await site.app.inject('GET', '/1.0/report')).body).toEqual({ one: 1 });
    }));

  it('try a call as oneself, with another token, and as nobody', async () => {
    const token = await site.app.token(CLIENT.clientId, CLIENT.secret);
    await site.visit('/admin/endpoints/1.0/greeting', async (page) => {
      await link(page, 'Try').click();
      await heading(page, 'Try 1.0/greeting').waitFor();
      const body = page.getByRole('region', { name: 'Body of the answer' });
      const send = () => page.getByRole('button', { name: 'Try', exact: true }).click();
      await page.getByLabel('Path').fill(`/1.0/greeting?name=${encodeURIComponent(HOSTILE)}`);
      await page.getByLabel('Headers', { exact: true }).fill('accept-language: de\nhost: elsewhere');
      await send();
      await body.getByText(HOSTILE).waitFor();
      await body.getByText('"by":"admin"').waitFor();
      await page.getByText('200 OK').waitFor();
      expect(await page.getByRole('region', { name: /of the answer$/ }).all()).toHaveLength(2);
      const first = page.getByRole('region', { name: /of the answer$/ }).first();
      expect(await first.getAttribute('aria-label')).toBe('Body of the answer');
      expect(await page.getByRole('link', { name: 'logs of 1.0/greeting' }).count()).toBe(0);
      await page.getByRole('region', { name: 'Headers of the answer' }).getByText('x-seen: yes').waitFor();
      await page.getByText('Browsers do not let pages send: host').waitFor();
      await page.getByRole('radio', { name: /^Whoever has a token/ }).check();
      await page.getByRole('textbox', { name: 'Token' }).fill(token);
      await send();
      await body.getByText('"by":"plain"').waitFor();
      await page.getByRole('radio', { name: /^Nobody/ }).check();
      await send();
      await body.getByText('"by":null').waitFor();
      expect(await page.locator('main img').count()).toBe(0);
      await page.getByLabel('Path').fill('//example.com/');
      await send();
      await page.getByRole('alert').getByText('one of this server').waitFor();
    });
  });

  it('lead from a call that fails to what the code has logged', async () => {
    const body = 'module.exports.get = () => { throw new Error("odd"); };\n';
    const headers = { 'content-type': 'text/plain' };
    expect((await site.app.inject('POST', '/1.0/failing/config', { body, headers })).status).toBe(200);
    await site.visit('/admin/endpoints/1.0/failing/try', async (page) => {
      await page.getByRole('button', { name: 'Try', exact: true }).click();
      await link(page, 'logs of 1.0/failing').click();
      await heading(page, 'Logs of 1.0/failing').waitFor();
      expect((await site.app.inject('DELETE', '/1.0/failing/config')).status).toBe(200);
    });
  });

  it('show what code logs as it comes, as text', () =>
    site.visit('/admin/endpoints/1.0/greeting/logs', async (page) => {
      await heading(page, 'Logs of 1.0/greeting').waitFor();
      await page.getByRole('status').getByText('records, newest first').waitFor();
      expect((await site.app.inject('GET', '/1.0/greeting')).status).toBe(200);
      const records = page.getByRole('table', { name: 'Records of the log' });
      await records.getByText(`${HOSTILE} admin`).first().waitFor();
      expect(await page.locator('main img').count()).toBe(0);
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('paused').waitFor();
      await page.getByRole('combobox', { name: 'Level' }).click();
      await page.getByRole('option', { name: 'error' }).click();
      await page.getByText('Nothing has been logged').waitFor();
    }));

  it('tell what was used in the last hour', async () => {
    expect((await site.app.inject('GET', '/1.0/greeting')).status).toBe(200);
    await site.expectAccessible('/admin/endpoints/1.0/greeting/usage', 'Usage of 1.0/greeting');
    await site.visit('/admin/endpoints/1.0/greeting', async (page) => {
      await link(page, 'Usage').click();
      const minutes = page.getByRole('table', { name: 'Usage by the minute' });
      const { body } = await site.app.inject('GET', '/1.0/greeting/usage');
      expect(body.calls).toBeGreaterThan(0);
      await minutes.getByRole('row').nth(1).waitFor();
      const fact = page.locator('dl > div').filter({ hasText: /^Calls/ });
      expect(await fact.locator('dd').textContent()).toBe(`${body.calls}`);
    });
  });

  it('tell that it was suspended, and runs again, while they are open', async () => {
    await site.visit('/admin/endpoints/1.0/greeting/try', async (page) => {
      await page.getByText('Active', { exact: true }).waitFor();
      expect((await site.app.inject('POST', '/1.0/greeting/suspend')).status).toBe(200);
      await page.getByRole('button', { name: 'Try', exact: true }).click();
      await page.getByText('The endpoint is suspended').waitFor();
      await page.getByText('Suspended', { exact: true }).waitFor();
      expect((await site.app.inject('DELETE', '/1.0/greeting/suspend')).status).toBe(200);
      await link(page, 'Logs').click();
      await page.getByText('Active', { exact: true }).waitFor();
    });
  });

  it('find a suspended one with who did it, and let it run again', async () => {
    expect((await site.app.inject('POST', '/1.0/greeting/suspend')).status).toBe(200);
    await site.visit('/admin/endpoints', async (page) => {
      const row = page.getByRole('row').filter({ hasText: '1.0/greeting' });
      await row.getByText('by the admin admin').waitFor();
      await row.getByRole('link').click();
      await page.getByText('requests are answered with 503').waitFor();
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByRole('button', { name: 'Suspend' }).waitFor();
      expect((await site.app.inject('GET', '/1.0/greeting')).status).toBe(200);
    });
  });

  it('suspend and delete by keyboard alone', () =>
    site.visit('/admin/endpoints/1.0/report', async (page) => {
      const press = (name: string) => pressByTab(page, page.getByRole('button', { name, exact: true }));
      const dialog = page.getByRole('dialog');
      const confirm = (name: string) => pressByTab(page, dialog.getByRole('button', { name, exact: true }));
      await press('Suspend');
      await dialog.getByText('every run of it that is under way').waitFor();
      await confirm('Suspend');
      await page.getByRole('button', { name: 'Resume' }).waitFor();
      expect((await site.app.inject('GET', '/1.0/report')).status).toBe(503);
      await dialog.waitFor({ state: 'hidden' });
      await press('Delete');
      await dialog.getByText('its policy').waitFor();
      await confirm('Delete');
      await heading(page, 'Endpoints').waitFor();
      expect((await site.app.inject('GET', '/1.0/report')).status).toBe(404);
    }));

  it('ask in a dialog that has the keys as soon as it is there, and gives them back', () =>
    site.visit('/admin/endpoints/1.0/greeting', async (page) => {
      const suspend = page.getByRole('button', { name: 'Suspend', exact: true });
      await suspend.focus();
      await page.evaluate(`new MutationObserver(() => {
        const dialog = document.querySelector('[role=dialog]');
        if (dialog !== null) document.body.dataset.focus ??= String(dialog.contains(document.activeElement));
      }).observe(document.body, { subtree: true, childList: true })`);
      await page.keyboard.press('Enter');
      const cancel = page.getByRole('dialog').getByRole('button', { name: 'Cancel' });
      await cancel.and(page.locator(':focus')).waitFor();
      expect(await page.locator('body').getAttribute('data-focus')).toBe('true');
      // Whoever wants no motion gets none: what moves is clicked beside.
      const style = await page.getByRole('dialog').getAttribute('style');
      expect(style ?? '').not.toContain('transition');
      await page.keyboard.press('Enter');
      await suspend.and(page.locator(':focus')).waitFor();
      expect((await site.app.inject('GET', '/1.0/greeting')).status).toBe(200);
    }));

  it('reach a hook whose name is that of another view', () =>
    site.visit('/admin/hooks', async (page) => {
      await page.getByRole('rowheader', { name: 'new' }).getByRole('link').click();
      await heading(page, 'new').waitFor();
      await code(page).getByText('module.exports').waitFor();
    }));

  it('show a client that is no admin what it may call, and nothing of the code', () =>
    site.visit(
      '/admin/endpoints',
      async (page) => {
        await page.getByRole('rowheader', { name: '1.0/greeting' }).getByRole('link').click();
        await heading(page, 'Try 1.0/greeting').waitFor();
        for (const name of ['Code', 'Policy', 'Versions', 'Logs'])
          expect(await link(page, name).count()).toBe(0);
        for (const name of ['Suspend', 'Delete'])
          expect(await page.getByRole('button', { name }).count()).toBe(0);
        await page.getByRole('button', { name: 'Try', exact: true }).click();
        await page.getByRole('region', { name: 'Body of the answer' }).getByText('"by":"plain"').waitFor();
      },
      { as: CLIENT },
    ));
});
