// Schemathesis drives a server by its own API description: no answer is a fault of the server, or against what is described.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/lib/json/json.ts';
import { operationsOf } from '../described-operations.ts';
import { type DrivenSite, startDrivenSite } from './driven-site.ts';
import { withKnownNames } from './known-names.ts';
import { isSchemathesisInstalled, runSchemathesis } from './schemathesis.ts';

/** Not called, because what follows could not be judged. */
const WITHOUT = [
  // The secret of the caller itself, whose token is invalid then.
  'setClientSecret',
  // The caller itself, or the user.
  'removeClient',
  // Takes rights from the caller itself.
  'updateClient',
  // The file of settings of the next start.
  'changeConfiguration',
];

/** Methods that are not described and yet answered: older clients change a document, and ask for the status, by POST. */
const ALIAS = /^UnsupportedMethodResponse POST (?:\/1\.0\/\w+\/\w+\/\{id\}|\/api\/status)$/;

const isInstalled = isSchemathesisInstalled();

describe.skipIf(!isInstalled)('driven by its description', () => {
  let site: DrivenSite;
  beforeAll(async () => {
    if (isInstalled) site = await startDrivenSite();
  });
  afterAll(() => site?.close());

  const describeFor = async (token: string): Promise<JsonObject> =>
    withKnownNames((await site.get('/docs/openapi.json', { token })).body, site);

  // Without the phase `coverage`: it sends fourteen thousand requests as the user alone, which take minutes.
  it.each(['admin', 'user'])('the server answers the %s as described', async (caller) => {
    const token = caller === 'admin' ? await site.adminToken() : await site.userToken();
    const description = await describeFor(token);
    const { failures, errors, tested, requests, output } = await runSchemathesis({
      url: site.url,
      token,
      description,
      without: WITHOUT,
      phases: 'examples,fuzzing',
    });
    expect(errors, output).toEqual([]);
    expect(
      failures.filter((failure) => !ALIAS.test(failure)),
      output,
    ).toEqual([]);
    const called = operationsOf(description).filter(({ id }) => !WITHOUT.includes(id));
    expect(tested).toBe(called.length);
    expect(requests).toBeGreaterThan(called.length);
  });

  it('a description that does not fit the server is found out', async () => {
    const token = await site.adminToken();
    const description = await describeFor(token);
    const operations = new Map(operationsOf(description).map(({ id, operation }) => [id, operation]));
    const answer = (id: string) => operations.get(id).responses[200];
    const me = answer('getMe').content['application/json'];
    me.schema = { allOf: [me.schema, { required: ['nowhere'] }] };
    answer('getHello').content = { 'image/png': {} };
    answer('listClients').headers = { 'X-Nowhere': { required: true, schema: { type: 'string' } } };
    delete operations.get('getRecipe').responses[404];
    delete operations.get('putSpecification').responses[400];
    const only = ['getMe', 'getHello', 'listClients', 'getRecipe', 'putSpecification'];
    const { failures } = await runSchemathesis({ url: site.url, token, description, only });
    expect(failures.toSorted()).toEqual([
      'JsonSchemaError GET /api/me',
      'MissingHeaders GET /api/clients',
      'UndefinedContentType GET /hello',
      'UndefinedStatusCode GET /api/recipes/{name}',
      'UndefinedStatusCode POST /{version}/{database}/{collection}/config',
    ]);
  });
});
