// Every caller's description has exactly the operations that the server does not refuse it, and no name that it may not know.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { upload } from '../../helpers/app/media-server.ts';
import { type FoundOperation, operationsOf } from './described-operations.ts';
import { CALLER_NAMES, type DescribedSite, SECRET_NAMES, startDescribedSite } from './described-site.ts';
import { requestFor } from './requests.ts';

/** What the server says to a caller who uses an operation as it is described. */
async function ask(site: DescribedSite, name: string, operation: FoundOperation) {
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

/** Operations of a caller that the server refuses it, and others that it does not refuse. */
async function contradictions(site: DescribedSite, names: readonly string[]) {
  // Of anybody: only reviewers have the approval of code.
  const all = new Map<string, FoundOperation>();
  const own = new Map<string, ReadonlySet<string>>();
  for (const name of CALLER_NAMES) {
    const operations = operationsOf(await site.describe(name));
    for (const operation of operations) all.set(operation.id, operation);
    own.set(name, new Set(operations.map(({ id }) => id)));
  }
  const found: string[] = [];
  for (const name of names) {
    for (const operation of all.values()) {
      const { path, status, text } = await ask(site, name, operation);
      const isRefused = status === 401 || status === 403;
      const isDescribed = own.get(name)?.has(operation.id) ?? false;
      if (isRefused === isDescribed || status >= 500) {
        found.push(`${name}: ${operation.id}: ${operation.method} ${path}: ${status} ${text.slice(0, 200)}`);
      }
    }
  }
  return { found: found.join('\n'), ids: [...all.keys()] };
}

let site: DescribedSite;
beforeAll(async () => {
  site = await startDescribedSite();
});
afterAll(() => site.close());

describe('the description for a caller', () => {
  it.each(CALLER_NAMES)('has exactly the operations that the server does not refuse it: %s', async (name) => {
    expect((await contradictions(site, [name])).found).toBe('');
  });

  it('has downloads without a token where files are public', async () => {
    const open = await startDescribedSite({ media: { public: true } });
    try {
      expect((await contradictions(open, ['anonymous', 'user', 'narrow', 'reader'])).found).toBe('');
      const ids = operationsOf(await open.describe('anonymous')).map(({ id }) => id);
      expect(ids.filter((id) => id.startsWith('downloadFile'))).toEqual(['downloadFile_1_0__site__pictures']);
    } finally {
      await open.close();
    }
  });

  it('has no uploads where there are none', async () => {
    const closed = await startDescribedSite({ media: { enabled: false } }, { hasFiles: false });
    try {
      const { found, ids } = await contradictions(closed, ['anonymous', 'user', 'admin']);
      expect(found).toBe('');
      const uploads =
        /^(?:signUpload|signMediaUpload|uploadSigned|createDocuments_1_0__site__(?:pictures|scans))/;
      expect(ids.filter((id) => uploads.test(id))).toEqual([]);
    } finally {
      await closed.close();
    }
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
