// The page of the API description in a real browser: who reads it, calls, keyboard, colours, small windows.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PHONE, signIn } from '../helpers/admin/admin-site.ts';
import { axeViolations, hasBrowser } from '../helpers/admin/browser.ts';
import { ADMIN } from '../helpers/server-process/server-process.ts';
import { DESKTOP, type DocsSite, openOperation, startDocsSite } from './docs-site.ts';

let site: DocsSite;

const canRun = hasBrowser();
const BOOKS = '1.0/library/books';

beforeAll(async () => {
  if (canRun) site = await startDocsSite();
});

afterAll(() => site?.close());

describe.runIf(canRun)('the page of the API description', () => {
  it('shows anyone what needs no token', () =>
    site.visit(async (page) => {
      await page.getByRole('status').getByText('What anyone may use').waitFor();
      expect(await page.locator('.opblock-tag').allTextContents()).not.toContain('Clients');
    }));

  it('shows a client what it may use, by its id and secret, and forgets it with the page', () =>
    site.visit(async (page) => {
      await signIn(page);
      await page.getByRole('status').getByText(`What ${ADMIN.clientId} may use`).waitFor();
      await page.locator('.opblock-tag[data-tag="Clients"]').waitFor();
      expect(await page.getByLabel('Secret').inputValue()).toBe('');
      expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
      expect(await page.evaluate('document.cookie')).toBe('');
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.locator('.opblock-tag[data-tag="Clients"]').waitFor({ state: 'detached' });
      await page.getByRole('status').getByText('What anyone may use').waitFor();
    }));

  it('takes a token that is pasted, and says when it is none', () =>
    site.visit(async (page) => {
      await page.getByLabel('or a token').fill('not-a-token');
      await page.getByRole('button', { name: 'Use token' }).click();
      await page.getByRole('alert').filter({ hasText: /\w/ }).waitFor();
      await page.getByLabel('or a token').fill(await site.app.adminToken());
      await page.getByRole('button', { name: 'Use token' }).click();
      await page.locator('.opblock-tag[data-tag="Clients"]').waitFor();
      expect(await page.getByRole('alert').textContent()).toBe('');
    }));

  it('says that credentials are wrong', () =>
    site.visit(async (page) => {
      await signIn(page, { clientId: 'nobody', secret: 'wrong' });
      await page
        .getByRole('alert')
        .filter({ hasText: /credentials/i })
        .waitFor();
    }));

  it('calls an operation with the token, and shows the answer', async () => {
    const body = { title: 'A book that was called for' };
    expect((await site.app.inject('POST', `/${BOOKS}`, { body })).status).toBe(200);
    await site.visit(async (page) => {
      await signIn(page);
      await page.locator('.opblock-tag[data-tag="Clients"]').waitFor();
      await openOperation(page, BOOKS, `/${BOOKS}`);
      await page.getByRole('button', { name: 'Execute' }).first().click();
      await page.locator('.live-responses-table').getByText('A book that was called for').first().waitFor();
    });
  });

  it('is used by keyboard alone', () =>
    site.visit(async (page) => {
      await page.getByLabel('Client ID').focus();
      await page.keyboard.type(ADMIN.clientId);
      await page.keyboard.press('Tab');
      await page.keyboard.type(ADMIN.secret);
      await page.keyboard.press('Enter');
      const tag = page.locator('.opblock-tag[data-tag="Clients"]');
      await tag.getByRole('button').focus();
      await page.keyboard.press('Enter');
      const operation = page.locator('.opblock-summary-control').first();
      await operation.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Execute' }).waitFor();
    }));

  it('is accessible in light and dark and at 400 pixels, with an operation open', () =>
    site.visit(async (page) => {
      await signIn(page);
      await page.locator('.opblock-tag[data-tag="Clients"]').waitFor();
      await openOperation(page, BOOKS, `/${BOOKS}`);
      await page.getByRole('button', { name: 'Execute' }).first().click();
      await page.locator('.live-responses-table').waitFor();
      for (const [colorScheme, viewport, look] of [
        ['light', DESKTOP, 'everything'],
        ['dark', DESKTOP, 'colours'],
        ['light', PHONE, 'all but colours'],
      ] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize(viewport);
        await page.locator(colorScheme === 'dark' ? 'html.dark-mode' : 'html:not(.dark-mode)').waitFor();
        expect.soft(await axeViolations(page, look)).toEqual([]);
        expect
          .soft(
            await page.evaluate(
              'document.documentElement.scrollWidth - document.documentElement.clientWidth',
            ),
          )
          .toBe(0);
      }
    }));
});
