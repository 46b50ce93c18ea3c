// What posted code may require, and what it is told where it may not.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EndpointServer, startEndpointServer } from '../helpers/app/endpoint-server.ts';

let server: EndpointServer;

beforeAll(async () => {
  server = await startEndpointServer();
});

afterAll(() => server.close());

describe('handlers', () => {
  it('require modules of Node that are plain JavaScript', async () => {
    const path = await server.endpoint(
      'older-parsing',
      `var url = require('url'); var querystring = require('node:querystring');
      module.exports.get = (req, res) => res.json([url.parse(req.url, true).query.name, querystring.parse('a=1').a]);`,
    );
    expect((await server.get(`${path}?name=Ursula`)).body).toEqual(['Ursula', '1']);
  });

  it.each([
    ['fs', '`Model`'],
    ['node:http', '`fetch`'],
    ['./other', 'one file'],
    ['../../config', 'one file'],
    ['@dadi/web', 'bundler'],
    ['lodash', 'bundler'],
  ])('that require %s are told, when they are posted, what there is instead', async (name, instead) => {
    const { status, body } = await server.post(
      'requiring',
      `'use strict';\nvar dependency = require('${name}');\nmodule.exports.get = (req, res) => res.end();`,
    );
    expect(status).toBe(400);
    expect(body.errors[0]).toMatchObject({ code: 'ENDPOINT_LOAD', line: 2 });
    expect(body.errors[0].message).toContain(`Cannot find module '${name}'`);
    expect(body.errors[0].message).toContain(instead);
  });
});
