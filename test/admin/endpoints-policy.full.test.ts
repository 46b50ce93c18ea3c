// The policy of an endpoint as a form, as JSON and in words; what a change opens; what the server says about it.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminSite, startAdminSite } from '../helpers/admin/admin-site.ts';
import { hasBrowser } from '../helpers/admin/browser.ts';

let site: AdminSite;

const canRun = hasBrowser();
const VIEW = '/admin/endpoints/1.0/report/policy';
const FIRST = {
  version: 1,
  limits: { cpuMs: 500 },
  grants: { collections: [{ name: '1.0/library/books', actions: ['find'], maxResults: 20 }] },
};

beforeAll(async () => {
  if (!canRun) return;
  site = await startAdminSite();
  const body = 'module.exports.get = (req, res) => res.json({});\n';
  const headers = { 'content-type': 'text/plain' };
  expect((await site.app.inject('POST', '/1.0/report/config', { body, headers })).status).toBe(200);
  expect((await site.app.inject('PUT', '/1.0/report/policy', { body: FIRST })).status).toBe(200);
});

afterAll(() => site?.close());

const stored = async () => {
  const { code: _, ...policy } = (await site.app.inject('GET', '/1.0/report/policy')).body;
  return policy;
};
const main = (page: Page) => page.locator('main');
const grant = (page: Page, words: string) => page.getByRole('group', { name: words });
const json = (page: Page) => page.getByRole('textbox', { name: 'Policy as JSON' });

describe.runIf(canRun)('the policy of an endpoint', () => {
  it('is an accessible view', () => site.expectAccessible(VIEW, 'Policy of 1.0/report'));

  it('says each grant in words, with its upper bound', () =>
    site.visit(VIEW, async (page) => {
      const words =
        'read documents of 1.0/library/books with the rights of whoever calls, at most 20 in one call';
      await grant(page, `The code may ${words}`).waitFor();
      await page.getByRole('listitem').filter({ hasText: words }).waitFor();
      await page.getByRole('listitem').filter({ hasText: 'use 500 ms of processor time' }).waitFor();
    }));

  it('says what a change opens and closes before it is saved, by keyboard alone', () =>
    site.visit(VIEW, async (page) => {
      await page.getByRole('checkbox', { name: 'delete' }).focus();
      await page.keyboard.press('Space');
      await page.getByLabel('Processor time of one request, ms').focus();
      await page.keyboard.press('Control+A');
      await page.keyboard.type('100');
      const note = page.getByRole('alert').filter({ hasText: 'What the code newly may do' });
      await note.getByText('Delete documents of 1.0/library/books').waitFor();
      await note.getByText('Use 500 ms of processor time for one request (before: 100)').waitFor();
      expect(await note.getByText('Read documents').count()).toBe(0);
      expect(await stored()).toEqual(FIRST);
      await page.getByRole('button', { name: 'Save' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('status').getByText('is in force').waitFor();
      const [collection] = FIRST.grants.collections;
      expect(await stored()).toEqual({
        ...FIRST,
        limits: { cpuMs: 100 },
        grants: { collections: [{ ...collection, actions: ['find', 'delete'] }] },
      });
    }));

  it('shows what the server refuses beside its member', () =>
    site.visit(VIEW, async (page) => {
      await main(page).getByText('lets no code use other services').waitFor();
      expect(await page.getByRole('button', { name: 'Add a service' }).isDisabled()).toBe(true);
      const fetch = [{ origin: 'https://api.example.com', methods: ['GET'], paths: ['/'] }];
      await json(page).fill(JSON.stringify({ ...FIRST, grants: { ...FIRST.grants, fetch } }));
      const service = grant(page, 'The code may send GET requests');
      await page.getByRole('alert').getByText('Send GET requests to https://api.example.com').waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      const origin = service.getByRole('combobox', { name: 'Origin' });
      await expect.poll(() => origin.getAttribute('aria-invalid')).toBe('true');
      await service
        .getByText('an entry of `grants.fetch` in the policy limits has to name this origin')
        .waitFor();
      await page.getByRole('button', { name: 'Remove service 1' }).click();
      await main(page).getByText('When empty: 64. At most 256, as the operator says').waitFor();
      await page.getByLabel('Memory, MB').fill('100000');
      await main(page).getByText('The operator allows at most 256').waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      await expect.poll(() => page.getByLabel('Memory, MB').getAttribute('aria-invalid')).toBe('true');
    }));

  it('is one in the form and in JSON', () =>
    site.visit(VIEW, async (page) => {
      await json(page).fill('{"version":1,"trustDomain":"<b>odd</b>"}');
      await expect.poll(() => page.getByLabel('Trust domain').inputValue()).toBe('<b>odd</b>');
      await page.getByRole('alert').getByText('of the trust domain <b>odd</b>').waitFor();
      expect(await page.locator('main b').count()).toBe(0);
      await page.getByLabel('Trust domain').fill('reports');
      await json(page).getByText('reports').waitFor();
      await json(page).fill('{"version":');
      await page.getByText('The form cannot show this').waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').getByText('This is no JSON').waitFor();
      await json(page).fill('{"version":1,"limits":3}');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').getByText('limits: ').waitFor();
    }));

  it('holds the values that the code reads by Config.get', () =>
    site.visit(VIEW, async (page) => {
      const values = page.getByLabel('Values that it reads by Config.get');
      await values.fill('{"email": {"from": "library@exam');
      await page.getByText('This is no JSON', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').getByText('grants.config').first().waitFor();
      await values.fill('{"email": {"from": "library@example.com"}}');
      const note = page.getByRole('alert').filter({ hasText: 'What the code newly may do' });
      await note.getByText('Read email by Config.get: {"from":"library@example.com"}').waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('status').getByText('is in force').waitFor();
      expect((await stored()).grants).toMatchObject({ config: { email: { from: 'library@example.com' } } });
    }));

  it('grants hashes of passwords, with a number of rounds', () =>
    site.visit(VIEW, async (page) => {
      const hashes = page.getByRole('checkbox', { name: "Hash passwords by require('bcrypt')" });
      expect(await hashes.isChecked()).toBe(false);
      await hashes.focus();
      await page.keyboard.press('Space');
      const rounds = page.getByLabel('Rounds of a hash');
      await main(page).getByText('When empty: 12. At most 12, as the operator says').waitFor();
      const note = page.getByRole('alert').filter({ hasText: 'What the code newly may do' });
      await note.getByText('Hash passwords on a thread of the server, with at most 12 rounds').waitFor();
      await rounds.fill('13');
      await main(page).getByText('The operator allows at most 12').waitFor();
      await rounds.fill('3');
      await page.getByRole('button', { name: 'Save' }).click();
      await expect.poll(() => rounds.getAttribute('aria-invalid')).toBe('true');
      await rounds.fill('10');
      await note.getByText('with at most 10 rounds').waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('status').getByText('is in force').waitFor();
      expect((await stored()).grants).toMatchObject({ bcrypt: { maxRounds: 10 } });
      await hashes.uncheck();
      await page.getByRole('button', { name: 'Save' }).click();
      await expect.poll(async () => (await stored()).grants.bcrypt).toBeUndefined();
      await json(page).fill('{"version":1,"grants":{"bcrypt":12}}');
      await page.getByText('The form cannot show this').waitFor();
    }));

  it('shows what somebody else has put meanwhile as a choice', () =>
    site.visit(VIEW, async (page) => {
      await page.getByLabel('Trust domain').fill('mine');
      const theirs = { version: 1, trustDomain: 'theirs' };
      expect((await site.app.inject('PUT', '/1.0/report/policy', { body: theirs })).status).toBe(200);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: 'Keep mine' }).click();
      await page.getByRole('status').getByText('is in force').waitFor();
      expect(await stored()).toMatchObject({ trustDomain: 'mine' });
    }));
});
