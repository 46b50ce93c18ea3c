// The views of clients: making one, its secret, its rights in words, its end.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminSite, signIn, startAdminSite } from '../helpers/admin/admin-site.ts';
import { hasBrowser } from '../helpers/admin/browser.ts';

let site: AdminSite;

const canRun = hasBrowser();

beforeAll(async () => {
  if (!canRun) return;
  site = await startAdminSite();
  const body = {
    clientId: 'editor@example.org',
    roles: ['chief'],
    permissions: { collections: [{ path: 'books', actions: ['read'] }], endpoints: [{ path: 'report' }] },
  };
  expect((await site.app.inject('POST', '/api/clients', { body })).status).toBe(201);
});

afterAll(() => site?.close());

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const stored = async (id: string) =>
  (await site.app.inject('GET', `/api/clients/${encodeURIComponent(id)}`)).body;

describe.runIf(canRun)('the clients', () => {
  it('are listed with their rights in words', () =>
    site.visit('/admin/clients', async (page) => {
      const row = page.getByRole('row').filter({ hasText: 'editor@example.org' });
      await row.getByText('This client may read books; call report').waitFor();
      await row.getByRole('link').click();
      await heading(page, 'editor@example.org').waitFor();
    }));

  it('are accessible views', async () => {
    await site.expectAccessible('/admin/clients', 'Clients');
    await site.expectAccessible('/admin/clients/new', 'New client');
    await site.expectAccessible('/admin/clients/editor@example.org', 'editor@example.org');
  });

  it('are made with a secret that is shown once and is good', () =>
    site.visit('/admin/clients', async (page) => {
      await page.getByRole('link', { name: 'New', exact: true }).click();
      await heading(page, 'New client').waitFor();
      await page.getByLabel('Client ID').fill('made-here');
      await page.getByRole('combobox', { name: 'Roles' }).fill('author');
      await page.keyboard.press('Enter');
      await page.getByRole('radio', { name: 'Chosen collections and endpoints' }).check();
      await page.getByRole('button', { name: 'Add a collection' }).click();
      const name = page.getByRole('combobox', { name: 'Name of the collection' });
      expect(await page.getByText('This client may').textContent()).not.toContain('""');
      await name.fill('peop');
      await page.getByRole('option', { name: 'people', exact: true }).click();
      await page.getByRole('checkbox', { name: 'Update' }).check();
      await page.getByText('This client may read and update people').waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      const dialog = page.getByRole('dialog', { name: 'The secret of made-here' });
      const secret = (await dialog.getByLabel('Secret', { exact: true }).textContent()) ?? '';
      // Nobody loses it by a key.
      await page.keyboard.press('Escape');
      await page.evaluate('new Promise(requestAnimationFrame)');
      expect(await dialog.getByLabel('Secret', { exact: true }).textContent()).toBe(secret);
      await dialog.getByRole('button', { name: 'I have it' }).click();
      await heading(page, 'made-here').waitFor();
      expect(await site.app.token('made-here', secret)).toBeTruthy();
      expect((await stored('made-here')).results[0]).toEqual({
        clientId: 'made-here',
        accessType: 'user',
        roles: ['author'],
        permissions: { collections: [{ path: 'people', actions: ['read', 'update'] }], endpoints: [] },
      });
    }));

  it('are refused beside the field that is wrong', () =>
    site.visit('/admin/clients/new', async (page) => {
      await page.getByLabel('Client ID').fill('not an id');
      await page.getByLabel('Secret', { exact: true }).fill('short');
      await page.getByRole('button', { name: 'Save' }).click();
      const field = page.getByLabel('Client ID');
      await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
      const described = String(await field.getAttribute('aria-describedby'))
        .trim()
        .split(/\s+/);
      const texts = await Promise.all(described.map((id) => page.locator(`[id="${id}"]`).textContent()));
      expect(texts.join(' ')).toContain('A client id is 1 to 200 letters');
    }));

  it('change, and only in what was changed', () =>
    site.visit('/admin/clients/editor@example.org', async (page) => {
      await page.getByRole('radio', { name: 'Reading every collection, and nothing else' }).check();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('status').getByText('was saved').waitFor();
      expect((await stored('editor@example.org')).results[0]).toEqual({
        clientId: 'editor@example.org',
        accessType: 'user',
        roles: ['chief'],
        permissions: { actions: ['read'] },
      });
    }));

  it('say what will be gone before they are deleted', () =>
    site.visit('/admin/clients/made-here', async (page) => {
      await page.getByRole('button', { name: 'Delete' }).click();
      const dialog = page.getByRole('dialog', { name: 'Delete the client made-here?' });
      await dialog.getByText('every token that it has').waitFor();
      // In the middle of the window, whatever is beside the content.
      const box = await dialog.boundingBox();
      const width = page.viewportSize()?.width ?? 0;
      expect(Math.abs((box?.x ?? 0) + (box?.width ?? 0) / 2 - width / 2)).toBeLessThan(20);
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'hidden' });
      expect((await stored('made-here')).results).toHaveLength(1);
      await page.getByRole('button', { name: 'Delete' }).click();
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await heading(page, 'Clients').waitFor();
      expect((await site.app.inject('GET', '/api/clients/made-here')).status).toBe(404);
    }));

  it('that have signed in here stay so when they renew their own secret', async () => {
    const secret = 'a secret of another admin';
    const body = { clientId: 'second', secret, accessType: 'admin' };
    expect((await site.app.inject('POST', '/api/clients', { body })).status).toBe(201);
    await site.visit(
      '/admin/clients/second',
      async (page) => {
        await page.getByRole('button', { name: 'New secret' }).click();
        await page.getByRole('button', { name: 'Make a new secret' }).click();
        const shown = page
          .getByRole('dialog', { name: 'The secret of second' })
          .getByLabel('Secret', { exact: true });
        const next = (await shown.textContent()) ?? '';
        await page.getByRole('button', { name: 'I have it' }).click();
        await page.getByRole('link', { name: 'Clients', exact: true }).first().click();
        await page.getByRole('row').filter({ hasText: 'editor@example.org' }).waitFor();
        await page.getByRole('button', { name: 'Sign out' }).click();
        await signIn(page, { clientId: 'second', secret: next });
        await heading(page, 'Clients').waitFor();
      },
      { as: { clientId: 'second', secret } },
    );
  });

  it('that somebody else has changed meanwhile are shown as a choice, with what differs', async () => {
    const body = { clientId: 'shared', secret: 'a secret for tests', roles: ['reader'] };
    expect((await site.app.inject('POST', '/api/clients', { body })).status).toBe(201);
    const change = (roles: readonly string[]) =>
      site.app.inject('PUT', '/api/clients/shared', { body: { roles } });
    const roles = async () => (await stored('shared')).results[0]?.['roles'];
    await site.visit('/admin/clients/shared', async (page) => {
      const add = async (role: string) => {
        await page.getByRole('combobox', { name: 'Roles' }).fill(role);
        await page.keyboard.press('Enter');
        await page.getByText(role, { exact: true }).first().waitFor();
        return role;
      };
      const save = () => page.getByRole('button', { name: 'Save' }).click();
      const dialog = page.getByRole('dialog', { name: 'Somebody else changed this' });
      await add('author');
      expect((await change(['editor'])).status).toBe(200);
      await save();
      await dialog.getByText('editor').waitFor();
      expect(await roles()).toEqual(['editor']);
      await dialog.getByRole('button', { name: 'Take theirs' }).click();
      await page.getByText('editor', { exact: true }).first().waitFor();
      await add('boss');
      expect((await change([])).status).toBe(200);
      await save();
      await dialog.getByRole('button', { name: 'Keep mine' }).click();
      await page.getByRole('status').getByText('was saved').waitFor();
      expect(await roles()).toEqual(['editor', 'boss']);
    });
  });

  it('are told apart from markup', async () => {
    const body = { clientId: 'hostile', roles: ['a'], secret: 'a secret for tests' };
    expect((await site.app.inject('POST', '/api/clients', { body })).status).toBe(201);
    const path = '<img src=x onerror=alert(1)>';
    const change = { permissions: { collections: [{ path }] } };
    expect((await site.app.inject('PUT', '/api/clients/hostile', { body: change })).status).toBe(200);
    await site.visit('/admin/clients', async (page) => {
      await page.getByRole('row').filter({ hasText: path }).waitFor();
      expect(await page.locator('img').count()).toBe(0);
    });
  });

  it('are asked what they may do with a document, and say which rule decides', async () => {
    const settings = { access: { read: [{ to: 'clients', where: { title: 'open' } }] } };
    const fields = { title: {}, salary: { type: 'Number', access: { read: ['boss'] } } };
    await site.app.inject('POST', '/1.0/library/asked/config', { body: { fields, settings } });
    const body = { clientId: 'asked', secret: 'a secret for tests' };
    expect((await site.app.inject('POST', '/api/clients', { body })).status).toBe(201);
    const made = await site.app.inject('POST', '/1.0/library/asked', { body: { title: 'open' } });
    const id = String((made.body.results as unknown as { _id: string }[])[0]?._id);
    await site.visit('/admin/clients/asked', async (page) => {
      await page.getByRole('textbox', { name: 'Document' }).fill(`${site.url}/1.0/library/asked/${id}`);
      await page.getByRole('button', { name: 'Ask' }).click();
      const row = (name: string) => page.getByRole('row').filter({ hasText: name });
      await row('Read').getByText('Rule 1 of `settings.access.read` allows it').waitFor();
      await row('Delete').getByText('No rule of `settings.access.delete` is for this client').waitFor();
      await page.getByText('salary', { exact: true }).waitFor();
      expect(new URL(page.url()).searchParams.get('document')).toBe(id);
    });
    const query = `path=${encodeURIComponent('/1.0/library/asked')}&document=${id}`;
    await site.expectAccessible(`/admin/clients/asked?${query}`, 'asked');
  });
});
