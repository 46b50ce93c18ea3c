// The layers of the source tree and the owners of its packages, as architecture.test.ts holds them.

/** Layer by longest matching prefix; what a layer may import, as values or as types only. */
export const LAYERS: Readonly<Record<string, { values: readonly string[]; types?: readonly string[] }>> = {
  'src/delivery-error-catalogue.ts': { values: [] },
  'src/upload-error-catalogue.ts': { values: [] },
  'src/error-catalogue.ts': { values: ['src/delivery-error-catalogue.ts', 'src/upload-error-catalogue.ts'] },
  'src/errors.ts': { values: ['src/error-catalogue.ts'] },
  'src/lib/': { values: ['src/errors.ts', 'src/lib/'] },
  'src/config/': { values: ['src/errors.ts', 'src/lib/', 'src/config/'] },
  'src/stores/ports.ts': { values: [], types: ['src/lib/', 'src/stores/filter.ts'] },
  'src/stores/filter.ts': { values: [], types: ['src/lib/'] },
  'src/stores/matching/': {
    values: ['src/errors.ts', 'src/lib/', 'src/stores/filter.ts', 'src/stores/matching/'],
    types: ['src/stores/ports.ts'],
  },
  'src/stores/sqlite-documents/': {
    values: [
      ...['src/errors.ts', 'src/lib/', 'src/stores/filter.ts', 'src/stores/matching/'],
      'src/stores/sqlite-documents/',
    ],
    types: ['src/stores/ports.ts'],
  },
  'src/stores/mongo-documents/': {
    values: [
      ...['src/errors.ts', 'src/lib/', 'src/stores/filter.ts', 'src/stores/matching/'],
      'src/stores/mongo-documents/',
    ],
    types: ['src/stores/ports.ts'],
  },
  'src/stores/media-store.ts': { values: [] },
  'src/stores/disk-media/': {
    values: ['src/errors.ts', 'src/lib/', 'src/stores/disk-media/'],
    types: ['src/stores/media-store.ts'],
  },
  'src/stores/s3-media/': {
    values: ['src/errors.ts', 'src/lib/', 'src/stores/s3-media/'],
    types: ['src/stores/media-store.ts'],
  },
  'src/stores/redis-cache/': {
    values: ['src/errors.ts', 'src/lib/', 'src/stores/redis-cache/'],
    types: ['src/stores/ports.ts'],
  },
  'src/stores/caches.ts': { values: ['src/stores/', 'src/lib/'] },
  'src/stores/documents.ts': { values: ['src/stores/'], types: ['src/lib/'] },
  'src/stores/': { values: ['src/errors.ts', 'src/lib/'], types: ['src/stores/ports.ts'] },
  'src/collections/': {
    values: ['src/errors.ts', 'src/lib/', 'src/stores/filter.ts', 'src/collections/'],
    types: ['src/stores/ports.ts', 'src/config/', 'src/auth/client.ts'],
  },
  'src/auth/': {
    values: ['src/errors.ts', 'src/lib/', 'src/stores/filter.ts', 'src/auth/'],
    types: ['src/stores/ports.ts', 'src/config/', 'src/collections/'],
  },
  'src/endpoints/': {
    values: ['src/errors.ts', 'src/lib/', 'src/stores/filter.ts', 'src/endpoints/'],
    types: ['sandbox/protocol.ts', 'src/stores/ports.ts', 'src/config/', 'src/collections/', 'src/auth/'],
  },
  'src/hooks/': {
    values: ['src/errors.ts', 'src/lib/', 'src/hooks/'],
    types: ['sandbox/protocol.ts', 'src/endpoints/', 'src/config/', 'src/collections/', 'src/auth/'],
  },
  'src/media/': {
    values: ['src/errors.ts', 'src/lib/', 'src/stores/filter.ts', 'src/collections/', 'src/media/'],
    types: ['src/stores/ports.ts', 'src/stores/media-store.ts', 'src/config/', 'src/auth/', 'src/workers/'],
  },
  'src/delivery/': {
    values: ['src/errors.ts', 'src/lib/', 'src/delivery/'],
    types: ['src/stores/ports.ts', 'src/stores/media-store.ts', 'src/config/', 'src/media/', 'src/auth/'],
  },
  'src/transfer/': {
    values: [
      ...['src/errors.ts', 'src/lib/', 'src/stores/filter.ts', 'src/transfer/'],
      ...['src/collections/specifications/address.ts', 'src/collections/writes/document-size.ts'],
    ],
    types: ['src/stores/ports.ts'],
  },
  'sandbox/': { values: ['sandbox/'] },
  'src/workers/': { values: ['src/errors.ts', 'src/lib/', 'src/workers/'] },
  'src/http/': {
    values: [
      'src/error-catalogue.ts',
      'src/errors.ts',
      'src/lib/',
      'src/collections/',
      'src/auth/',
      'src/endpoints/',
      'src/media/',
      'src/delivery/',
      'src/http/',
    ],
    types: ['src/stores/ports.ts', 'src/config/', 'src/hooks/'],
  },
  'src/cli/': {
    values: [
      ...['src/errors.ts', 'src/lib/', 'src/config/', 'src/collections/', 'src/cli/'],
      ...['src/app.ts', 'src/console.ts'],
    ],
    types: ['src/auth/', 'src/endpoints/', 'src/transfer/'],
  },
  'src/start-up.ts': { values: ['src/errors.ts', 'src/lib/'], types: ['src/stores/ports.ts'] },
  'src/app.ts': { values: ['src/'] },
  'src/custom-code.ts': { values: ['src/'] },
  'src/delivery-images.ts': { values: ['src/'] },
  'src/delivery-setup.ts': { values: ['src/'] },
  'src/media-setup.ts': { values: ['src/'] },
  'src/audit-log.ts': { values: ['src/'] },
  'src/audited-files.ts': { values: ['src/'] },
  'src/console.ts': { values: ['src/'] },
  'src/cloister.js': { values: ['src/cli/main.ts'] },
};

/** The only places that may import a package. A package that is not listed may not be imported at all. */
export const OWNERS: Readonly<Record<string, readonly string[]>> = {
  '@aws-sdk/client-s3': ['src/stores/s3-media/'],
  '@fastify/cors': ['src/http/'],
  '@fastify/multipart': ['src/http/'],
  '@redis/client': ['src/stores/redis-cache/'],
  acorn: ['src/workers/'],
  ajv: ['src/lib/json-schema.ts'],
  'cli-progress': ['src/cli/progress.ts'],
  diff: ['src/endpoints/modules/'],
  'eslint-scope': ['src/workers/'],
  'fastest-levenshtein': ['src/config/', 'src/collections/', 'src/lib/'],
  fastify: ['src/http/'],
  'isolated-vm': ['sandbox/isolate.js'],
  'jsonc-parser': ['src/config/', 'src/collections/', 'src/cli/', 'src/lib/'],
  jsonwebtoken: ['src/auth/'],
  'lru-cache': ['src/stores/', 'src/auth/', 'src/lib/', 'src/http/', 'src/delivery/'],
  maxmind: ['src/delivery/'],
  mongodb: ['src/stores/mongo-documents/'],
  ms: ['src/lib/time-span.ts'],
  'node:sqlite': ['src/stores/sqlite-documents/'],
  pino: ['src/lib/logger.ts'],
  piscina: ['src/stores/sqlite-documents/', 'src/workers/', 'src/app.ts'],
  'rate-limiter-flexible': ['src/auth/rate-limit.ts'],
  re2js: ['src/lib/linear-regex.ts'],
  sharp: ['src/delivery/'],
  'ua-parser-js': ['src/delivery/'],
  'write-file-atomic': ['src/lib/atomic-write.ts'],
};
