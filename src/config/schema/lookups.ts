// Settings of the facts that delivery routes ask for: country and connection type.
import type { SettingGroup } from './setting-schema.ts';

const TIMEOUT = {
  type: 'number',
  unit: 's',
  minimum: 0.01,
  maximum: 60,
  default: 1,
  description: 'Seconds to wait for the remote answer.',
} as const;

const FAILURE_TTL = {
  type: 'number',
  unit: 's',
  minimum: 0,
  maximum: 3600,
  default: 3,
  description: 'Seconds for which a failed lookup is not tried again.',
} as const;

export const GEOLOCATION_SCHEMA = {
  type: 'object',
  description: 'The country of a visitor, for delivery routes.',
  properties: {
    enabled: { type: 'boolean', default: true, description: 'Whether countries are looked up at all.' },
    method: {
      type: 'string',
      enum: ['maxmind', 'remote'],
      default: 'maxmind',
      description: '`maxmind`: a database file. `remote`: a service.',
    },
    countryDbPath: {
      type: 'string',
      minLength: 1,
      aliases: ['geolocation.maxmind.countryDbPath'],
      description: 'The database file. Unset: the bundled one.',
    },
    url: {
      type: 'string',
      format: 'http-url',
      aliases: ['geolocation.remote.url'],
      description: 'The service; `{ip}`, `{key}` and `{secret}` are filled in.',
    },
    key: {
      type: 'string',
      minLength: 1,
      secret: true,
      env: ['GEOLOCATION_REMOTE_KEY'],
      aliases: ['geolocation.remote.key'],
      description: 'Fills `{key}`.',
    },
    secret: {
      type: 'string',
      minLength: 1,
      secret: true,
      env: ['GEOLOCATION_REMOTE_SECRET'],
      aliases: ['geolocation.remote.secret'],
      description: 'Fills `{secret}`.',
    },
    path: {
      type: 'string',
      minLength: 1,
      default: 'location.country.isoCode',
      aliases: ['geolocation.remote.countryPath'],
      description: 'Dotted path of the country code in the answer.',
    },
    timeout: TIMEOUT,
    failureTtl: FAILURE_TTL,
  },
} as const satisfies SettingGroup;

export const NETWORK_SCHEMA = {
  type: 'object',
  description: 'The connection type of a visitor, for delivery routes.',
  properties: {
    url: {
      type: 'string',
      format: 'http-url',
      description: 'The service; `{ip}`, `{key}` and `{secret}` are filled in.',
    },
    key: {
      type: 'string',
      minLength: 1,
      secret: true,
      env: ['NETWORK_REMOTE_KEY'],
      description: 'Fills `{key}`.',
    },
    secret: {
      type: 'string',
      minLength: 1,
      secret: true,
      env: ['NETWORK_REMOTE_SECRET'],
      description: 'Fills `{secret}`.',
    },
    path: {
      type: 'string',
      minLength: 1,
      default: 'speed.connectionType',
      description: 'Dotted path of the connection type in the answer.',
    },
    timeout: TIMEOUT,
    failureTtl: FAILURE_TTL,
  },
} as const satisfies SettingGroup;
