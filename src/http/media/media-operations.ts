// What the routes of files say about themselves.

import { ID_PATTERN } from '../../collections/model/fields/object-id.ts';
import { listOf, objectOf, ref } from '../../lib/json/schema-parts.ts';
import { type CollectionOperation, json, type Operation } from '../core/operation.ts';

const TAG = 'Media';

/** Components of these operations. */
export const MEDIA_SCHEMAS = {
  SignRequest: objectOf(
    {
      fileName: { type: 'string', minLength: 1, maxLength: 1024 },
      mimetype: { type: ['string', 'null'], examples: ['image/jpeg'] },
      expiresIn: { type: ['string', 'integer'], examples: ['10m'], description: 'A duration, or seconds' },
      collection: { type: 'string', description: 'The media collection, where there are several' },
      database: { type: 'string' },
      version: { type: 'string' },
    },
    ['mimetype', 'expiresIn', 'collection', 'database', 'version'],
  ),
  SignedUpload: objectOf({
    url: { type: 'string', description: 'Path to which the file is sent. It is a credential' },
    expiresAt: { type: 'integer', description: 'Epoch milliseconds' },
  }),
  File: {
    type: 'object',
    properties: { file: { type: 'string', contentMediaType: 'application/octet-stream' } },
    description: 'One or more files. Fields before a file are fields of its record',
  },
};

const signed = { 200: { description: 'The URL', content: json(ref('SignedUpload')) } };
const body = { content: json(ref('SignRequest')) };

const sign = (id: string): Operation => ({
  id,
  tag: TAG,
  audience: 'clients',
  isUpload: true,
  refusals: [403, 404],
  summary: 'Signs a URL for the upload of one file',
  body,
  answers: signed,
});

export const SIGN_UPLOAD = sign('signUpload');
export const SIGN_MEDIA_UPLOAD = sign('signMediaUpload');

export const UPLOAD_SIGNED: Operation = {
  id: 'uploadSigned',
  refusals: [403, 409],
  tag: TAG,
  audience: 'anyone',
  isUpload: true,
  path: '/media/{token}',
  pathParameters: { token: 'The token of the signed URL' },
  summary: 'Uploads the file for which a URL was signed',
  body: { content: { 'multipart/form-data': ref('File') } },
  answers: {
    201: {
      description: 'The record of the file',
      content: json(objectOf({ results: listOf({ type: 'object' }) })),
    },
  },
};

export const SIGN_COLLECTION_UPLOAD: CollectionOperation = {
  id: 'signUpload',
  action: 'create',
  needsClient: true,
  only: 'media',
  isUpload: true,
  describe: ({ name }) => ({
    summary: `Signs a URL for the upload of one file to ${name}`,
    body,
    answers: signed,
  }),
};

export const DOWNLOAD_FILE: CollectionOperation = {
  id: 'downloadFile',
  action: 'read',
  only: 'media',
  isDownload: true,
  describe: ({ name }) => ({
    summary: `Downloads a file of ${name}`,
    refusals: [412],
    pathParameters: { id: 'Id of the record: 24 hex digits' },
    pathSchemas: { id: { type: 'string', pattern: ID_PATTERN } },
    parameters: [
      {
        in: 'header',
        name: 'Range',
        description: 'One range of bytes',
        schema: { type: 'string', examples: ['bytes=0-99'] },
      },
    ],
    answers: {
      200: {
        description: 'The file',
        content: { '*/*': { type: 'string', contentMediaType: 'application/octet-stream' } },
      },
      206: {
        description: 'The range',
        content: { '*/*': { type: 'string', contentMediaType: 'application/octet-stream' } },
      },
      304: { description: 'As the client has it' },
    },
  }),
};
