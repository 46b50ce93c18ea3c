// The view of the audit log.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminSite, startAdminSite } from '../helpers/admin/admin-site.ts';
import { hasBrowser } from '../helpers/admin/browser.ts';

let site: AdminSite;

const canRun = hasBrowser();
const CLIENTS = 120;

beforeAll(async () => {
  if (!canRun) return;
  site = await startAdminSite();
  const body = { fields: { title: {} }, settings: {} };
  expect((await site.app.inject('POST', '/1.0/library/notes/config', { body })).status).toBe(200);
  for (let n = 1; n <= CLIENTS; n += 1) {
    const body = { clientId: `client${n}`, secret: 'a secret for tests' };
    expect((await site.app.inject('POST', '/api/clients', { body })).status).toBe(201);
  }
});

afterAll(() => site?.close());

describe.runIf(canRun)('the audit log', () => {
  it('is accessible', () => site.expectAccessible('/admin/audit?target=/1.0/library', 'Audit log'));

  it('begins with the newest entry, and goes back as far as it is asked to', () =>
    site.visit('/admin/audit', async (page) => {
      const numbers = page.getByRole('rowheader');
      await numbers.first().waitFor();
      expect(await numbers.first().textContent()).toBe(String(CLIENTS + 2));
      expect(await numbers.count()).toBe(100);
      await page.getByRole('button', { name: 'Show older entries' }).click();
      await page.getByText('There are no older entries.').waitFor();
      expect(await numbers.last().textContent()).toBe('1');
      expect(await numbers.count()).toBe(CLIENTS + 2);
    }));

  it('is narrowed by a form and by a click, and the address says how', () =>
    site.visit('/admin/audit', async (page) => {
      const form = page.getByRole('form', { name: 'Filter' });
      await form.getByLabel('Action').fill('specification');
      await form.getByRole('button', { name: 'Filter' }).click();
      const rows = page.getByRole('rowheader');
      await expect.poll(() => rows.count()).toBe(1);
      expect(new URL(page.url()).search).toBe('?action=specification');
      await page.getByRole('button', { name: 'Show only changes of /1.0/library/notes' }).click();
      await expect.poll(() => new URL(page.url()).searchParams.get('target')).toBe('/1.0/library/notes');
      await page.getByRole('button', { name: 'Show details of entry 2' }).click();
      await page.getByText('Hash of the entry before').waitFor();
      await page.getByRole('button', { name: 'Show all' }).click();
      await expect.poll(() => rows.count()).toBe(100);
    }));

  it('is verified, and the result is announced', () =>
    site.visit('/admin/audit', async (page) => {
      await page.getByRole('button', { name: 'Verify' }).click();
      const report = page.getByRole('status').filter({ hasText: 'The audit log is whole' });
      await report
        .getByText(`${CLIENTS + 2} entries are as they were signed, and none is missing.`)
        .waitFor();
    }));
});
