// Limits of delivery: originals, rendering, look-ups.
import type { Limit } from './tables.ts';
import { constant, setting } from './values.ts';

const COMPRESSED = 'src/delivery/variants/compressed-files.ts';
const SPOOL = 'src/delivery/images/spooled-original.ts';
const JOB = 'src/delivery/images/render-protocol.ts';

export const DELIVERY_LIMITS: readonly Limit[] = [
  {
    limit:
      'images rendered at a time, `delivery.render.concurrency`; renderings that wait, `delivery.render.queue`',
    default: `${setting('delivery.render.concurrency')}; ${setting('delivery.render.queue')}`,
    past: '503',
    tests: ['delivery/images/renderer.full'],
  },
  {
    limit: 'time to fetch, and to render, `delivery.render.seconds`',
    default: setting('delivery.render.seconds'),
    past: '503, the process is ended',
    tests: ['delivery/images/renderer.full', 'delivery/images/render-connection'],
  },
  {
    limit: 'bytes of an original that is rendered, `delivery.render.maxSourceBytes`',
    default: setting('delivery.render.maxSourceBytes'),
    past: '413',
    tests: ['delivery/images/render-connection', 'delivery/images/variant-service'],
  },
  {
    limit: 'pixels of an original, all frames, `delivery.render.maxPixels`',
    default: setting('delivery.render.maxPixels'),
    past: '413',
    tests: ['delivery/images/original'],
  },
  {
    limit: 'pixels of a result, `delivery.render.maxOutputPixels`',
    default: setting('delivery.render.maxOutputPixels'),
    past: '413',
    tests: ['delivery/images/render'],
  },
  {
    limit: 'files that are compressed at a time',
    default: constant(COMPRESSED, 'MAX_COMPRESSIONS'),
    past: 'others wait, within the memory',
    tests: ['delivery/variants/compressed-files'],
  },
  {
    limit: 'memory of all files that are being compressed, or wait for it',
    default: constant(COMPRESSED, 'MAX_COMPRESSING_BYTES', 'bytes'),
    past: 'sent as they are',
    tests: ['delivery/variants/compressed-files'],
  },
  {
    limit: 'bytes of a file that is compressed',
    default: constant(COMPRESSED, 'MAX_COMPRESSED_BYTES', 'bytes'),
    past: 'sent as it is',
    tests: ['delivery/variants/compressed-files', 'delivery/responses/file-response'],
  },
  {
    limit: 'frames that are kept, `delivery.render.maxFrames`',
    default: setting('delivery.render.maxFrames'),
    past: 'cut',
    tests: ['delivery/images/render'],
  },
  {
    limit: 'originals on their way to a rendering: in memory, each; in temporary files, all together',
    default: `${constant(SPOOL, 'MAX_MEMORY_BYTES', 'bytes')}; ${constant(SPOOL, 'MAX_SPOOLED_BYTES', 'bytes')}`,
    past: 'they go to a file; 503',
    tests: ['delivery/images/spooled-original'],
  },
  {
    limit: 'renderings that failed and are remembered',
    default: constant('src/delivery/images/variant-service.ts', 'MAX_REMEMBERED'),
    past: 'the oldest is forgotten',
    tests: ['delivery/images/variant-service-failures'],
  },
  {
    limit: 'memory for decoding, all renderings together',
    default: constant(JOB, 'MAX_DECODING_BYTES', 'bytes'),
    past: 'they wait; 413 for one that needs more',
    tests: ['delivery/images/renderer.full'],
  },
  {
    limit: 'resident memory of a render process',
    default: constant(JOB, 'MAX_PROCESS_BYTES', 'bytes'),
    past: '413, the process is ended',
    tests: ['delivery/images/render-connection'],
  },
  {
    limit: 'variants in the cache, `delivery.cache.maxBytes`',
    default: setting('delivery.cache.maxBytes'),
    past: 'the least recently used are removed',
    tests: ['delivery/variants/disk-variants'],
  },
  {
    limit: 'an original of another server, `images.remote.seconds`',
    default: setting('images.remote.seconds'),
    past: '504',
    tests: ['delivery/sources/remote-source'],
  },
  {
    limit: 'redirects to an original',
    default: constant('src/lib/egress/redirects.ts', 'MAX_REDIRECTS'),
    past: '403',
    tests: ['delivery/sources/remote-source'],
  },
  {
    limit: 'an answer of a look-up service, `geolocation.timeout`, `network.timeout`',
    default: `${setting('geolocation.timeout')}, ${setting('network.timeout')}`,
    past: 'the fact counts as unknown',
    tests: ['delivery/lookups/remote-lookup'],
  },
  {
    limit: 'size of that answer; requests at a time',
    default: `${constant('src/delivery/lookups/remote-lookup.ts', 'MAX_ANSWER_BYTES', 'bytes')}; ${constant('src/delivery/lookups/remote-lookup.ts', 'MAX_REQUESTS')}`,
    past: 'the fact counts as unknown',
    tests: ['delivery/lookups/remote-lookup-service', 'delivery/lookups/remote-lookup'],
  },
  {
    limit: 'time without another attempt after a failure, `geolocation.failureTtl`, `network.failureTtl`',
    default: `${setting('geolocation.failureTtl')}, ${setting('network.failureTtl')}`,
    past: 'asked again',
    tests: ['delivery/lookups/remote-lookup'],
  },
  {
    limit: '`User-Agent`; `Accept-Language`',
    default: `${constant('src/delivery/model/visitor-facts.ts', 'MAX_USER_AGENT_LENGTH')}; ${constant('src/lib/http/quality-list.ts', 'MAX_HEADER_LENGTH')} characters`,
    past: 'the rest is not read',
    tests: ['delivery/model/device', 'delivery/model/language'],
  },
  {
    limit: 'a file of a route or recipe; such files of a kind',
    default: `${constant('src/delivery/definitions/definition-files.ts', 'MAX_DEFINITION_BYTES', 'bytes')}; ${constant('src/delivery/definitions/loaded-definitions.ts', 'MAX_DEFINITIONS')}`,
    past: '400 over HTTP, else left out',
    tests: ['delivery/definitions/definition-files', 'delivery/definitions/loaded-definitions'],
  },
  {
    limit: 'a text of a workspace that is in the database',
    default: constant('src/stores/database-workspace.ts', 'MAX_WORKSPACE_TEXT_BYTES', 'bytes'),
    past: '413 over HTTP; `workspace push` writes nothing and names it',
    tests: ['stores/database-workspace'],
  },
  {
    limit: 'parameters of `…/decide`: a header; a type of connection',
    default: `${constant('src/http/delivery/request-visitor.ts', 'MAX_HEADER_LENGTH')}; ${constant('src/http/delivery/request-visitor.ts', 'MAX_NETWORK_LENGTH')} characters`,
    past: '400',
    tests: ['http/delivery/request-visitor'],
  },
  {
    limit: 'the path of the original of a preview',
    default: `${constant('src/delivery/preview-recipe.ts', 'MAX_ORIGINAL_LENGTH')} characters`,
    past: '400',
    tests: ['http/delivery/definition-routes-preview'],
  },
];
