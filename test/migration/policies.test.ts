// Policies for what code names, read from its text alone.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../helpers/temp/folders.ts';
import { layFiles, runMigration, type SiteFiles } from './site-files.ts';

const collection = (...hooks: string[]) => ({
  fields: { name: { type: 'String' } },
  settings: { authenticate: true, ...(hooks.length > 0 && { hooks: { beforeCreate: hooks } }) },
});

const SITE: SiteFiles = {
  'config/config.development.json': {
    mail: { from: 'a@b.example', port: 25, password: 'p', url: 'smtp://u:p@h/' },
    feedback: true,
  },
  'workspace/collections/1.0/library/collection.books.json': collection('h'),
  'workspace/collections/1.0/library/collection.people.json': collection('h'),
  'workspace/collections/1.0/shop/collection.people.json': collection(),
  'workspace/collections/1.0/shop/collection.orders.json': collection(),
  'workspace/collections/2.0/library/collection.books.json': collection(),
};

async function policyOf(path: string, code: string) {
  const folder = await temporaryFolder();
  layFiles(join(folder, 'site'), { ...SITE, [`workspace/${path}.js`]: code });
  const run = await runMigration(folder);
  let grants: unknown;
  try {
    ({ grants } = JSON.parse(run.written(`${path}.policy.json`)));
  } catch {
    grants = undefined;
  }
  return { grants, line: run.line(`workspace/${path}.js`), code: run.code };
}

const hook = (code: string) =>
  policyOf(
    'hooks/h',
    `const { Model } = require('@dadi/api');\nmodule.exports = (obj, type, data) => { ${code}; return obj; };`,
  );

describe('a policy for a hook', () => {
  it.each([
    ["Model('orders').find({})", [{ name: '1.0/shop/orders', actions: ['find'] }]],
    ["Model('people').get({})", [{ name: '1.0/library/people', actions: ['find'] }]],
    [
      'const own = Model(data.collection); own.count({}); own.update({}, {})',
      [
        { name: '1.0/library/books', actions: ['count', 'update'] },
        { name: '1.0/library/people', actions: ['count', 'update'] },
      ],
    ],
    ["require('@dadi/api').Model(`orders`).delete({})", [{ name: '1.0/shop/orders', actions: ['delete'] }]],
  ])('grants what is named: %s', async (code, collections) => {
    const { grants, line } = await hook(code);
    expect(grants).toEqual({ collections });
    expect(line).toContain('`hooks/h.policy.json` grants what it names');
    expect(line).not.toContain('hand');
  });

  it.each([
    ['Model(obj.kind).find({})', 'line 2: which collection `Model` is called for is computed'],
    ["Model('gone').find({})", 'line 2: there is no collection `gone`'],
    ["use(Model('orders'))", 'line 2: what is done with `orders` cannot be read'],
    ['pass(Model)', 'what it asks of `@dadi/api` cannot be read'],
  ])('is not guessed: %s', async (code, told) => {
    const { grants, line } = await hook(code);
    expect(grants).toBeUndefined();
    expect(line).toContain('**needs a hand**');
    expect(line).toContain(told);
  });

  it('says which addresses the operator has to allow first', async () => {
    const { grants, line } = await hook(
      "fetch('https://api.example.com/v1/send?x=1'); fetch(`https://cdn.example.com/a/$" +
        '{obj.id}/b`); fetch(obj.url)',
    );
    expect(grants).toBeUndefined();
    expect(line).toContain('{"origin":"https://api.example.com","paths":["/v1/send"]}');
    expect(line).toContain('{"origin":"https://cdn.example.com","paths":["/a/"]}');
    expect(line).toContain('line 2: where the request goes is computed');
  });

  it('takes no host that the code goes on with', async () => {
    const { line } = await hook(
      "fetch('https://api.example.com' + obj.host); fetch('https://' + obj.host + '/x')",
    );
    expect(line).not.toContain('origin');
    expect(line.match(/line 2: where the request goes is computed/g)).toHaveLength(1);
  });
});

describe('a policy for an endpoint', () => {
  const endpoint = (version: string, code: string) =>
    policyOf(
      `endpoints/${version}/endpoint.e`,
      `var Model = require('@dadi/api').Model;\nexports.get = (req, res) => { ${code} };`,
    );

  it('means collections of its own version', async () => {
    expect((await endpoint('2.0', "Model('books').find({})")).grants).toEqual({
      collections: [{ name: '2.0/library/books', actions: ['find'] }],
    });
  });

  it('does not choose between collections of the same name', async () => {
    const { grants, line } = await endpoint('1.0', "Model('people').find({})");
    expect(grants).toBeUndefined();
    expect(line).toContain('`people` may be `1.0/library/people` or `1.0/shop/people`');
  });
});

describe('settings that code reads', () => {
  it('are in its policy, whatever the code calls `Config`', async () => {
    const { grants, line } = await hook(
      "const config = require('@dadi/api').Config; config.get('mail.from'); require('@dadi/api').Config.get('feedback')",
    );
    expect(grants).toEqual({ config: { 'mail.from': 'a@b.example', feedback: true } });
    expect(line).not.toContain('hand');
  });

  it.each([
    ["Config.get('mail.password')", '`mail.password` holds a secret, which code does not see'],
    ["Config.get('mail.url')", '`mail.url` holds a secret'],
    ["Config.get('mail')", '`mail` holds a secret'],
    ["Config.get('nope')", 'line 2: there is no setting `nope`'],
    ['Config.get(obj.name)', 'line 2: which setting is read is computed'],
  ])('are not given where they cannot be: %s', async (code, told) => {
    const { grants, line } = await hook(`const { Config } = require('@dadi/api'); ${code}`);
    expect(grants).toBeUndefined();
    expect(line).toContain(told);
  });
});

describe('code that requests without a token run', () => {
  const withOpen = async (settings: object, path: string, code: string) => {
    const folder = await temporaryFolder();
    const open = { fields: { name: { type: 'String' } }, settings };
    layFiles(join(folder, 'site'), {
      ...SITE,
      'workspace/collections/1.0/shop/collection.visits.json': open,
      [`workspace/${path}.js`]: `const { Model } = require('@dadi/api');\n${code}`,
    });
    return (await runMigration(folder)).line(`workspace/${path}.js`);
  };
  const COUNT = "module.exports = () => Model('orders').count({});";
  const TOLD = 'requests without a token, which may not `count` in `1.0/shop/orders`';

  it.each([
    [{ authenticate: false, hooks: { beforeCreate: ['visit'] } }, true],
    [{ authenticate: ['PUT'], hooks: { afterGet: [{ hook: 'visit' }] } }, true],
    [{ authenticate: ['POST'], hooks: { afterCreate: 'visit' } }, false],
    [{ hooks: { beforeDelete: ['visit'], beforeUpdate: ['visit'] } }, false],
  ])('has no more rights than these: settings %j', async (settings, isTold) => {
    const line = await withOpen(settings, 'hooks/visit', COUNT);
    expect(line.includes(TOLD)).toBe(isTold);
  });

  it.each([
    ['exports.model = { settings: { authenticate: false } };', true],
    ["exports.model.settings.authenticate = ['POST'];", true],
    ['exports.model = { settings: { authenticate: true } };', false],
  ])('is an endpoint that says so: %s', async (model, isTold) => {
    const line = await withOpen({}, 'endpoints/1.0/endpoint.total', `exports.get = ${COUNT}\n${model}`);
    expect(line.includes(TOLD)).toBe(isTold);
  });
});
