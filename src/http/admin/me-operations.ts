// What the routes about the caller itself say about themselves.

import { FIELD_ATTRIBUTES, FIELD_DESCRIPTIONS } from '../../collections/specifications/parse-field.ts';
import { ACCESS_ACTIONS } from '../../lib/access-actions.ts';
import { listOf, objectOf, ref } from '../../lib/json/schema-parts.ts';
import { type JsonSchema, json, type Operation } from '../core/operation.ts';
import { COLLECTION_PARAMETERS } from './specification-operations.ts';

const TAG = 'Access';
const ACTIONS = {
  type: 'array',
  items: { enum: ACCESS_ACTIONS },
  description: 'What the caller may do with some of the documents at least',
};
const PATH = { type: 'string', description: '`/{version}/{database}/{collection}`' };
const NAMES = { type: 'array', items: { type: 'string' } };

/** Attributes of a field with what they may be: only the type is checked where nothing depends on it. */
const FIELD: Readonly<Record<string, JsonSchema>> = {
  ...Object.fromEntries(
    [...FIELD_ATTRIBUTES, ...FIELD_DESCRIPTIONS]
      .filter((attribute) => attribute !== 'access')
      .map((attribute) => [attribute, {}]),
  ),
  type: { type: 'string' },
};

/** Components of these operations. */
export const ME_SCHEMAS = {
  CollectionRights: objectOf(
    { path: PATH, actions: ACTIONS, isMedia: { const: true, description: 'It takes files' } },
    ['isMedia'],
  ),
  Me: objectOf(
    {
      clientId: { type: 'string' },
      accessType: { enum: ['admin', 'user'] },
      reviewer: { const: true },
      roles: NAMES,
      permissions: ref('Permissions'),
      issuer: { type: 'string', description: 'Of a user of an identity provider: the name of that' },
      collections: listOf(ref('CollectionRights')),
    },
    ['reviewer', 'roles', 'permissions', 'issuer'],
  ),
  FieldDescription: {
    ...objectOf(FIELD, Object.keys(FIELD)),
    description: 'A field of a specification, without `access`',
  },
  CollectionDescription: objectOf({
    path: PATH,
    name: { type: 'string', description: '`settings.displayName`, else the name' },
    actions: ACTIONS,
    isMedia: { type: 'boolean', description: 'It takes files' },
    fields: {
      type: 'object',
      additionalProperties: ref('FieldDescription'),
      description:
        'As in the specification, without `access` and without fields that the caller may not read',
    },
    closed: { ...NAMES, description: 'Fields that the caller may not write' },
    settings: {
      ...objectOf({
        sort: { type: ['string', 'null'] },
        sortOrder: { enum: [1, -1] },
        count: { type: 'integer' },
        compose: { type: 'boolean' },
        storeRevisions: { type: 'boolean' },
        signUploads: { type: 'boolean' },
      }),
      description: 'As they are in force',
    },
  }),
};

export const GET_ME: Operation = {
  id: 'getMe',
  tag: TAG,
  audience: 'clients',
  summary: 'Tells who the caller is and what it may do',
  answers: {
    200: {
      description: 'The caller, and the collections with which it may do anything, sorted by path',
      content: json(ref('Me')),
    },
  },
};

export const GET_MY_COLLECTION: Operation = {
  id: 'getMyCollection',
  tag: TAG,
  audience: 'clients',
  summary: 'Tells what the caller may know of a collection, and do with it',
  pathParameters: COLLECTION_PARAMETERS,
  answers: {
    200: {
      description: 'Of the specification, what a form for documents needs',
      content: json(ref('CollectionDescription')),
    },
  },
};
