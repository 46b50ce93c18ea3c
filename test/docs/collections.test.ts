// Everything that docs/collections.md shows works as it says: specifications, and requests in their order.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { ROOT } from '../helpers/fixtures/source-tree.ts';
import { requestsOf, specificationsOf } from './access-page.ts';
import { createRequestChecker } from './shown-requests.ts';

const PAGE = readFileSync(join(ROOT, 'docs/collections.md'), 'utf8');
const SPECIFICATIONS = specificationsOf(PAGE);

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ specs: SPECIFICATIONS });
});
afterAll(() => app.close());

const check = createRequestChecker(
  () => app,
  async (caller) => (caller === 'nobody' ? null : app.adminToken()),
);

describe('docs/collections.md', () => {
  it.each(requestsOf(PAGE))('$heading: $line', check);

  it('has no JSON that is not a specification with its path', () => {
    expect(PAGE.match(/^```json$/gm)).toHaveLength(Object.keys(SPECIFICATIONS).length);
  });

  it('has a request for every specification that needs no hook', () => {
    const targets = requestsOf(PAGE).map(({ target }) => target);
    const unused = Object.entries(SPECIFICATIONS)
      .filter(([path]) => !targets.some((target) => target.startsWith(`/${path}`)))
      .filter(([, { settings }]) => !Object.hasOwn(settings as object, 'hooks'));
    expect(unused).toEqual([]);
  });

  it('has specifications that the server loads with no warning but of missing hooks', async () => {
    for (const [path, body] of Object.entries(SPECIFICATIONS)) {
      const answer = await app.inject('POST', `/${path}/config`, { body });
      const warnings: readonly string[] = answer.body.warnings;
      expect([path, answer.status]).toEqual([path, 200]);
      expect(warnings.filter((warning) => !warning.includes('there is no hook'))).toEqual([]);
    }
  });

  it('answers the first question of a reader on its first screen: the attributes of a field', () => {
    const lines = PAGE.split('\n');
    expect(
      lines.findIndex((line) => line.startsWith('| `display`') || line.includes('`display`')),
    ).toBeLessThan(30);
  });
});
