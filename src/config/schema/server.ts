// Settings of the process: its listeners, its log, its folders, its limits.
import type { SettingGroup } from './setting-schema.ts';

/** A process takes some 100 MB, and each looks for changes of the others. */
const MAX_WORKERS = 64;

export const SERVER_SCHEMA = {
  type: 'object',
  description: 'The listener of the content API.',
  properties: {
    host: {
      type: 'string',
      minLength: 1,
      default: '0.0.0.0',
      description: 'Address to listen on. `127.0.0.1` when a proxy on the same machine stands in front.',
    },
    port: {
      type: 'integer',
      minimum: 0,
      maximum: 65535,
      default: 8081,
      description: 'Port to listen on. 0 takes any free one. Flag: `--port`.',
    },
    name: {
      type: 'string',
      minLength: 1,
      maxLength: 100,
      pattern: '^[\\x20-\\x7e]*$',
      default: 'Cloister',
      description: 'Value of the `Server` header.',
    },
    trustProxy: {
      oneOf: [
        { type: 'boolean', const: false },
        { type: 'integer', minimum: 1, maximum: 32 },
        { type: 'array', items: { type: 'string', format: 'network' } },
      ],
      expects: 'must be false, a number of proxies from 1 to 32, or a list of addresses and networks',
      default: false,
      description:
        'Whose `Forwarded` or `X-Forwarded-For` counts: nobody’s, that of so many proxies, or that of proxies in these networks (`10.0.0.0/8`, `loopback`). `Forwarded` wins, so a proxy that writes the other one must remove it. For both listeners.',
    },
    workers: {
      type: 'integer',
      minimum: 1,
      maximum: MAX_WORKERS,
      default: 1,
      description:
        'Processes that serve both ports of this machine; one that ends is replaced. More than there are processor cores gain nothing. On the embedded database one of them writes at a time, and all read.',
    },
    shutdownSeconds: {
      type: 'number',
      unit: 's',
      minimum: 0.1,
      maximum: 600,
      default: 10,
      description: 'Seconds that requests in flight have to finish after SIGTERM.',
    },
  },
} as const satisfies SettingGroup;

export const WORKSPACE_SCHEMA = {
  type: 'object',
  description: 'What people edit: specifications, code, routes and recipes, and this configuration.',
  properties: {
    path: {
      type: 'string',
      minLength: 1,
      default: 'workspace',
      outsideFile: true,
      description:
        'The folder, relative to the run directory; created when missing. `config.json` in it is the configuration. Flag: `--workspace`.',
    },
    store: {
      type: 'string',
      enum: ['files', 'database'],
      default: 'files',
      description:
        'Where specifications, endpoints, hooks, policies, routes and recipes are kept. `files`: in this folder, watched, so that edits by hand take effect. `database`: in MongoDB, for all servers that share it; `cloister workspace push` and `pull` move them, and of this folder only `config.json` is read. The same in all servers of one database.',
    },
  },
} as const satisfies SettingGroup;

export const PATHS_SCHEMA = {
  type: 'object',
  description:
    'Folders inside the workspace. The operator may name others: absolute paths are taken as they are. Nothing over HTTP changes these.',
  properties: {
    collections: {
      type: 'string',
      minLength: 1,
      default: 'collections',
      description: 'Specifications: `<version>/<database>/collection.<name>.json`.',
    },
    endpoints: {
      type: 'string',
      minLength: 1,
      default: 'endpoints',
      description: 'Custom endpoints: `<version>/endpoint.<name>.js`.',
    },
    hooks: {
      type: 'string',
      minLength: 1,
      default: 'hooks',
      description: 'Hooks: `<name>.js`.',
    },
    routes: {
      type: 'string',
      minLength: 1,
      default: 'routes',
      description: 'Delivery routes.',
    },
    recipes: {
      type: 'string',
      minLength: 1,
      default: 'recipes',
      description: 'Delivery recipes.',
    },
  },
} as const satisfies SettingGroup;

export const LOGGING_SCHEMA = {
  type: 'object',
  description: 'The log, on the standard error stream.',
  properties: {
    format: {
      type: 'string',
      enum: ['auto', 'json', 'pretty'],
      default: 'auto',
      description:
        '`json` is one JSON object a line, `pretty` a line for people, in colours where the terminal has them and `NO_COLOR` is not set. `auto` is `pretty` at a terminal, else `json`.',
    },
    level: {
      type: 'string',
      enum: ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'],
      default: 'info',
      description: 'The least severe level that is written.',
    },
  },
} as const satisfies SettingGroup;
