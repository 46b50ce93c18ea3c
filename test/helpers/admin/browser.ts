// A real Chromium. What a page must never do is collected while it is used: errors of its console, violations of its content
// security policy, requests to other hosts.
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { isProgramInstalled } from '../server-process/programs.ts';

const PROGRAM = 'chromium';

/** Absent on a developer's machine: said aloud and skipped. Absent where everything must run: a failure. */
export const hasBrowser = (): boolean =>
  isProgramInstalled(PROGRAM, 'apt-get install --no-install-recommends chromium');

/** Starts it without a window. */
export function launchBrowser(args: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: `/usr/bin/${PROGRAM}`,
    // Root has no user namespaces of its own in a container; the pages are ours.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', ...args],
  });
}

/** The console says the same of every answer from 400 on, which tests ask for. */
const ANSWER = /^Failed to load resource: the server responded with a status of/;

const REPORT_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('policy violation: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sourceFile + ':' + event.lineNumber + ' ' + event.sample));`;

interface WatchedPage {
  readonly page: Page;
  /** What the page has done so far and must not do. */
  readonly offences: readonly string[];
  close(): Promise<void>;
}

interface PageLook {
  readonly viewport: { readonly width: number; readonly height: number };
  readonly colorScheme?: 'light' | 'dark';
}

interface WatchedBrowser {
  /** Opens an empty page that may talk to the origin alone, and finds nothing that an earlier one has stored. */
  openPage(look: PageLook): Promise<WatchedPage>;
  close(): Promise<void>;
}

/** Notes what `page` does and must not do. */
async function watch(page: Page, origin: string): Promise<string[]> {
  const offences: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && !ANSWER.test(message.text())) offences.push(message.text());
  });
  page.on('pageerror', (error) => void offences.push(`uncaught: ${error.message}`));
  page.on('request', (request) => {
    const url = request.url();
    const isOwn = url.startsWith(`${origin}/`) || url.startsWith('blob:');
    if (!isOwn) offences.push(`request to ${url}`);
  });
  await page.addInitScript(REPORT_VIOLATIONS);
  return offences;
}

/**
 * Starts a browser for the pages of `origin`, whose server answers already. All of them share one process and what it has compiled: a
 * page that has a process to itself takes a second of the processor before it shows anything.
 */
export async function launchWatchedBrowser(origin: string): Promise<WatchedBrowser> {
  const browser = await launchBrowser(['--process-per-site']);
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  // The process ends with its last page: this one stays.
  const staying = await context.newPage();
  await staying.goto(`${origin}/health`);
  return {
    async openPage({ viewport, colorScheme = 'light' }) {
      await context.clearCookies();
      await staying.evaluate('localStorage.clear()');
      const page = await context.newPage();
      await page.setViewportSize(viewport);
      await page.emulateMedia({ reducedMotion: 'reduce', colorScheme });
      const offences = await watch(page, origin);
      return { page, offences, close: () => page.close() };
    },
    close: () => browser.close(),
  };
}

/** As axe tells it. */
interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/**
 * What to look at. Colours take as long as everything else together, and do not depend on the width of the window: what is alike need
 * not be looked at again.
 */
const LOOKS = {
  everything: {},
  colours: { runOnly: { type: 'rule', values: COLOUR_RULES } },
  'all but colours': { rules: Object.fromEntries(COLOUR_RULES.map((rule) => [rule, { enabled: false }])) },
};

/** What axe finds on the page, WCAG 2.2 AA and best practices: one text for each element. */
export async function axeViolations(
  page: Page,
  look: keyof typeof LOOKS = 'everything',
): Promise<readonly string[]> {
  // Half a megabyte, read once for each page.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe.source);
  // A colour that is about to change is none that anybody reads. One that changes for ever cannot be ended.
  await page.evaluate('for (const one of document.getAnimations()) try { one.finish(); } catch {}');
  // All that is in order too would be a list of every element.
  const options = JSON.stringify({ ...LOOKS[look], resultTypes: ['violations'] });
  const violations = (await page.evaluate(
    `axe.run(${options}).then(({ violations }) => violations)`,
  )) as readonly Violation[];
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n  ${html}\n  ${failureSummary ?? ''}`),
  );
}
