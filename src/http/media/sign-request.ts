// Parses the body of a request for a signed upload. Unknown members are ignored: clients of older servers send more. Every issue
// names its field.
import { AppError, type ErrorItem } from '../../errors/errors.ts';
import { EXPECTED_DURATION, parseDuration } from '../../lib/duration.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { isMediaType, mediaTypeOf } from '../../media/file-name.ts';
import type { PartialAddress } from '../core/find-media-collection.ts';

export interface SignRequest {
  /** The name that the part of the form must have, in Unicode normal form C. */
  readonly fileName: string;
  /** The media type that the part must have; null: whichever it has. */
  readonly mimetype: string | null;
  /** Milliseconds, from a second to 30 days (`parseDuration`); undefined: that of the configuration. */
  readonly lifetime: number | undefined;
  readonly address: PartialAddress;
}

/** Bytes of UTF-8. Stored names are shorter; the original name is stored beside them. */
const MAX_FILE_NAME = 1024;
const MAX_NAME = 255;
const CONTROL = /\p{Cc}/u;

type Issue = ErrorItem | undefined;

const issue = (field: string, message: string): ErrorItem => ({ field, message, code: 'BAD_REQUEST' });

function fileNameIssue(value: unknown): Issue {
  if (value === undefined || value === '') return issue('fileName', 'must be specified');
  if (typeof value !== 'string') return issue('fileName', 'must be text');
  if (CONTROL.test(value)) return issue('fileName', 'must not have control characters');
  const isLong = Buffer.byteLength(value.normalize('NFC')) > MAX_FILE_NAME;
  return isLong ? issue('fileName', `must not be longer than ${MAX_FILE_NAME} bytes`) : undefined;
}

const isUnspecified = (value: unknown) => value === undefined || value === null || value === '';

function mimetypeIssue(value: unknown): Issue {
  if (isUnspecified(value)) return undefined;
  if (typeof value === 'string' && isMediaType(value)) return undefined;
  return issue('mimetype', 'must be a media type such as image/jpeg');
}

function expiryIssue(value: unknown): Issue {
  if (value === undefined || parseDuration(value) !== undefined) return undefined;
  return issue('expiresIn', `must be ${EXPECTED_DURATION}`);
}

function addressIssues(body: JsonObject): readonly Issue[] {
  const issues = ['collection', 'database', 'version'].map((field): Issue => {
    const value = body[field];
    const isName = typeof value === 'string' && value !== '' && value.length <= MAX_NAME;
    return value === undefined || isName ? undefined : issue(field, 'must be a name');
  });
  const isVague = body['collection'] === undefined && (body['database'] ?? body['version']) !== undefined;
  return isVague
    ? [...issues, issue('collection', 'must be specified with `database` or `version`')]
    : issues;
}

/** Parses the body. Throws BAD_REQUEST with all issues. */
export function parseSignRequest(body: JsonObject): SignRequest {
  const { fileName, mimetype, expiresIn, collection: name, database, version } = body;
  const issues = [
    ...[fileNameIssue(fileName), mimetypeIssue(mimetype), expiryIssue(expiresIn)],
    ...addressIssues(body),
  ].filter((item) => item !== undefined);
  if (issues.length > 0) throw new AppError('BAD_REQUEST', { items: issues });
  const address = Object.entries({ version, database, name }).filter(([, value]) => value !== undefined);
  return {
    fileName: String(fileName).normalize('NFC'),
    mimetype: isUnspecified(mimetype) ? null : mediaTypeOf(String(mimetype)),
    lifetime: expiresIn === undefined ? undefined : parseDuration(expiresIn),
    address: Object.fromEntries(address),
  };
}
