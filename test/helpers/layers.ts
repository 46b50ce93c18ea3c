// The layers of the source tree and the owners of its packages, as architecture.test.ts holds them.

/** Layer by longest matching prefix; what a layer may import, as values or as types only. */
export const LAYERS: Readonly<Record<string, { values: readonly string[]; types?: readonly string[] }>> = {
  'src/errors/': { values: ['src/errors/'] },
  'src/lib/': { values: ['src/errors/', 'src/lib/'] },
  'src/config/': { values: ['src/errors/', 'src/lib/', 'src/config/'] },
  'src/stores/ports.ts': { values: [], types: ['src/lib/', 'src/stores/filter.ts'] },
  'src/stores/filter.ts': { values: [], types: ['src/lib/'] },
  'src/stores/namespace.ts': { values: [], types: ['src/stores/ports.ts'] },
  'src/stores/matching/': {
    values: ['src/errors/', 'src/lib/', 'src/stores/filter.ts', 'src/stores/matching/'],
    types: ['src/stores/ports.ts'],
  },
  'src/stores/sqlite-documents/': {
    values: [
      ...['src/errors/', 'src/lib/', 'src/stores/filter.ts', 'src/stores/namespace.ts'],
      ...['src/stores/matching/', 'src/stores/sqlite-documents/'],
    ],
    types: ['src/stores/ports.ts'],
  },
  'src/stores/mongo-documents/': {
    values: [
      ...['src/errors/', 'src/lib/', 'src/stores/filter.ts', 'src/stores/namespace.ts'],
      ...['src/stores/matching/', 'src/stores/mongo-documents/'],
    ],
    types: ['src/stores/ports.ts'],
  },
  'src/stores/media-store.ts': { values: [] },
  'src/stores/media-operations.ts': {
    values: ['src/errors/', 'src/lib/'],
    types: ['src/stores/media-store.ts'],
  },
  'src/stores/disk-media/': {
    values: ['src/errors/', 'src/lib/', 'src/stores/media-operations.ts', 'src/stores/disk-media/'],
    types: ['src/stores/media-store.ts'],
  },
  'src/stores/s3-media/': {
    values: ['src/errors/', 'src/lib/', 'src/stores/media-operations.ts', 'src/stores/s3-media/'],
    types: ['src/stores/media-store.ts'],
  },
  'src/stores/redis-cache/': {
    values: ['src/errors/', 'src/lib/', 'src/stores/redis-cache/'],
    types: ['src/stores/ports.ts'],
  },
  'src/stores/open/': { values: ['src/stores/', 'src/lib/'] },
  'src/stores/': { values: ['src/errors/', 'src/lib/'], types: ['src/stores/ports.ts'] },
  'src/collections/': {
    values: [
      ...['src/errors/', 'src/lib/', 'src/stores/filter.ts'],
      ...['src/stores/namespace.ts', 'src/collections/'],
    ],
    types: ['src/stores/ports.ts', 'src/config/', 'src/auth/clients/client.ts'],
  },
  'src/auth/': {
    values: ['src/errors/', 'src/lib/', 'src/stores/filter.ts', 'src/auth/'],
    types: ['src/stores/ports.ts', 'src/config/', 'src/collections/'],
  },
  'src/sandbox-supervisor/': {
    values: ['src/errors/', 'src/lib/', 'src/sandbox-supervisor/'],
    types: ['sandbox/protocol.ts', 'src/config/'],
  },
  'src/modules/': {
    values: ['src/errors/', 'src/lib/', 'src/stores/filter.ts', 'src/modules/'],
    types: [
      ...['sandbox/protocol.ts', 'src/stores/ports.ts', 'src/config/', 'src/collections/', 'src/auth/'],
      'src/sandbox-supervisor/',
    ],
  },
  'src/capabilities/': {
    values: [
      ...['src/errors/', 'src/lib/', 'src/modules/policy/', 'src/capabilities/'],
      ...['src/collections/model/page-json.ts', 'src/collections/model/read-request.ts'],
      'src/sandbox-supervisor/protocol/guest-events.ts',
    ],
    types: [
      ...['sandbox/protocol.ts', 'src/stores/ports.ts', 'src/collections/', 'src/auth/', 'src/modules/'],
      'src/sandbox-supervisor/',
    ],
  },
  'src/endpoints/': {
    values: [
      ...['src/errors/', 'src/lib/', 'src/auth/authorize.ts', 'src/auth/auth-errors.ts'],
      ...['src/modules/policy/', 'src/endpoints/'],
    ],
    types: [
      ...['sandbox/protocol.ts', 'src/config/', 'src/collections/', 'src/auth/', 'src/modules/'],
      ...['src/capabilities/', 'src/sandbox-supervisor/'],
    ],
  },
  'src/hooks/': {
    values: ['src/errors/', 'src/lib/', 'src/hooks/'],
    types: [
      ...['sandbox/protocol.ts', 'src/endpoints/', 'src/config/', 'src/collections/', 'src/auth/'],
      ...['src/modules/', 'src/capabilities/', 'src/sandbox-supervisor/'],
    ],
  },
  'src/media/': {
    values: [
      ...['src/errors/', 'src/lib/', 'src/stores/filter.ts', 'src/stores/namespace.ts'],
      ...['src/collections/', 'src/media/'],
    ],
    types: ['src/stores/ports.ts', 'src/stores/media-store.ts', 'src/config/', 'src/auth/', 'src/workers/'],
  },
  'src/delivery/': {
    values: ['src/errors/', 'src/lib/', 'src/delivery/'],
    types: ['src/stores/ports.ts', 'src/stores/media-store.ts', 'src/config/', 'src/media/', 'src/auth/'],
  },
  'src/transfer/': {
    values: [
      ...['src/errors/', 'src/lib/', 'src/stores/filter.ts', 'src/transfer/'],
      ...['src/collections/specifications/collection-address.ts', 'src/collections/model/document-size.ts'],
    ],
    types: ['src/stores/ports.ts'],
  },
  'sandbox/': { values: ['sandbox/'] },
  'src/workers/': { values: ['src/errors/', 'src/lib/', 'src/workers/'] },
  'src/http/': {
    values: [
      'src/errors/',
      'src/lib/',
      'src/stores/namespace.ts',
      'src/collections/',
      'src/auth/',
      'src/endpoints/',
      'src/modules/',
      'src/media/',
      'src/delivery/',
      'src/http/',
    ],
    types: ['src/stores/ports.ts', 'src/config/', 'src/hooks/', 'src/sandbox-supervisor/'],
  },
  'src/cli/': {
    values: [
      ...['src/errors/', 'src/lib/', 'src/config/', 'src/collections/', 'src/cli/'],
      ...['src/app.ts', 'src/cli-services.ts'],
    ],
    types: ['src/startup-steps.ts', 'src/auth/', 'src/modules/', 'src/sandbox-supervisor/', 'src/transfer/'],
  },
  'src/startup.ts': { values: ['src/errors/', 'src/lib/'], types: ['src/stores/ports.ts'] },
  'src/startup-steps.ts': { values: ['src/'] },
  'src/app.ts': { values: ['src/'] },
  'src/posted-code.ts': { values: ['src/'] },
  'src/delivery-images.ts': { values: ['src/'] },
  'src/delivery-setup.ts': { values: ['src/'] },
  'src/media-setup.ts': { values: ['src/'] },
  'src/audit-setup.ts': { values: ['src/'] },
  'src/audited-files.ts': { values: ['src/'] },
  'src/cli-services.ts': { values: ['src/'] },
  'src/cloister.js': { values: ['src/cli/main.ts'] },
};

/** The only places that may import a package. A package that is not listed may not be imported at all. */
export const OWNERS: Readonly<Record<string, readonly string[]>> = {
  '@aws-sdk/client-s3': ['src/stores/s3-media/'],
  '@fastify/cors': ['src/http/'],
  '@fastify/multipart': ['src/http/'],
  '@redis/client': ['src/stores/redis-cache/'],
  acorn: ['src/workers/'],
  ajv: ['src/lib/json/json-schema.ts'],
  'cli-progress': ['src/cli/progress-bar.ts'],
  diff: ['src/modules/'],
  'eslint-scope': ['src/workers/'],
  'fastest-levenshtein': ['src/config/', 'src/collections/', 'src/lib/'],
  fastify: ['src/http/'],
  'isolated-vm': ['sandbox/isolate.js'],
  'jsonc-parser': ['src/config/', 'src/collections/', 'src/cli/', 'src/lib/'],
  jsonwebtoken: ['src/auth/'],
  'lru-cache': ['src/stores/', 'src/auth/', 'src/lib/', 'src/http/', 'src/delivery/'],
  maxmind: ['src/delivery/'],
  mongodb: ['src/stores/mongo-documents/'],
  ms: ['src/lib/duration.ts'],
  'node:sqlite': ['src/stores/sqlite-documents/'],
  pino: ['src/lib/logger.ts'],
  piscina: ['src/stores/sqlite-documents/', 'src/workers/', 'src/app.ts'],
  'rate-limiter-flexible': ['src/auth/login-limiter.ts'],
  re2js: ['src/lib/regex/linear-regex.ts'],
  sharp: ['src/delivery/'],
  'ua-parser-js': ['src/delivery/'],
  'write-file-atomic': ['src/lib/files/file-operations.ts'],
};
