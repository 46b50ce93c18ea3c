// A server with a workspace, and the page of its API description in a real Chromium.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { launchWatchedBrowser } from '../helpers/admin/browser.ts';
import { builtPage } from '../helpers/admin/built-page.ts';
import { type StartOptions, startApp, type TestApp } from '../helpers/app/app.ts';
import { ROOT } from '../helpers/fixtures/source-tree.ts';

const SCREENSHOTS = join(ROOT, '.cache', 'docs-screenshots');

/** Pixels of a desktop. */
export const DESKTOP = { width: 1280, height: 900 };

/** Writes a picture of the page for people to look at. */
async function takeScreenshot(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
}

/** Milliseconds that an element has to appear: as long as a busy machine needs. */
const PATIENCE_MS = 60_000;

export interface DocsSite {
  readonly app: TestApp;
  readonly url: string;
  /** Opens `/docs`. Rejects when the page has done what it must never do: errors, violations of its policy, other hosts. */
  visit(work: (page: Page) => Promise<void>, prepare?: (page: Page) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** Starts the server in this process, on a port of its own, and the browser. */
export async function startDocsSite(options: StartOptions = {}): Promise<DocsSite> {
  const docsFolder = builtPage('docs-page');
  const app = await startApp({ ...options, options: { ...options.options, docsFolder } });
  const url = (await app.listen()).replace(/\/$/, '');
  const browser = await launchWatchedBrowser(url);
  return {
    app,
    url,
    async visit(work, prepare = async () => undefined) {
      const { page, offences, close } = await browser.openPage({ viewport: DESKTOP });
      page.setDefaultTimeout(PATIENCE_MS);
      try {
        await prepare(page);
        await page.goto(`${url}/docs`);
        await page.locator('.opblock-tag').first().waitFor();
        await work(page);
        expect(offences).toEqual([]);
      } catch (error) {
        await takeScreenshot(page, 'failed-docs').catch(() => undefined);
        if (offences.length > 0) throw new Error(`the page said:\n${offences.join('\n')}`, { cause: error });
        throw error;
      } finally {
        await close();
      }
    },
    async close() {
      await browser.close();
      await app.close();
    },
  };
}

/** Opens an operation by the text of its summary, in the list of a tag. */
export async function openOperation(page: Page, tag: string, summary: string): Promise<void> {
  await page.locator(`.opblock-tag[data-tag="${tag}"]`).click();
  await page.locator('.opblock-summary-control', { hasText: summary }).first().click();
  await page.getByRole('button', { name: 'Execute' }).first().waitFor();
}
