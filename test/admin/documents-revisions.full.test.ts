// The view of the revisions of a document: comparison, and the way back of a state and of a document that was deleted.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminSite, startAdminSite } from '../helpers/admin/admin-site.ts';
import { hasBrowser } from '../helpers/admin/browser.ts';

const PATH = '/1.0/library/books';
let site: AdminSite;
let id: string;
const canRun = hasBrowser();

const stored = async () => (await site.app.inject('GET', `${PATH}/${id}`)).body.results[0];

beforeAll(async () => {
  if (!canRun) return;
  site = await startAdminSite();
  const { body } = await site.app.inject('POST', PATH, { body: { title: 'Emma', pages: 1 } });
  id = String((body.results as unknown as { _id: string }[])[0]?._id);
  await site.app.inject('PUT', `${PATH}/${id}`, {
    body: { title: '<img src=x onerror=alert(1)>', pages: 2 },
  });
});

afterAll(() => site?.close());

describe.runIf(canRun)('the revisions of a document', () => {
  it('are an accessible view', () =>
    site.expectAccessible(
      `/admin/collections${PATH}/${id}/revisions`,
      'Revisions of <img src=x onerror=alert(1)>',
    ));

  it('are compared with the present, and restored', () =>
    site.visit(`/admin/collections${PATH}/${id}`, async (page) => {
      await page.getByRole('link', { name: 'Revisions', exact: true }).click();
      const first = page.getByRole('row').filter({ hasText: 'created' });
      const present = page.getByRole('row').filter({ hasText: 'changed' });
      await present.getByRole('button', { name: 'Compare' }).waitFor();
      // There is nothing to restore in the state of now.
      expect(await present.getByRole('button', { name: 'Restore' }).count()).toBe(0);
      await first.getByRole('button', { name: 'Compare' }).click();
      await page.getByRole('heading', { name: 'What has changed since version 1' }).waitFor();
      await page.getByText('"title": "Emma"').waitFor();
      await page.getByText('<img src=x onerror=alert(1)>').first().waitFor();
      expect(await page.locator('img').count()).toBe(0);
      await first.getByRole('button', { name: 'Restore' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
      await page.getByRole('heading', { level: 1, name: 'Emma' }).waitFor();
      expect(await stored()).toMatchObject({ title: 'Emma', pages: 1, v: 3 });
    }));

  it('bring back a document that was deleted', async () => {
    expect((await site.app.inject('DELETE', `${PATH}/${id}`)).status).toBe(204);
    await site.visit(`/admin/collections${PATH}/${id}`, async (page) => {
      await page.getByRole('link', { name: 'If it was deleted' }).click();
      await page.getByText('The document was deleted').waitFor();
      const changed = page.getByRole('row').filter({ hasText: 'changed' }).first();
      await changed.getByRole('button', { name: 'Restore' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
      await page.getByRole('heading', { level: 1, name: 'Emma' }).waitFor();
      expect(await stored()).toMatchObject({ title: 'Emma', _id: id });
    });
  });
});

describe.runIf(canRun)('the deleted documents of a collection', () => {
  it('are an accessible view', () =>
    site.expectAccessible(`/admin/collections${PATH}/deleted`, 'Deleted from books'));

  it('are listed with who deleted them, and restored from there', async () => {
    const { body } = await site.app.inject('POST', PATH, { body: { title: 'Persuasion', pages: 7 } });
    const gone = String((body.results as unknown as { _id: string }[])[0]?._id);
    expect((await site.app.inject('DELETE', `${PATH}/${gone}`)).status).toBe(204);
    await site.visit(`/admin/collections${PATH}`, async (page) => {
      await page.getByRole('link', { name: 'Deleted', exact: true }).click();
      const row = page.getByRole('row').filter({ hasText: 'Persuasion' });
      await row.getByText('admin').waitFor();
      await row.getByRole('button', { name: 'Restore' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
      await page.getByRole('status').getByText('Persuasion is there again').waitFor();
      await row.waitFor({ state: 'detached' });
      const { body: after } = await site.app.inject('GET', `${PATH}/${gone}`);
      expect(after.results[0]).toMatchObject({ title: 'Persuasion', pages: 7 });
    });
  });
});
