// Settings of the delivery component: its listener, rendering, the cache of variants, the sources of originals.
import type { SettingGroup } from './setting-schema.ts';

export const DELIVERY_SCHEMA = {
  type: 'object',
  description: 'The delivery component: routes, recipes, images.',
  properties: {
    host: { type: 'string', minLength: 1, default: '0.0.0.0', description: 'Address to listen on.' },
    port: {
      type: 'integer',
      minimum: 0,
      maximum: 65535,
      default: 8082,
      description: 'Port to listen on. 0 takes any free one. Flag: `--delivery-port`.',
    },
    cacheControl: {
      type: 'string',
      minLength: 1,
      maxLength: 200,
      pattern: '^[\\x20-\\x7e]*$',
      default: 'public, max-age=3600',
      aliases: ['headers.cacheControl.default'],
      description:
        '`Cache-Control` of delivered files. Where a country or a connection type decided, `public` becomes `private`.',
    },
    cacheControlByType: {
      type: 'array',
      items: {
        type: 'string',
        maxLength: 300,
        pattern: '^[\\w!#$&^.+-]+/[\\w!#$&^.+-]+ *: *[\\x20-\\x7e]+$',
      },
      maxItems: 200,
      default: [],
      aliases: ['headers.cacheControl.mimetypes'],
      description:
        'The same for files of one media type, such as `text/css: public, max-age=86400`. Older servers’ form, an object or a list of objects `{"text/css": "public, max-age=86400"}`, is read too.',
    },
    plainRecipe: {
      type: 'string',
      pattern: '^[A-Za-z0-9_-]{1,100}$',
      expects: 'must be the name of a recipe',
      description:
        'The recipe of images that are asked for by their plain path with a query string, as `/photo.jpg?w=200`. Unset: a query string has no effect there.',
    },
    render: {
      type: 'object',
      description: 'Rendering of images.',
      properties: {
        concurrency: {
          type: 'integer',
          minimum: 1,
          maximum: 64,
          default: 2,
          dividedAmongWorkers: true,
          description: 'Images that are rendered at the same time.',
        },
        queue: {
          type: 'integer',
          minimum: 0,
          maximum: 10_000,
          default: 64,
          dividedAmongWorkers: true,
          description:
            'Renderings that may wait, for their original or for their turn; more are answered with 503. Originals of other web servers take half of the places at most.',
        },
        seconds: {
          type: 'number',
          unit: 's',
          minimum: 0.1,
          maximum: 300,
          default: 10,
          description: 'Seconds that fetching an original may take, and rendering it.',
        },
        maxPixels: {
          type: 'integer',
          minimum: 1,
          maximum: 268_402_689,
          default: 100_000_000,
          description: 'Pixels that an original may have, all its frames together.',
        },
        maxSourceBytes: {
          type: 'integer',
          unit: 'bytes',
          minimum: 1,
          default: 104_857_600,
          description: 'Bytes that the original of an image may have.',
        },
        maxFrames: {
          type: 'integer',
          minimum: 1,
          maximum: 1000,
          default: 60,
          description: 'Frames of an animation that are kept; the rest is dropped.',
        },
        maxOutputPixels: {
          type: 'integer',
          minimum: 1,
          maximum: 268_402_689,
          default: 16_777_216,
          description: 'Pixels that a rendered image may have.',
        },
      },
    },
    cache: {
      type: 'object',
      description: 'The cache of rendered images.',
      properties: {
        storage: {
          type: 'string',
          enum: ['disk', 's3'],
          default: 'disk',
          description: 'Where they are kept: a folder, or the bucket of `media.s3`.',
        },
        path: {
          type: 'string',
          minLength: 1,
          default: '.cache/delivery',
          description: 'The folder, relative to the run directory; in a bucket, the prefix.',
        },
        maxBytes: {
          type: 'integer',
          unit: 'bytes',
          minimum: 1_048_576,
          maximum: 1_099_511_627_776,
          default: 1_073_741_824,
          dividedAmongWorkers: true,
          description: 'Bytes that the cache may take; the least recently used images go first.',
        },
      },
    },
  },
} as const satisfies SettingGroup;

export const IMAGES_SCHEMA = {
  type: 'object',
  description: 'Where delivery finds originals: the first source that has the file.',
  properties: {
    directory: {
      type: 'object',
      description: 'A folder on this machine, asked first.',
      properties: {
        enabled: { type: 'boolean', default: false, description: 'Whether it is asked.' },
        path: {
          type: 'string',
          minLength: 1,
          default: 'images',
          description: 'The folder, relative to the run directory.',
        },
      },
    },
    media: {
      type: 'object',
      description: 'The media store: the path is the `path` of a record.',
      properties: {
        enabled: { type: 'boolean', default: true, description: 'Whether it is asked.' },
      },
    },
    s3: {
      type: 'object',
      description: 'A bucket of its own. Keys belong into the environment, not the file.',
      properties: {
        enabled: { type: 'boolean', default: false, description: 'Whether it is asked.' },
        accessKey: {
          type: 'string',
          minLength: 1,
          secret: true,
          env: ['AWS_S3_IMAGES_ACCESS_KEY'],
          description: 'Access key.',
        },
        secretKey: {
          type: 'string',
          minLength: 1,
          secret: true,
          env: ['AWS_S3_IMAGES_SECRET_KEY'],
          description: 'Secret key.',
        },
        bucketName: {
          type: 'string',
          minLength: 1,
          env: ['AWS_S3_IMAGES_BUCKET_NAME'],
          description: 'Name of the bucket.',
        },
        region: {
          type: 'string',
          minLength: 1,
          env: ['AWS_S3_IMAGES_REGION'],
          description: 'Region of the bucket.',
        },
        endpoint: {
          type: 'string',
          format: 'http-url',
          description: 'URL of a service that speaks the same protocol.',
        },
        forcePathStyle: {
          type: 'boolean',
          default: false,
          description: 'Whether the bucket is named in the path and not in the host.',
        },
      },
    },
    remote: {
      type: 'object',
      description: 'Other web servers, as `/{recipe}/https://host/path`.',
      properties: {
        enabled: { type: 'boolean', default: false, description: 'Whether they are asked.' },
        allow: {
          type: 'array',
          items: { type: 'string', format: 'http-origin' },
          maxItems: 100,
          default: [],
          description: 'Origins that originals may come from, such as `https://images.example.com`.',
        },
        allowPrivateAddresses: {
          type: 'boolean',
          default: false,
          description: 'Whether these origins may be at private addresses.',
        },
        seconds: {
          type: 'number',
          unit: 's',
          minimum: 0.1,
          maximum: 60,
          default: 5,
          description: 'Seconds that fetching an original may take.',
        },
      },
    },
  },
} as const satisfies SettingGroup;

export const ASSETS_SCHEMA = {
  type: 'object',
  description: 'Where delivery finds what is no image: this folder, then the sources of `images`.',
  properties: {
    directory: {
      type: 'object',
      description: 'A folder on this machine for files that are no images by their names.',
      properties: {
        enabled: { type: 'boolean', default: false, description: 'Whether it is asked.' },
        path: {
          type: 'string',
          minLength: 1,
          default: 'public',
          description: 'The folder, relative to the run directory.',
        },
      },
    },
  },
} as const satisfies SettingGroup;

export const NOT_FOUND_SCHEMA = {
  type: 'object',
  description: 'What becomes of requests for missing images.',
  properties: {
    statusCode: {
      type: 'integer',
      minimum: 200,
      maximum: 599,
      default: 404,
      description:
        'The status of a missing image, and of what stands in for it: not 204, 205 or 304, which have no body. Where nothing stands in, one below 400 counts as 404.',
    },
    images: {
      type: 'object',
      description: 'A fallback for images.',
      properties: {
        enabled: { type: 'boolean', default: false, description: 'Whether there is one.' },
        path: {
          type: 'string',
          minLength: 1,
          default: 'images/missing.png',
          description: 'The file, relative to the run directory.',
        },
      },
    },
  },
} as const satisfies SettingGroup;
