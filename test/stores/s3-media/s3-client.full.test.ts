// What failures of the bucket become.
import { expect, it } from 'vitest';
import {
  createS3ErrorTranslator,
  isAlreadyThere,
  isMissingObject,
  isNotImplemented,
} from '../../../src/stores/s3-media/s3-client.ts';
import type { LogLine } from './workbench.ts';

const failure = (name: string, status?: number, code?: string) =>
  Object.assign(new Error(`${name}: key AKIA123`), {
    name,
    ...(status === undefined ? {} : { $metadata: { httpStatusCode: status } }),
    ...(code === undefined ? {} : { code }),
  });

function judge(...errors: readonly Error[]) {
  const lines: LogLine[] = [];
  const error = (fields: unknown, message?: string) => void lines.push({ fields, message: message ?? '' });
  const toStoreError = createS3ErrorTranslator({ error }, () => 0);
  return { reasons: errors.map((one) => toStoreError(one).reason), lines };
}

it.each([
  [
    'a service that is away',
    'unavailable',
    'away',
    [
      failure('Error', undefined, 'ECONNREFUSED'),
      failure('SlowDown', 503),
      failure('InternalError', 500),
      failure('TimeoutError'),
      failure('AbortError'),
    ],
  ],
  [
    'wrong keys',
    'failed',
    'credentials',
    [failure('AccessDenied', 403), failure('SignatureDoesNotMatch', 403), failure('Unknown', 403)],
  ],
  ['no such bucket', 'failed', 'bucket', [failure('NoSuchBucket', 404)]],
  [
    'another region',
    'failed',
    'region',
    [
      failure('PermanentRedirect', 301),
      failure('Unknown', 301),
      failure('AuthorizationHeaderMalformed', 400),
    ],
  ],
  ['a wrong clock', 'failed', 'clock', [failure('RequestTimeTooSkewed', 403)]],
  ['anything else', 'failed', 'unexpected', [failure('EntityTooLarge', 400)]],
] as const)('%s is `%s`, with one line', (_, reason, fault, errors) => {
  const { reasons, lines } = judge(...errors);
  expect(new Set(reasons)).toEqual(new Set([reason]));
  expect(lines.map(({ fields }) => fields)).toEqual([expect.objectContaining({ fault })]);
  expect(JSON.stringify(lines)).not.toContain(errors[0].name === 'Error' ? 'never' : 'AKIA123');
});

it('answers that are no failures are told apart', () => {
  expect(
    [failure('NoSuchKey', 404), failure('NotFound', 404), failure('NoSuchBucket', 404)].map(isMissingObject),
  ).toEqual([...[true, true, false]]);
  expect(
    [
      failure('PreconditionFailed', 412),
      failure('ConditionalRequestConflict', 409),
      failure('Other', 409),
    ].map(isAlreadyThere),
  ).toEqual([...[true, true, false]]);
  expect([failure('NotImplemented', 501), failure('InternalError', 500)].map(isNotImplemented)).toEqual([
    true,
    false,
  ]);
});

it('values that are no errors of the service say nothing about an object', () => {
  const malformed = [{ httpStatusCode: '412' }, null, 412].map((metadata) =>
    Object.assign(new Error('malformed'), { $metadata: metadata }),
  );
  for (const value of [...malformed, 'NoSuchKey', undefined]) {
    expect([isMissingObject(value), isAlreadyThere(value), isNotImplemented(value)]).toEqual(
      Array(3).fill(false),
    );
  }
});
