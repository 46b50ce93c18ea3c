// Every caller's description has exactly the operations that the server does not refuse it, and no name that it may not know.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { upload } from '../../helpers/app/media-server.ts';
import { type FoundOperation, operationsOf } from './described-operations.ts';
import { CALLER_NAMES, type DescribedSite, SECRET_NAMES, startDescribedSite } from './described-site.ts';
import { requestFor } from './requests.ts';

let site: DescribedSite;
/** Every operation of anybody: only reviewers have the approval of code. */
const all = new Map<string, FoundOperation>();
const own = new Map<string, ReadonlySet<string>>();

beforeAll(async () => {
  site = await startDescribedSite();
  for (const name of CALLER_NAMES) {
    const operations = operationsOf(await site.describe(name));
    for (const operation of operations) all.set(operation.id, operation);
    own.set(name, new Set(operations.map(({ id }) => id)));
  }
});
afterAll(() => site.close());

/** What the server says to a caller who uses an operation as it is described. */
async function ask(name: string, operation: FoundOperation) {
  const { path, body, form, type } = await requestFor(site, operation, name);
  const token = site.tokens.get(name) ?? null;
  if (form !== undefined) {
    const { status, text } = await upload(site, path, form, token === null ? {} : { token });
    return { path, status, text };
  }
  const headers = type === undefined ? {} : { 'content-type': type };
  const { status, text } = await site.call(operation.method, path, { token, body, headers });
  return { path, status, text };
}

describe.each(CALLER_NAMES)('the description for %s', (name) => {
  it('has exactly the operations that the server does not refuse it', async () => {
    const wrong: string[] = [];
    for (const operation of all.values()) {
      const { path, status, text } = await ask(name, operation);
      const isRefused = status === 401 || status === 403;
      const isDescribed = own.get(name)?.has(operation.id) ?? false;
      if (isRefused === isDescribed || status >= 500) {
        wrong.push(`${operation.id}: ${operation.method} ${path}: ${status} ${text.slice(0, 200)}`);
      }
    }
    expect(wrong.join('\n')).toBe('');
  });
});

describe('a name that a caller may not know', () => {
  const ADMINS = ['admin', 'adminReviewer'];
  const known: Readonly<Record<string, readonly string[]>> = {
    veiledField: [...ADMINS, 'editor', 'issuedEditor'],
    // Clients without permissions may call every endpoint.
    sealedNotes: [...ADMINS, 'user', 'author', 'editor', 'reviewer'],
    closedArchive: ADMINS,
    // A path of admins that no list of collections has.
    closedArchiveHistory: [],
  };

  it.each(SECRET_NAMES)('is nowhere in its description: %s', async (secret) => {
    const found: string[] = [];
    for (const name of CALLER_NAMES) {
      if (JSON.stringify(await site.describe(name)).includes(secret)) found.push(name);
    }
    expect(found.toSorted()).toEqual(known[secret]?.toSorted());
  });
});
