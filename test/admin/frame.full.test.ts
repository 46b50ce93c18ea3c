// The frame of the admin page in a real browser: signing in, the navigation, the end of a session, what every view has.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminSite, PHONE, signIn, startAdminSite } from '../helpers/admin/admin-site.ts';
import { axeViolations, hasBrowser } from '../helpers/admin/browser.ts';
import { ADMIN } from '../helpers/server-process/server-process.ts';

let site: AdminSite;

const canRun = hasBrowser();

beforeAll(async () => {
  if (canRun) site = await startAdminSite();
});

afterAll(() => site?.close());

const AREAS = [
  ...['Collections', 'Media', 'Endpoints', 'Hooks', 'Routes', 'Recipes', 'Clients', 'Audit log', 'Status'],
];

describe.runIf(canRun)('a test of the page that fails', () => {
  it('says what the page showed, what had the focus, and what the server answered', async () => {
    const visit = site.visit('/admin/clients', async (page) => {
      await page.getByRole('rowheader', { name: 'admin' }).waitFor();
      await page.getByRole('button', { name: 'Sign out' }).focus();
      throw new Error('the test failed');
    });
    await expect(visit).rejects.toThrow(
      /^the test failed\nThe page was at \S+\/admin\/clients\nwith the focus in <button[\s\S]*\n {2}GET \S+\/api\/clients: 200\n[\s\S]*and showed\n[\s\S]*Sign out/,
    );
  });
});

describe.runIf(canRun)('signing in', () => {
  it('is accessible', () =>
    site.visit(
      '/admin',
      async (page) => {
        await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
        await page.getByText('Cloister', { exact: true }).waitFor();
        expect(await axeViolations(page)).toEqual([]);
      },
      { as: null },
    ));

  it('leads to the first area, by keyboard alone', () =>
    site.visit(
      '/admin',
      async (page) => {
        const id = page.getByLabel('Client ID');
        await expect.poll(() => id.evaluate((element) => element.matches(':focus'))).toBe(true);
        await page.keyboard.type(ADMIN.clientId);
        await page.keyboard.press('Tab');
        await page.keyboard.type(ADMIN.secret);
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { level: 1, name: 'Collections' }).waitFor();
        expect(new URL(page.url()).pathname).toBe('/admin/collections');
      },
      { as: null },
    ));

  it('says that the credentials are wrong, and keeps the id', () =>
    site.visit(
      '/admin',
      async (page) => {
        await signIn(page, { clientId: 'nobody', secret: 'wrong' });
        await page.getByRole('alert').getByText('There is no client with this id and secret').waitFor();
        expect(await page.getByLabel('Client ID').inputValue()).toBe('nobody');
      },
      { as: null },
    ));

  it('keeps the address that was asked for', () =>
    site.visit('/admin/status', async (page) => {
      await page.getByRole('heading', { level: 1, name: 'Status' }).waitFor();
      expect(new URL(page.url()).pathname).toBe('/admin/status');
    }));

  it('is forgotten by a reload, unless the client stays signed in', async () => {
    await site.visit('/admin/status', async (page) => {
      await page.getByRole('heading', { level: 1, name: 'Status' }).waitFor();
      await page.reload();
      await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    });
    await site.visit(
      '/admin/status',
      async (page) => {
        await page.getByLabel('Stay signed in').check();
        await signIn(page);
        await page.getByRole('heading', { level: 1, name: 'Status' }).waitFor();
        await page.reload();
        await page.getByRole('heading', { level: 1, name: 'Status' }).waitFor();
        await page.getByRole('button', { name: 'Sign out' }).click();
        await page.reload();
        await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
      },
      { as: null },
    );
  });
});

describe.runIf(canRun)('the navigation', () => {
  it('has a link for each area, and each leads to a view with its name that has the focus', () =>
    site.visit('/admin', async (page) => {
      const main = page.getByRole('navigation', { name: 'Main' });
      expect(await main.getByRole('link').allTextContents()).toEqual(AREAS);
      for (const name of AREAS.slice(1)) {
        await main.getByRole('link', { name, exact: true }).click();
        const heading = page.getByRole('heading', { level: 1, name, exact: true });
        await heading.waitFor();
        await expect.poll(() => heading.evaluate((element) => element.matches(':focus'))).toBe(true);
        expect(await page.title()).toBe(`${name} · Cloister`);
        expect(await main.getByRole('link', { name, exact: true }).getAttribute('aria-current')).toBe('page');
      }
    }));

  it('shows a client what it may use, and nothing else', async () => {
    const secret = 'a secret of a test client';
    const body = {
      clientId: 'reader',
      secret,
      permissions: { collections: [{ path: 'books', actions: ['read'] }] },
    };
    expect((await site.app.inject('POST', '/api/clients', { body })).status).toBe(201);
    await site.visit(
      '/admin',
      async (page) => {
        const main = page.getByRole('navigation', { name: 'Main' });
        await main.waitFor();
        expect(await main.getByRole('link').allTextContents()).toEqual([
          'Collections',
          'Endpoints',
          'Status',
        ]);
        await page.goto(`${site.url}/admin/clients`);
      },
      { as: { clientId: 'reader', secret } },
    );
  });

  it('is behind a button on a phone, and closes when a view opens', () =>
    site.visit(
      '/admin',
      async (page) => {
        await page.getByRole('heading', { level: 1, name: 'Collections' }).waitFor();
        const link = page.getByRole('link', { name: 'Status', exact: true });
        expect(await link.isVisible()).toBe(false);
        await page.getByRole('button', { name: 'Menu' }).click();
        await link.click();
        await page.getByRole('heading', { level: 1, name: 'Status' }).waitFor();
        expect(await link.isVisible()).toBe(false);
      },
      { viewport: PHONE },
    ));

  it('is skipped by the first link of the page', () =>
    site.visit('/admin/status', async (page) => {
      await page.getByRole('heading', { level: 1, name: 'Status' }).waitFor();
      await page.getByRole('link', { name: 'Skip to the content' }).focus();
      await page.keyboard.press('Enter');
      expect(await page.evaluate('document.activeElement.id')).toBe('main');
    }));

  it('says so where an address names nothing', () =>
    site.visit('/admin/no/such/view', async (page) => {
      await page.getByRole('heading', { level: 1, name: 'Nothing here' }).waitFor();
    }));
});

describe.runIf(canRun)('a session that ends', () => {
  it('asks for the credentials where it was, and goes on there', async () => {
    const secret = 'a secret of a test client';
    const body = { clientId: 'changing', secret, accessType: 'admin' };
    expect((await site.app.inject('POST', '/api/clients', { body })).status).toBe(201);
    await site.visit(
      '/admin/collections',
      async (page) => {
        await page.getByRole('heading', { level: 1, name: 'Collections' }).waitFor();
        const next = { body: { secret: 'another secret of a client' } };
        expect((await site.app.inject('PUT', '/api/clients/changing/secret', next)).status).toBe(200);
        await page.getByRole('link', { name: 'Clients', exact: true }).click();
        await page.getByRole('status').getByText('The session of changing has ended').waitFor();
        expect(new URL(page.url()).pathname).toBe('/admin/clients');
        await signIn(page, { clientId: 'changing', secret: 'another secret of a client' });
        await page.getByRole('heading', { level: 1, name: 'Clients', exact: true }).waitFor();
      },
      { as: { clientId: 'changing', secret } },
    );
  });
});

describe.runIf(canRun)('every area', () => {
  it.each(['collections', 'status'])('is accessible: %s', (path) => {
    const heading = path.charAt(0).toUpperCase() + path.slice(1);
    return site.expectAccessible(`/admin/${path}`, heading);
  });
});
