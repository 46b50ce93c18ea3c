// Texts of a description are written by authors of endpoints and specifications. In a real browser none of them becomes markup, runs,
// leads anywhere, or asks another host.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../helpers/admin/browser.ts';
import { type DocsSite, startDocsSite } from './docs-site.ts';

let site: DocsSite;

const canRun = hasBrowser();

beforeAll(async () => {
  if (canRun) site = await startDocsSite();
});

afterAll(() => site?.close());

const HOSTILE = [
  '<img src=x onerror="window.ran = 1"><svg onload="window.ran = 1"><script>window.ran = 1</script>',
  '<a id="planted" href="javascript:window.ran=1">a</a><iframe srcdoc="<script>parent.ran=1</script>"></iframe>',
  '[b](javascript:window.ran=1) ![c](http://127.0.0.2:9/c.png) <form action="http://127.0.0.2:9/"><input name=planted></form>',
  '<style>*{display:none}</style><base href="http://127.0.0.2:9/"><meta http-equiv=refresh content="0;url=http://127.0.0.2:9/">',
].join('\n\n');

const SCHEMA = { type: 'object', title: HOSTILE, description: HOSTILE, example: { [HOSTILE]: HOSTILE } };
const CONTENT = { 'application/json': { schema: SCHEMA, example: HOSTILE } };

const DESCRIPTION = {
  openapi: '3.1.1',
  info: { title: HOSTILE, version: HOSTILE, description: HOSTILE },
  servers: [{ url: 'http://127.0.0.2:9/', description: HOSTILE }],
  tags: [{ name: HOSTILE, description: HOSTILE, externalDocs: { url: 'javascript:window.ran=1' } }],
  externalDocs: { url: 'javascript:window.ran=1', description: HOSTILE },
  paths: {
    '/1.0/x': {
      post: {
        operationId: HOSTILE,
        tags: [HOSTILE],
        summary: HOSTILE,
        description: HOSTILE,
        externalDocs: { url: 'javascript:window.ran=1', description: HOSTILE },
        parameters: [
          { name: HOSTILE, in: 'query', description: HOSTILE, schema: { ...SCHEMA, type: 'string' } },
        ],
        requestBody: { description: HOSTILE, content: CONTENT },
        responses: {
          200: {
            description: HOSTILE,
            content: CONTENT,
            headers: { [`X-${HOSTILE}`]: { description: HOSTILE } },
          },
        },
      },
    },
  },
};

describe.runIf(canRun)('hostile texts of a description', () => {
  it('are shown as text on the page', () =>
    site.visit(
      async (page) => {
        await page.locator('.opblock-tag').first().click();
        await page.locator('.opblock-summary-control').first().click();
        await page.locator('.opblock-body').first().waitFor();
        const count = (selector: string) => page.locator(selector).count();
        expect(
          await count('#planted, [name=planted], iframe, #description img, #description form, base'),
        ).toBe(0);
        expect(await count('[href^="javascript:" i], #description a[href^="http"]')).toBe(0);
        expect(await page.evaluate('window.ran')).toBeUndefined();
        expect(await page.title()).toContain('<img src=x');
        await page.locator('.opblock-body .plain-text', { hasText: '<script>' }).first().waitFor();
      },
      async (page) => {
        await page.route('**/docs/openapi.json', (route) => route.fulfill({ json: DESCRIPTION }));
      },
    ));
});
