// What the routes about the caller itself say about themselves.

import { ACCESS_ACTIONS } from '../../lib/access-actions.ts';
import { listOf, objectOf, ref } from '../../lib/json/schema-parts.ts';
import { json, type Operation } from '../core/operation.ts';
import { COLLECTION_PARAMETERS } from './specification-operations.ts';

const TAG = 'Access';
const ACTIONS = {
  type: 'array',
  items: { enum: ACCESS_ACTIONS },
  description: 'What the caller may do with some of the documents at least',
};
const PATH = { type: 'string', description: '`/{version}/{database}/{collection}`' };
const NAMES = { type: 'array', items: { type: 'string' } };

export const GET_ME: Operation = {
  id: 'getMe',
  tag: TAG,
  audience: 'clients',
  summary: 'Tells who the caller is and what it may do',
  answers: {
    200: {
      description: 'The caller, and the collections with which it may do anything, sorted by path',
      content: json(
        objectOf(
          {
            clientId: { type: 'string' },
            accessType: { enum: ['admin', 'user'] },
            reviewer: { const: true },
            roles: NAMES,
            permissions: ref('Permissions'),
            issuer: { type: 'string', description: 'Of a user of an identity provider: the name of that' },
            collections: listOf(
              objectOf(
                { path: PATH, actions: ACTIONS, isMedia: { const: true, description: 'It takes files' } },
                ['isMedia'],
              ),
            ),
          },
          ['reviewer', 'roles', 'permissions', 'issuer'],
        ),
      ),
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
      content: json(
        objectOf({
          path: PATH,
          name: { type: 'string', description: '`settings.displayName`, else the name' },
          actions: ACTIONS,
          isMedia: { type: 'boolean', description: 'It takes files' },
          fields: {
            type: 'object',
            additionalProperties: { type: 'object' },
            description:
              'As in the specification, without `access` and without fields that the caller may not read',
          },
          closed: { ...NAMES, description: 'Fields that the caller may not write' },
          settings: {
            type: 'object',
            description:
              '`sort`, `sortOrder`, `count`, `compose`, `storeRevisions`, `signUploads` as they are in force',
          },
        }),
      ),
    },
  },
};
