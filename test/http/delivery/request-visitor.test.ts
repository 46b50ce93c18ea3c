import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDelivery } from '../../helpers/app/delivery.ts';

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1';
const ROUTE = {
  branches: [
    { condition: { device: 'mobile', network: 'mobile' }, recipe: 'small-picture' },
    { condition: { language: 'fr', country: ['FR', 'BE'] }, recipe: 'french-picture' },
    { recipe: 'default-picture' },
  ],
};

describe('a route that is decided for a described visitor', () => {
  let shared: Awaited<ReturnType<typeof openDelivery>>;
  beforeAll(async () => {
    shared = await openDelivery({ routes: { 'site-image': ROUTE } });
  });
  afterAll(() => shared.close());

  const decide = (parameters: Readonly<Record<string, string>> | string) =>
    shared.asAdmin('GET', `/api/routes/site-image/decide?${new URLSearchParams(parameters)}`);

  test('device and network are those of the parameters', async () => {
    const { body } = await decide({ userAgent: IPHONE, network: 'Cable/Cellular' });
    expect(body).toMatchObject({
      recipe: 'small-picture',
      detected: { device: 'mobile', network: 'Cable/Cellular' },
    });
    expect(body.branches[0].tests.map((each: { matched: boolean }) => each.matched)).toEqual([true, true]);
  });

  test('languages and country are those of the parameters', async () => {
    const { body } = await decide({ acceptLanguage: 'fr-BE, en;q=0.5', country: 'be' });
    expect(body).toMatchObject({
      recipe: 'french-picture',
      detected: { language: ['fr-be', 'en'], country: 'BE' },
    });
  });

  test('the country of a given address is looked up', async () => {
    const { body } = await decide({ address: '193.48.0.1', acceptLanguage: 'fr' });
    expect(body).toMatchObject({ recipe: 'french-picture', detected: { country: 'FR' } });
    const other = await decide({ address: '193.48.0.1', country: 'GB', acceptLanguage: 'fr' });
    expect(other.body).toMatchObject({ recipe: 'default-picture', detected: { country: 'GB' } });
  });

  test('what no parameter gives is that of the request', async () => {
    const token = await shared.app.adminToken();
    const headers = { 'accept-language': 'fr', 'user-agent': IPHONE };
    const path = '/api/routes/site-image/decide';
    const own = await shared.inject('GET', `${path}?country=FR`, { token, headers });
    expect(own.body).toMatchObject({
      recipe: 'french-picture',
      detected: { device: 'mobile', language: ['fr'] },
    });
    const without = await shared.inject('GET', `${path}?country=FR&acceptLanguage=&userAgent=`, {
      token,
      headers,
    });
    expect(without.body).toMatchObject({
      recipe: 'default-picture',
      detected: { device: 'desktop', language: [] },
    });
  });

  test.each([
    ['userAgent', 'x'.repeat(1001)],
    ['userAgent', 'a\nb'],
    ['acceptLanguage', 'fr;q=2'],
    ['acceptLanguage', 'fr, <b>'],
    ['acceptLanguage', `fr${',en'.repeat(500)}`],
    ['address', 'localhost'],
    ['address', ''],
    ['address', '127.0.0.1:80'],
    ['country', 'France'],
    ['country', ''],
    ['network', ' / '],
    ['network', 'x'.repeat(101)],
    ['network', 'a\u0000b'],
  ])('a wrong value of %s is 400 and names it: %j', async (name, value) => {
    for (const answer of [
      await decide({ [name]: value }),
      await shared.app.inject(
        'GET',
        `/api/routes/site-image/decide?${new URLSearchParams({ [name]: value })}`,
      ),
    ]) {
      expect(answer.status).toBe(400);
      expect(answer.body.errors).toEqual([expect.stringContaining(`The \`${name}\` parameter must be`)]);
    }
  });

  test('a parameter that is given twice is 400 and is named', async () => {
    const answer = await decide('country=FR&country=BE');
    expect(answer).toMatchObject({
      status: 400,
      body: { errors: ['The `country` parameter is given more than once'] },
    });
  });
});
