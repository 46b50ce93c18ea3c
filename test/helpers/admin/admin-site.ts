// A server with a workspace, and its admin page in a real Chromium.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { type StartOptions, startApp, type TestApp } from '../app/app.ts';
import { ROOT } from '../fixtures/source-tree.ts';
import { ADMIN } from '../server-process/server-process.ts';
import { axeViolations, launchWatchedBrowser } from './browser.ts';
import { builtPage } from './built-page.ts';
import { describePage, watchRequests } from './page-report.ts';

const SCREENSHOTS = join(ROOT, '.cache', 'admin-screenshots');
/** `SCREENSHOTS=true` has a picture taken of each view that is looked at. */
const TAKES_SCREENSHOTS = process.env['SCREENSHOTS'] === 'true';

/** Pixels of a desktop, and of a phone. */
const DESKTOP = { width: 1280, height: 900 };
export const PHONE = { width: 400, height: 800 };

/** Milliseconds that an element has to appear: as long as a busy machine needs. */
const PATIENCE_MS = 60_000;

interface VisitOptions {
  /** Who signs in by the form; null: nobody. The admin of the tests unless given. */
  readonly as?: { readonly clientId: string; readonly secret: string } | null;
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: 'light' | 'dark';
}

export interface AdminSite {
  readonly app: TestApp;
  readonly url: string;
  /**
   * Opens an address such as `/admin/clients`, signs in, and lets `work` use the page. Rejects when the page has done what it must
   * never do: errors in its console, violations of its policy, requests to other hosts. Whatever failed, the error says what the
   * page showed.
   */
  visit(path: string, work: (page: Page) => Promise<void>, options?: VisitOptions): Promise<void>;
  /** Opens an address and waits for its heading, in light, dark and at 400 pixels: each without violations that axe finds, and without a page that is wider than the window. */
  expectAccessible(path: string, heading: string, options?: VisitOptions): Promise<void>;
  close(): Promise<void>;
}

export async function signIn(page: Page, { clientId, secret } = ADMIN): Promise<void> {
  await page.getByLabel('Client ID').fill(clientId);
  await page.getByLabel('Secret').fill(secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Writes a picture of the page for people to look at: of one that failed, and of others for whoever asks for them. */
async function takeScreenshot(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
}

/** No view is wider than the window. */
export async function expectNoSidewaysScrolling(page: Page): Promise<void> {
  const overflow = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(overflow).toBe(0);
}

const nameOf = (path: string) => path.replace(/^\/admin\/?/, '').replace(/[^\w.-]+/g, '-') || 'start';

/** Milliseconds of database work for one request: a busy machine takes longer than the limit of the product, and answers 503. */
const QUERY_MS = 60_000;

/** Starts the server in this process, on a port of its own, and the browser. */
export async function startAdminSite(options: StartOptions = {}): Promise<AdminSite> {
  const adminFolder = builtPage();
  const { limits, ...config } = options.config ?? {};
  const app = await startApp({
    ...options,
    config: { ...config, limits: { queryMs: QUERY_MS, ...(limits as JsonObject | undefined) } },
    options: { ...options.options, adminFolder },
  });
  const url = (await app.listen()).replace(/\/$/, '');
  const browser = await launchWatchedBrowser(url);
  const visit: AdminSite['visit'] = async (path, work, { as = ADMIN, viewport = DESKTOP, ...rest } = {}) => {
    const { page, offences, close } = await browser.openPage({ viewport, ...rest });
    page.setDefaultTimeout(PATIENCE_MS);
    const requests = watchRequests(page);
    try {
      await page.goto(url + path);
      if (as !== null) {
        await signIn(page, as);
        // The form has fields with names that views have too.
        await page.locator('#main').waitFor();
      }
      await work(page);
      expect(offences).toEqual([]);
    } catch (error) {
      const report = await describePage(page, requests());
      await takeScreenshot(page, `failed-${nameOf(path)}`).catch(() => undefined);
      const first = error instanceof Error ? error.message : String(error);
      const said = offences.length > 0 ? `the page said:\n${offences.join('\n')}\n` : '';
      throw new Error(`${said}${first}\n${report}`, { cause: error });
    } finally {
      await close();
    }
  };
  return {
    app,
    url,
    visit,
    expectAccessible(path, heading, given = {}) {
      const looks = [
        { name: 'light', viewport: DESKTOP, colorScheme: 'light', look: 'everything' },
        { name: 'dark', viewport: DESKTOP, colorScheme: 'dark', look: 'colours' },
        { name: 'phone', viewport: PHONE, colorScheme: 'light', look: 'all but colours' },
      ] as const;
      const work = async (page: Page) => {
        await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
        await page.waitForLoadState('networkidle');
        for (const { name, viewport, colorScheme, look } of looks) {
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize(viewport);
          await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
          if (TAKES_SCREENSHOTS) await takeScreenshot(page, `${nameOf(path)}-${name}`);
          // Parts of a page take their new colours one after the other.
          await expect.poll(() => axeViolations(page, look), { timeout: PATIENCE_MS }).toEqual([]);
          await expectNoSidewaysScrolling(page);
        }
      };
      return visit(path, work, given);
    },
    async close() {
      await browser.close();
      await app.close();
    },
  };
}
