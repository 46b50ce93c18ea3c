// The one declaration of every setting. Types, defaults, environment names, docs, editor schema and redaction follow it.
import type { Infer } from '../lib/json/json-schema.ts';
import { AUTH, CORS } from './schema/access.ts';
import { DELIVERY, IMAGES, NOT_FOUND } from './schema/delivery.ts';
import { LIMITS } from './schema/limits.ts';
import { GEOLOCATION, NETWORK } from './schema/lookups.ts';
import { SANDBOX } from './schema/sandbox.ts';
import { LOGGING, PATHS, SERVER, WORKSPACE } from './schema/server.ts';
import type { SettingGroup } from './schema/setting-schema.ts';
import { CACHE, DATABASE, MEDIA } from './schema/storage.ts';

export const CONFIG_SCHEMA = {
  type: 'object',
  description: 'The configuration of Cloister.',
  properties: {
    server: SERVER,
    delivery: DELIVERY,
    publicUrl: {
      type: 'string',
      format: 'http-url',
      description: 'The address under which clients reach the content API, when a proxy stands in front.',
    },
    workspace: WORKSPACE,
    paths: PATHS,
    database: DATABASE,
    auth: AUTH,
    cors: CORS,
    cache: CACHE,
    feedback: {
      type: 'object',
      description:
        'Whether a DELETE answers 200 with a body that counts what was removed, instead of 204. A bare boolean will do.',
      shorthand: 'enabled',
      properties: {
        enabled: { type: 'boolean', default: false, overHttp: 'any', description: 'Whether it does.' },
      },
    },
    sandbox: SANDBOX,
    media: MEDIA,
    images: IMAGES,
    notFound: NOT_FOUND,
    geolocation: GEOLOCATION,
    network: NETWORK,
    logging: LOGGING,
    limits: LIMITS,
  },
} as const satisfies SettingGroup;

/** The effective configuration: frozen, complete, passed down in slices. A leaf without a default may be undefined. */
export type Config = Infer<typeof CONFIG_SCHEMA>;
