// Everything of docs/tutorial.md in its order, from the empty folder to the page in a browser: each file is saved, each command
// is typed and prints what the page says. The first block (the package, `npm install`) is run by scripts/package-check.ts.
import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { init } from '../../src/cli/init.ts';
import { axeViolations, hasBrowser, launchBrowser } from '../helpers/admin/browser.ts';
import { writeExampleWorkspace } from '../helpers/fixtures/example-workspace.ts';
import { ROOT } from '../helpers/fixtures/source-tree.ts';
import { captureIo } from '../helpers/server-process/console.ts';
import {
  type GuideStep,
  guideStepsOf,
  openTerminal,
  outputPattern,
  saveFile,
} from '../helpers/server-process/guide.ts';
import {
  ADMIN,
  freePort,
  type ServerProcess,
  spawnCommand,
  spawnServer,
} from '../helpers/server-process/server-process.ts';

const TUTORIAL = readFileSync(join(ROOT, 'docs/tutorial.md'), 'utf8');
const STEPS = guideStepsOf(TUTORIAL);
/** Milliseconds that the browser may take for a step on a busy machine. */
const PATIENCE_MS = 60_000;
const CREDENTIALS = { CLOISTER_ADMIN_ID: ADMIN.clientId, CLOISTER_ADMIN_SECRET: ADMIN.secret };

let folder: string;
let site: string;
let pagePort: number;
let server: ServerProcess | undefined;
let pageServer: ChildProcess | undefined;
let terminal: ReturnType<typeof openTerminal>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cloister-tutorial-'));
  site = join(folder, 'recipe-site');
  symlinkSync(ROOT, join(folder, 'cloister'));
  pagePort = await freePort();
});

afterAll(async () => {
  pageServer?.kill();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The text with the addresses of this run. */
const here = (text: string) =>
  text
    .replaceAll('http://localhost:8081', server?.url ?? '')
    .replaceAll('http://localhost:8082', server?.deliveryUrl ?? '')
    .replaceAll(/\b8000\b/g, String(pagePort));

/** A package with the example as it is committed, not as a developer's checkout has it. */
function examplePackage(): string {
  const root = join(folder, 'package');
  mkdirSync(root);
  copyFileSync(join(ROOT, 'package.json'), join(root, 'package.json'));
  writeExampleWorkspace(root);
  return root;
}

/** By the first line of the block: what the reader leaves running, or waits for. */
const PROGRAMS: Readonly<Record<string, (text: string) => Promise<void>>> = {
  '(cd cloister && npm ci && npm pack)': async (text) => {
    expect(text).toContain(' init recipe-site\n');
    expect(await init({ folder: 'recipe-site' }, captureIo(folder), examplePackage())).toBe(0);
    terminal = openTerminal(site, join(folder, 'state'), CREDENTIALS);
  },
  'npm start': async () => {
    server = await spawnServer({ cwd: site });
  },
  'node page/serve.mjs': async () => {
    pageServer = spawn(process.execPath, ['page/serve.mjs'], { cwd: site, stdio: 'inherit' });
    await expect
      .poll(() =>
        fetch(`http://localhost:${pagePort}`).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200);
  },
};

async function work(step: GuideStep): Promise<void> {
  if (step.kind === 'file') return saveFile(site, { ...step, text: here(step.text) });
  if (step.kind === 'terminal') return PROGRAMS[step.text.split('\n')[0] ?? '']?.(step.text);
  const printed = await terminal.type(here(step.text));
  expect(printed.trim()).toMatch(outputPattern(here(step.printed ?? '')));
}

describe('the tutorial', () => {
  it.each(STEPS.map((step, index) => ({ ...step, index })))('block $index of "$heading" works', work);

  it('keeps a draft from a visitor who names it to the endpoint, and shows it to an editor', async () => {
    const draft = '{"title":"Draft","minutes":1}';
    const shopping = '"$API/1.0/shopping-list?recipe=$DRAFT"';
    const printed = await terminal.type(`
      DRAFT=$(curl -s $API/1.0/kitchen/recipes -H "$EDITOR" -H "$JSON" -d '${draft}' | idOf)
      curl -s ${shopping}
      curl -s ${shopping} -H "$EDITOR"`);
    expect(printed).toBe('{"recipes":[],"buy":{}}{"recipes":["Draft"],"buy":{}}');
  });

  it.runIf(hasBrowser())(
    'ends with a page on which a browser shows each recipe, its picture and what to buy',
    async () => {
      const browser = await launchBrowser();
      try {
        const page = await browser.newPage();
        page.setDefaultTimeout(PATIENCE_MS);
        const problems: string[] = [];
        page.on('pageerror', (error) => problems.push(String(error)));
        page.on('console', (message) => problems.push(message.text()));
        page.on('requestfailed', (request) => problems.push(request.url()));
        await page.goto(`http://localhost:${pagePort}`, { waitUntil: 'networkidle' });
        const titles = await page.getByRole('heading', { level: 2 }).allTextContents();
        expect(titles).toEqual(['Cake', 'Pancakes', 'Tomato soup']);
        const soup = page.getByRole('article').filter({ hasText: 'Tomato soup' });
        expect(await soup.textContent()).toContain('25 minutes by Ada');
        const image = soup.getByRole('img', { name: 'A bowl of tomato soup' });
        expect(await image.evaluate((element) => (element as { naturalWidth?: number }).naturalWidth)).toBe(
          640,
        );
        await soup.getByRole('button', { name: 'What to buy' }).click();
        await soup.getByText('tomatoes, g: 800').waitFor();
        expect(await soup.getByRole('listitem').allTextContents()).toEqual([
          'tomatoes, g: 800',
          'cream, ml: 50',
        ]);
        expect(await axeViolations(page)).toEqual([]);
        expect(problems).toEqual([]);
      } finally {
        await browser.close();
      }
    },
  );

  it('starts the programs that this test knows, and no others', () => {
    const started = STEPS.filter(({ kind }) => kind === 'terminal').map(({ text }) => text.split('\n')[0]);
    expect(started).toEqual(Object.keys(PROGRAMS));
  });

  it('shows no block that is neither saved nor typed nor printed', () => {
    const fences = TUTORIAL.match(/^```\w+$/gm) ?? [];
    const used = STEPS.length + STEPS.filter(({ printed }) => printed !== undefined).length;
    expect(fences).toHaveLength(used);
  });

  it('leaves a workspace in which the check finds nothing wrong', async () => {
    const { code, said } = await spawnCommand(['check'], { cwd: site }).ended;
    expect(code, said).toBe(0);
  });
});
