// What the routes of tokens and clients say about themselves.

import { ACCESS_ACTIONS } from '../../lib/access-actions.ts';
import { listOf, objectOf, ref } from '../../lib/json/schema-parts.ts';
import { ETAG_HEADER, IF_MATCH } from '../core/entity-tags.ts';
import { json, type Operation } from '../core/operation.ts';

const ACCESS = 'Access';
const CLIENTS = 'Clients';

const CLIENT_MEMBERS = {
  accessType: { enum: ['admin', 'user'], description: 'Admins may do everything' },
  roles: {
    type: 'array',
    items: { type: 'string' },
    description: 'Names to which rules of collections are addressed',
  },
  permissions: {
    ...ref('Permissions'),
    description: 'What the client may do at most; absent: everything that the rules allow',
  },
};
/** As they are sent. */
const CHANGE = {
  ...CLIENT_MEMBERS,
  permissions: {
    anyOf: [ref('Permissions'), { type: 'null' }],
    description: 'What the client may do at most; null: everything that the rules allow',
  },
};
const SECRET = { type: 'string', minLength: 1, maxLength: 1024 };
const ACTIONS = { type: 'array', items: { enum: ACCESS_ACTIONS } };
const PATH = { type: 'string', description: 'Name of a collection, or of an endpoint' };
const API_VERSION = { type: 'string', description: 'Absent: every version' };

/** Components of these operations. */
export const ACCESS_SCHEMAS = {
  Permissions: objectOf(
    {
      actions: ACTIONS,
      collections: listOf(
        objectOf({ path: PATH, apiVersion: API_VERSION, database: { type: 'string' }, actions: ACTIONS }, [
          ...['apiVersion', 'database', 'actions'],
        ]),
      ),
      endpoints: listOf(objectOf({ path: PATH, apiVersion: API_VERSION }, ['apiVersion'])),
    },
    ['actions', 'collections', 'endpoints'],
  ),
  Client: objectOf(
    {
      clientId: { type: 'string' },
      ...CLIENT_MEMBERS,
      reviewer: {
        const: true,
        description: 'May approve code. Only commands on the machine give this right',
      },
      secret: { type: 'string', description: 'Only in the answer to the request that generated it' },
    },
    ['reviewer', 'roles', 'permissions', 'secret'],
  ),
  NewClient: objectOf({ clientId: { type: 'string', maxLength: 200 }, secret: SECRET, ...CHANGE }, [
    ...['secret', ...Object.keys(CHANGE)],
  ]),
  ClientChange: { ...objectOf(CHANGE, Object.keys(CHANGE)), description: 'What is absent stays as it is' },
  Clients: objectOf({ results: listOf(ref('Client')) }),
  Token: objectOf({
    accessToken: { type: 'string' },
    tokenType: { const: 'Bearer' },
    expiresIn: { type: 'integer', description: 'Seconds' },
  }),
};

const TOKEN_BODY = objectOf({ clientId: { type: 'string' }, secret: { type: 'string' } });
const client = { description: 'The client', content: json(ref('Clients')) };
const pathParameters = { id: 'Id of the client' };

export const ISSUE_TOKEN: Operation = {
  id: 'issueToken',
  refusals: [429],
  tag: ACCESS,
  audience: 'anyone',
  summary: 'Issues an access token for the id and the secret of a client',
  body: { content: { ...json(TOKEN_BODY), 'application/x-www-form-urlencoded': TOKEN_BODY } },
  answers: { 200: { description: 'The token', content: json(ref('Token')) } },
};

export const CLIENT_OPERATIONS = {
  list: {
    id: 'listClients',
    tag: CLIENTS,
    audience: 'admins',
    summary: 'Lists the clients',
    answers: { 200: { description: 'All clients, without their secrets', content: json(ref('Clients')) } },
  },
  create: {
    id: 'createClient',
    refusals: [403, 409],
    tag: CLIENTS,
    audience: 'admins',
    summary: 'Creates a client',
    description: 'A secret is generated where none is sent; the answer is the only place that shows it.',
    body: {
      content: json(ref('NewClient')),
    },
    answers: { 201: client },
  },
  get: {
    id: 'getClient',
    tag: CLIENTS,
    audience: 'admins',
    summary: 'Reads a client',
    pathParameters,
    answers: { 200: { ...client, headers: ETAG_HEADER } },
  },
  update: {
    id: 'updateClient',
    refusals: [403, 409],
    tag: CLIENTS,
    audience: 'admins',
    summary: 'Changes the rights of a client',
    pathParameters,
    parameters: [IF_MATCH],
    body: { content: json(ref('ClientChange')) },
    answers: { 200: client },
  },
  remove: {
    id: 'removeClient',
    refusals: [403, 409],
    tag: CLIENTS,
    audience: 'admins',
    summary: 'Removes a client, whose tokens become invalid',
    pathParameters,
    parameters: [IF_MATCH],
    answers: { 204: { description: 'Removed' } },
  },
  setSecret: {
    id: 'setClientSecret',
    refusals: [403],
    tag: CLIENTS,
    audience: 'reviewers',
    summary: 'Changes the secret of a client, whose tokens become invalid',
    description:
      'Generates a secret where none is sent. Reviewers change their own secret, which no admin can.',
    pathParameters,
    body: { content: json(objectOf({ secret: SECRET }, ['secret'])), required: false },
    answers: { 200: client },
  },
} as const satisfies Readonly<Record<string, Operation>>;
