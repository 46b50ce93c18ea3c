// Settings of access: tokens, the rate limit on logins, the first admin, other origins.
import { CLIENT_ID } from '../../lib/client-names.ts';
import type { ItemSchema, SettingGroup } from './setting-schema.ts';

const CLAIM_NAME = { type: 'string', minLength: 1, maxLength: 200 } as const;

const ISSUER_SCHEMA = {
  type: 'object',
  properties: {
    name: { type: 'string', format: 'issuer-name' },
    issuer: { type: 'string', minLength: 1, maxLength: 1024 },
    audience: { type: 'string', minLength: 1, maxLength: 1024 },
    jwksUrl: { type: 'string', format: 'keys-url', maxLength: 2048 },
    publicKey: { type: 'string', format: 'public-key', maxLength: 10_000 },
    roles: {
      oneOf: [
        { type: 'string', format: 'claim-path', maxLength: 1000 },
        { type: 'array', items: CLAIM_NAME, minItems: 1, maxItems: 10 },
      ],
      expects: 'must be the path of a claim, such as realm_access.roles, or the list of its segments',
    },
  },
  required: ['name', 'issuer', 'audience'],
  additionalProperties: false,
} as const satisfies ItemSchema;

export const AUTH_SCHEMA = {
  type: 'object',
  description: 'Access tokens and who may get one.',
  properties: {
    tokenTtl: {
      type: 'integer',
      unit: 's',
      minimum: 1,
      maximum: 31_536_000,
      default: 1800,
      overHttp: 'lower',
      description: 'Seconds for which an access token is good.',
    },
    tokenSecret: {
      type: 'string',
      minLength: 32,
      maxLength: 1024,
      secret: true,
      description:
        'Signs access tokens, 32 characters or more. Unset: a random one is made at the first start and kept with the data.',
    },
    auditKey: {
      type: 'string',
      minLength: 32,
      maxLength: 4096,
      secret: true,
      description:
        'Signs the audit log, 32 characters or more without white space; older keys may follow it, separated by spaces. Unset: a random one is made at the first start and kept in `audit.key` in the folder `auth.auditPath`; on MongoDB in the database, for all servers that share it, unless that folder has the file.',
    },
    auditPath: {
      type: 'string',
      minLength: 1,
      description:
        'Folder of what belongs to the audit log and must not be in the database: a generated key, unless servers on MongoDB share one, and the hash of the newest entry. Unset: that of `database.sqlite.path`, on MongoDB too.',
    },
    issuers: {
      type: 'array',
      items: ISSUER_SCHEMA,
      maxItems: 100,
      default: [],
      description:
        'Identity providers whose access tokens are accepted, as objects with `name`, `issuer`, `audience`, either `jwksUrl` or `publicKey`, and perhaps `roles`: [end users of an identity provider](access.md#end-users-of-an-identity-provider).',
    },
    rateLimit: {
      type: 'object',
      description: 'Failed attempts at `/token` before it answers 429. Successes never count.',
      properties: {
        perClient: {
          type: 'integer',
          minimum: 1,
          default: 30,
          description: 'Failures per window from one address for one client id.',
        },
        perAddress: {
          type: 'integer',
          minimum: 1,
          default: 300,
          description: 'Failures per window from one address.',
        },
        windowSeconds: {
          type: 'integer',
          unit: 's',
          minimum: 1,
          maximum: 86_400,
          default: 60,
          description: 'Length of the window in seconds.',
        },
      },
    },
    admin: {
      type: 'object',
      description:
        'An admin client that is created, or given this secret, at every start. Both settings or neither.',
      properties: {
        id: {
          type: 'string',
          pattern: `^${CLIENT_ID}$`,
          env: ['CLOISTER_ADMIN_ID'],
          description: 'Its client id: 1 to 200 letters, digits and `_.@:+~-`, a letter, digit or `_` first.',
        },
        secret: {
          type: 'string',
          minLength: 1,
          maxLength: 1024,
          secret: true,
          env: ['CLOISTER_ADMIN_SECRET'],
          description: 'Its secret. Unchanged, it leaves the tokens of the client alone.',
        },
      },
    },
  },
} as const satisfies SettingGroup;

export const CORS_SCHEMA = {
  type: 'object',
  description: 'Answers to browsers on other origins. A bare boolean switches it on or off.',
  shorthand: 'enabled',
  properties: {
    enabled: {
      type: 'boolean',
      default: false,
      overHttp: 'any',
      description: 'Whether other origins may read answers.',
    },
    origins: {
      type: 'array',
      items: { type: 'string', format: 'origin' },
      maxItems: 1000,
      default: ['*'],
      overHttp: 'any',
      description: 'Which ones, such as `https://example.org`; `*` is all of them.',
    },
  },
} as const satisfies SettingGroup;
