// Limits of uploads and downloads.
import type { Limit } from './tables.ts';
import { constant, setting } from './values.ts';

const FORM = 'src/http/media/multipart-form.ts';
const TASKS = 'src/workers/media-tasks.ts';

export const MEDIA_LIMITS: readonly Limit[] = [
  {
    limit: 'bytes of an uploaded file, `media.maxFileSize`',
    default: setting('media.maxFileSize'),
    past: '413',
    tests: ['http/media/multipart-form'],
  },
  {
    limit: 'files and fields of a form, `limits.formParts`',
    default: setting('limits.formParts'),
    past: '400',
    tests: ['http/media/multipart-form'],
  },
  {
    limit: 'a text field of a form; its name; the headers of a part',
    default: [
      constant(FORM, 'MAX_FIELD_BYTES', 'bytes'),
      `${constant(FORM, 'MAX_FIELD_NAME')} characters`,
      constant(FORM, 'MAX_HEADER_BYTES', 'bytes'),
    ].join('; '),
    past: '400',
    tests: ['http/media/multipart-form'],
  },
  {
    limit: 'time for an upload, `media.requestSeconds`',
    default: setting('media.requestSeconds'),
    past: '408',
    tests: ['acceptance/media-broken-uploads.once.full'],
  },
  {
    limit: 'uploads under way, `limits.uploads`; of one client, `limits.uploadsPerClient`',
    default: `${setting('limits.uploads')}; ${setting('limits.uploadsPerClient')}`,
    past: '503',
    tests: ['media/upload-quota', 'security/open-uploads'],
  },
  {
    limit: 'uploads under way to one signed URL',
    default: '1',
    past: '400',
    tests: ['media/upload-quota', 'security/open-uploads'],
  },
  {
    limit: 'bytes of files of all uploads under way, `limits.stagedBytes`',
    default: setting('limits.stagedBytes'),
    past: '503',
    tests: ['media/upload-quota', 'security/open-uploads'],
  },
  {
    limit: 'text fields of all forms under way',
    default: `${constant('src/media/upload-quota.ts', 'MAX_TEXT')} characters`,
    past: '503',
    tests: ['media/upload-quota'],
  },
  {
    limit: 'files of more than 1 MiB on their way to a bucket: parts of 8 MiB in memory, wait for room',
    default: [
      constant('src/stores/s3-media/s3-media.ts', 'MAX_PARTS_IN_MEMORY'),
      constant('src/stores/s3-media/s3-media.ts', 'MAX_PART_WAIT', 'ms'),
    ].join('; '),
    past: '503',
    tests: ['stores/s3-media/multipart-uploads.full'],
  },
  {
    limit: 'a stored file name',
    default: constant('src/media/file-name.ts', 'MAX_NAME_BYTES', 'bytes'),
    past: 'cut, the extension kept',
    tests: ['media/file-name'],
  },
  {
    limit: 'life of a signed URL, `media.tokenExpiresIn`',
    default: `${setting('media.tokenExpiresIn')} unless the request for it says another, ${constant('src/lib/duration.ts', 'MAX_MS', 'days')} at most`,
    past: '400',
    tests: ['http/media/sign-request', 'auth/upload-tokens'],
  },
  {
    limit: 'bytes that are looked at for image dimensions',
    default: `the first ${constant(TASKS, 'IMAGE_HEAD_BYTES', 'bytes')}, the last ${constant(TASKS, 'IMAGE_TAIL_BYTES', 'bytes')}`,
    past: 'no dimensions',
    tests: ['workers/media-tasks'],
  },
  {
    limit: 'bytes of a PNG, JPEG, GIF or WebP that are read without a thread',
    default: constant(TASKS, 'MAX_HEADER_BYTES', 'bytes'),
    past: 'a thread reads more of it',
    tests: ['workers/image-dimensions'],
  },
  {
    limit: 'reading dimensions: time, threads, images that wait, time for that',
    default: [
      constant(TASKS, 'TIMEOUT_MS', 'ms'),
      constant(TASKS, 'MAX_THREADS'),
      constant(TASKS, 'MAX_QUEUE'),
      constant(TASKS, 'MAX_WAIT', 'ms'),
    ].join(', '),
    past: '503',
    tests: ['workers/media-tasks'],
  },
  {
    limit: 'buffers of one download; they count as bytes that wait for a client',
    default: constant('src/http/media/file-downloads.ts', 'DOWNLOAD_BUFFER_BYTES', 'bytes'),
    past: '503 where memory does not allow it',
    tests: ['http/media/file-download-conditions.full'],
  },
  {
    limit: 'one request to a bucket; more where it carries a part',
    default: `${constant('src/stores/s3-media/bucket.ts', 'TIMEOUT_MS', 'ms')}; ${constant('src/stores/s3-media/bucket.ts', 'BODY_TIMEOUT_MS', 'ms')} more`,
    past: '503',
    tests: ['stores/s3-media/bucket.full'],
  },
  {
    limit: 'connections to a bucket',
    default: `${constant('src/stores/s3-media/s3-media.ts', 'MAX_READS')} for reads, ${constant('src/stores/s3-media/s3-media.ts', 'MAX_LOOKUPS')} for looking whether a file is there, ${constant('src/stores/s3-media/s3-media.ts', 'MAX_OTHER_REQUESTS')} for all else`,
    past: 'requests of that kind wait, then 503',
    tests: ['stores/s3-media/shares.full'],
  },
];
