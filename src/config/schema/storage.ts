// Settings of what is kept: the database, the cache, media.
import type { SettingGroup } from './setting-schema.ts';

export const DATABASE_SCHEMA = {
  type: 'object',
  description: 'Where documents live.',
  properties: {
    engine: {
      type: 'string',
      enum: ['sqlite', 'mongodb'],
      default: 'sqlite',
      description:
        'The store: `sqlite` is embedded and needs no other server; `mongodb` is a MongoDB server, replica set or cluster.',
    },
    enableCollectionDatabases: {
      type: 'boolean',
      default: false,
      description:
        'Whether each database folder of the workspace has documents of its own. Otherwise collections of the same name share theirs.',
    },
    sqlite: {
      type: 'object',
      description: 'The embedded store.',
      properties: {
        path: {
          type: 'string',
          minLength: 1,
          default: 'data',
          description: 'Folder of the database file, relative to the run directory; created when missing.',
        },
      },
    },
    mongodb: {
      type: 'object',
      description: 'The MongoDB store, for `database.engine: "mongodb"`.',
      properties: {
        uri: {
          type: 'string',
          format: 'mongodb-uri',
          secret: true,
          description:
            'Connection string, a secret as a whole. The database that it names holds the documents, `cloister` if it names none. Writes wait for the majority and the journal and reads go to the primary, whatever it says.',
        },
        maxPoolSize: {
          type: 'integer',
          minimum: 5,
          maximum: 10_000,
          default: 100,
          description:
            'Connections that may be open to each server. Three of them are kept for health and for building indexes, half of the others for reads by id and writes.',
        },
        minPoolSize: {
          type: 'integer',
          minimum: 0,
          maximum: 10_000,
          default: 0,
          description: 'Connections that are kept open to each server.',
        },
      },
    },
  },
} as const satisfies SettingGroup;

export const CACHE_SCHEMA = {
  type: 'object',
  description:
    'The cache of answers, for collections whose `settings.cache` is not false. A bare boolean switches it on or off.',
  shorthand: 'enabled',
  aliases: ['caching'],
  properties: {
    enabled: { type: 'boolean', default: false, overHttp: 'any', description: 'Whether answers are cached.' },
    ttl: {
      type: 'number',
      unit: 's',
      minimum: 1,
      maximum: 31_536_000,
      default: 300,
      overHttp: 'any',
      description: 'Seconds for which an answer is kept. A write ends it sooner.',
    },
    engine: {
      type: 'string',
      enum: ['memory', 'filesystem', 'redis'],
      default: 'memory',
      description:
        'Where answers are kept: in the process, in a folder, or in Redis, which several servers can share. Countries and connection types that services told are kept there too, whether or not answers are; in Redis, several servers also count limits of logins and calls.',
    },
    path: {
      type: 'string',
      minLength: 1,
      default: '.cache/responses',
      description: 'Folder of the filesystem cache, relative to the run directory.',
    },
    redis: {
      type: 'object',
      description: 'The server, for `cache.engine: "redis"`.',
      properties: {
        url: {
          type: 'string',
          format: 'redis-url',
          secret: true,
          description:
            'Address, a secret as a whole: `redis://` or `rediss://`, user and password, host, port, number of the database.',
        },
        timeoutMs: {
          type: 'integer',
          unit: 'ms',
          minimum: 1,
          maximum: 60_000,
          default: 200,
          description:
            'Milliseconds that one command may take; what takes longer counts as not cached, and divides limits among the servers.',
        },
      },
    },
    maxBytes: {
      type: 'integer',
      unit: 'bytes',
      minimum: 1_048_576,
      maximum: 1_099_511_627_776,
      default: 67_108_864,
      overHttp: 'lower',
      dividedAmongWorkers: true,
      description:
        'Bytes that the cache may take; the least used answers go first. With Redis, its `maxmemory` bounds the whole, and this one entry.',
    },
  },
} as const satisfies SettingGroup;

export const MEDIA_SCHEMA = {
  type: 'object',
  description: 'Uploads to media collections.',
  properties: {
    enabled: {
      type: 'boolean',
      description:
        'Whether files can be uploaded. Unset: when a media collection exists. With `true` a site without one has the default bucket.',
    },
    tokenSecret: {
      type: 'string',
      minLength: 32,
      maxLength: 1024,
      secret: true,
      description:
        'Signs upload tokens, 32 characters or more. Unset: a random one is made at the first start and kept with the data.',
    },
    tokenExpiresIn: {
      oneOf: [
        { type: 'number', minimum: 1, maximum: 2_592_000 },
        { type: 'string', format: 'time-span' },
      ],
      expects:
        'must be a number of seconds or a span of time such as `10h` or `2 days`, from 1 second to 30 days',
      default: '1h',
      overHttp: 'any',
      description:
        'How long a signed upload is good: seconds, or a span such as `10h`, `2 days`; from 1 second to 30 days.',
    },
    defaultBucket: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      default: 'mediaStore',
      description:
        'Of several media collections the one that `/media` and `/api/media` mean without a name; where there is only one, it is that. It needs no specification where another one refers to it.',
    },
    basePath: {
      type: 'string',
      minLength: 1,
      default: 'workspace/media',
      description:
        'On disk: a folder, relative to the run directory; the default means the workspace in use. In a bucket: a prefix.',
    },
    pathFormat: {
      type: 'string',
      enum: ['none', 'date', 'datetime', 'sha1/4', 'sha1/5', 'sha1/8'],
      default: 'date',
      overHttp: 'any',
      description: 'The folders in which a file is stored.',
    },
    storage: {
      type: 'string',
      enum: ['disk', 's3'],
      default: 'disk',
      description: 'Where files are stored.',
    },
    sync: {
      type: 'boolean',
      default: true,
      description:
        'On disk: whether an upload is answered only when its bytes and names are on the disk, and not only in the memory of the system. Without it uploads are faster, and a power failure of the machine may leave records whose files are empty.',
    },
    maxFileSize: {
      type: 'integer',
      unit: 'bytes',
      minimum: 1,
      default: 104_857_600,
      overHttp: 'lower',
      description: 'Bytes that one uploaded file may have.',
    },
    public: {
      type: 'boolean',
      default: false,
      description:
        'Whether the bytes of files can be read without a token, in collections without `settings.access`.',
    },
    requestSeconds: {
      type: 'number',
      unit: 's',
      minimum: 1,
      maximum: 86_400,
      default: 600,
      overHttp: 'lower',
      description: 'Seconds that an upload may take.',
    },
    s3: {
      type: 'object',
      description:
        'The bucket, when `media.storage` is `s3`. Keys belong into the environment, not the file.',
      properties: {
        accessKey: {
          type: 'string',
          minLength: 1,
          secret: true,
          env: ['CLOUD_S3_ACCESS_KEY', 'AWS_S3_ACCESS_KEY', 'AWS_ACCESS_KEY_ID'],
          description: 'Access key.',
        },
        secretKey: {
          type: 'string',
          minLength: 1,
          secret: true,
          env: ['CLOUD_S3_SECRET_KEY', 'AWS_S3_SECRET_KEY', 'AWS_SECRET_ACCESS_KEY'],
          description: 'Secret key.',
        },
        bucketName: {
          type: 'string',
          minLength: 1,
          format: 'bucket-name',
          env: ['AWS_S3_BUCKET_NAME'],
          description: 'Name of the bucket.',
        },
        region: {
          type: 'string',
          minLength: 1,
          env: ['AWS_S3_REGION', 'AWS_REGION'],
          description: 'Region of the bucket; `us-east-1` where there is an `endpoint` and no region.',
        },
        endpoint: {
          type: 'string',
          format: 'service-url',
          description: 'URL of a service that speaks the same protocol, without a path.',
        },
        forcePathStyle: {
          type: 'boolean',
          default: false,
          description: 'Whether the bucket is named in the path and not in the host.',
        },
      },
    },
  },
} as const satisfies SettingGroup;
