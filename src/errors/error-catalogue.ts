// Every error that a client can see, in one table. `docs/errors.md` is generated from it.
import { DELIVERY_ERRORS, type ErrorCatalogueEntry, MEDIA_ERRORS } from './file-errors.ts';
import { SERVER_ERRORS } from './server-errors.ts';

/** Error codes of responses. Each `AppError` has one of them. */
export const ERRORS = {
  BAD_REQUEST: {
    status: 400,
    message: 'The request cannot be understood',
    explain: 'The URL, a header or the body is malformed.',
  },
  PARAMETER_INVALID: {
    status: 400,
    message: 'Invalid parameter',
    explain:
      'A query parameter has a value it cannot have. The item names it in `field`; its `code` is `Invalid Parameter`.',
  },
  FILTER_INVALID: {
    status: 400,
    message: 'Invalid filter',
    explain:
      'A filter names an unknown field or operator, is too deep or too large, or has an operand of the wrong kind. The item names the culprit in `field`; its `code` is `Invalid Parameter`.',
  },
  DOCUMENT_INVALID: {
    status: 400,
    message: 'The document is not valid',
    explain:
      'One or more fields break the specification. Each item has `field`, `message` and a `code` of its own.',
  },
  SPECIFICATION_INVALID: {
    status: 400,
    message: 'The specification is not valid',
    explain: 'A posted collection specification is refused. Nothing was changed.',
  },
  CONFIGURATION_INVALID: {
    status: 400,
    message: 'The configuration is not valid',
    explain: 'A posted setting has a wrong value. Nothing was written.',
  },
  ENDPOINT_INVALID: {
    status: 400,
    message: 'The code is not accepted',
    explain:
      'Posted code does not compile (`ENDPOINT_SYNTAX`) or fails when it is evaluated once (`ENDPOINT_LOAD`); the item has `line` and `column`. Nothing was changed.',
  },
  POLICY_INVALID: {
    status: 400,
    message: 'The policy is not valid',
    explain:
      'A policy has a wrong value, or asks for more than the policy limits of the operator allow. `field` has the path. Nothing was changed.',
  },
  HOOK_FAILED: {
    status: 400,
    message: 'A hook refused',
    explain:
      'A hook threw, returned null or an error, or ran into one of its limits. The item has the code `API-0002`, or that of the hook. The status is that with which the hook refuses (400 to 499). Nothing was written.',
  },
  WRITE_TOO_LARGE: {
    status: 400,
    message: 'Too many documents for one write',
    explain:
      'A batch or a write by query exceeds `limits.batch` or `limits.writeMatches`. Nothing was changed.',
  },
  RESULT_TOO_LARGE: {
    status: 400,
    message: 'The documents are too large together',
    explain:
      'A request may read, or write, documents of at most 64 million characters together. Ask for fewer of them, or for fewer fields.',
  },
  CACHE_PATH_MISSING: {
    status: 400,
    message: '`path` must be specified in the request body.',
    explain: 'POST /api/flush without a path. The item has the code `API-0003`.',
  },
  NO_TOKEN: {
    status: 401,
    message: 'No access token supplied',
    explain: 'The request needs `Authorization: Bearer <token>`.',
  },
  INVALID_TOKEN: {
    status: 401,
    message: 'Invalid or expired access token',
    explain:
      'The token is malformed, expired, or its client was removed or given another secret. Get a new one from /token.',
  },
  INVALID_CREDENTIALS: {
    status: 401,
    message: 'Invalid credentials supplied',
    explain: 'POST /token with a wrong client id or secret.',
  },
  NOT_PERMITTED: {
    status: 401,
    message: 'This client may not do that',
    explain:
      'The token is good, but its client is no admin, or lacks the permission. The challenge carries the path as `realm`. It is 403 without a challenge where `settings.access` of a collection or `access` of a field decides, see [access](access.md#refusals).',
  },
  CLIENT_PROTECTED: {
    status: 403,
    message: 'Only the operator changes this client, on the machine',
    explain:
      'A change of a reviewer over HTTP, or by a reviewer of any client. A reviewer may change its own secret; everything else is done with `cloister clients` on the machine.',
  },
  APPROVAL_REFUSED: {
    status: 403,
    message: 'This client may neither approve nor refuse this version',
    explain:
      'The client has not the right `reviewer`, which only `cloister clients add --reviewer` or `clients set` on the machine gives; or it wrote the code or the policy itself.',
  },
  SUSPENDED_BY_OPERATOR: {
    status: 403,
    message:
      'The operator suspended it: only `cloister endpoints resume` or `cloister hooks resume` on the machine lifts that',
    explain: '`DELETE …/suspend` of an endpoint or hook that the operator suspended by a command.',
  },
  NOT_FOUND: {
    status: 404,
    message: 'Nothing lives at this address',
    explain: 'No such path, collection or client.',
  },
  DOCUMENT_NOT_FOUND: {
    status: 404,
    message: 'No document has this id',
    explain: 'The body also carries empty `results`.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    message: 'This address does not take this method',
    explain: 'The `Allow` header lists the methods that it takes.',
  },
  CLIENT_EXISTS: {
    status: 409,
    message: 'A client with this id exists',
    explain: 'POST /api/clients with an id that is taken.',
  },
  NAME_TAKEN: {
    status: 409,
    message: 'The name is taken',
    explain:
      'An endpoint has the name of a database folder of its version, or the reverse; or a hook of that name exists already.',
  },
  SPECIFICATION_NEEDED: {
    status: 409,
    message: 'Another specification would be broken',
    explain:
      'A specification is changed or removed on which the default filters of another one depend. `field` has the path of that one. Nothing was changed. With `?force=true` the change is made, and the answer has it among its `warnings`.',
  },
  LAST_ADMIN: {
    status: 409,
    message: 'The last admin cannot be removed or demoted',
    explain: 'Create another admin first.',
  },
  VERSION_OUTDATED: {
    status: 409,
    message: 'The policy has changed since this version was posted',
    explain:
      'An approval of code that would run under another policy than when it was posted. Post it again, and have that approved.',
  },
  VERSION_NOT_PENDING: {
    status: 409,
    message: 'The version does not wait for approval',
    explain:
      'An approval or a refusal of a version that was approved before, was never to be reviewed, or is older than one that was approved. The message says who decided. Nothing was changed.',
  },
  VERSION_REFUSED: {
    status: 409,
    message: 'A reviewer has refused the version',
    explain:
      'An approval or a refusal of a version that was refused, or a rollback to it. `GET …/versions` has the reason. Put it right and post a new version.',
  },
  DOCUMENT_CHANGED: {
    status: 409,
    message: 'The document was changed by someone else',
    explain:
      'A sub-document sent back is older than the stored one, or that one is gone. `field` has its path. Nothing was written.',
  },
  REQUEST_TIMEOUT: {
    status: 408,
    message: 'The upload took too long to arrive',
    explain: 'See `media.requestSeconds`. Nothing was stored.',
  },
  PRECONDITION_FAILED: {
    status: 412,
    message: 'The document is not in a state that If-Match or If-None-Match allows',
    explain: 'Fetch it again and repeat the change.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    message: 'The request body is too large',
    explain: 'See `limits` in the configuration.',
  },
  URI_TOO_LONG: {
    status: 414,
    message: 'The query string is too long',
    explain: 'See `limits.queryStringBytes`.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    message: 'This content type or encoding is not accepted here',
    explain: 'Send JSON with `Content-Type: application/json`, not compressed.',
  },
  RATE_LIMITED: {
    status: 429,
    message: 'Too many failed attempts',
    explain: '`Retry-After` says how many seconds to wait.',
  },
  ENDPOINT_RATE_LIMITED: {
    status: 429,
    retryAfter: 60,
    message: 'This endpoint takes no more requests this minute',
    explain: 'Its policy bounds the requests a minute. `Retry-After` says how many seconds to wait.',
  },
  INTERNAL: {
    status: 500,
    message: 'Something went wrong',
    explain: 'A defect of the server. The log has the cause under the request id.',
  },
  ENDPOINT_ERROR: {
    status: 500,
    message: 'The endpoint failed',
    explain:
      'Its code threw, rejected, or called `next` with an error. The log of the endpoint has the message and the lines.',
  },
  ENDPOINT_MEMORY: {
    status: 502,
    message: 'The endpoint used more memory than it may',
    explain: 'See `heapMb` of its policy.',
  },
  ENDPOINT_CRASHED: {
    status: 502,
    message: 'The process that ran the endpoint ended',
    explain: 'Another one has taken its place. What the request had begun may or may not have been done.',
  },
  ENDPOINT_RESPONSE_TOO_LARGE: {
    status: 502,
    message: 'The endpoint answered more than it may',
    explain: 'See `responseBytes` of its policy.',
  },
  ENDPOINT_SUSPENDED: {
    status: 503,
    retryAfter: 60,
    message: 'The endpoint is suspended',
    explain:
      'By an admin or the operator, also while the request ran; or after its code ended a process or exhausted a heap three times in five minutes; or its code is broken or waits for approval. Other code lifts the suspension that code caused, an admin any but that of the operator. Also for a read or write of a collection whose hook is suspended, or does not exist.',
  },
  ENDPOINT_BUSY: {
    status: 503,
    retryAfter: 1,
    message: 'The endpoint is busy',
    explain: 'Too many of its requests are waiting. Repeat the request after `Retry-After` seconds.',
  },
  SANDBOX_DISABLED: {
    status: 503,
    retryAfter: 60,
    message: 'Custom code is switched off',
    explain:
      '`sandbox.enabled` is false, or the sandbox cannot be built as `sandbox.minimumLevel` demands. Endpoints, uploads of code, and reads and writes with hooks before them do not run.',
  },
  STORE_UNAVAILABLE: {
    status: 503,
    retryAfter: 2,
    message: 'The database is unavailable',
    explain:
      'The database is away, or failed at what it was asked; nothing is wrong with the request. The item has the code `API-0004`. Repeat the request after `Retry-After` seconds.',
  },
  DEFAULT_FILTERS_BROKEN: {
    status: 503,
    retryAfter: 60,
    message: 'The default filters of this collection cannot be applied',
    explain:
      'They are not valid (any more), for example because the specification of a collection that they refer to has changed. Nothing is shown without them. `cloister check` and the log name the file.',
  },
  MEDIA_UNAVAILABLE: {
    status: 503,
    retryAfter: 2,
    message: 'The media store is unavailable',
    explain:
      'The folder or the bucket of media files is away, full, or failed at what it was asked; nothing is wrong with the request. The item has the code `API-0004`. Repeat the request after `Retry-After` seconds.',
  },
  ...SERVER_ERRORS,
  QUERY_TIMEOUT: {
    status: 503,
    retryAfter: 2,
    message: 'The database took longer than `limits.queryMs` allows',
    explain: 'A read needs an index; a write waits for other programs too. The item has the code `API-0004`.',
  },
  ENDPOINT_TIMEOUT: {
    status: 504,
    message: 'The endpoint took too long',
    explain: 'It passed `cpuMs` or `wallMs` of its policy, or answered nothing while it waited for nothing.',
  },
  ...DELIVERY_ERRORS,
  STORE_BUSY: {
    status: 503,
    retryAfter: 2,
    message: 'Too many reads or writes are waiting',
    explain:
      'The queue of writes is full, or long answers that wait for their clients fill `limits.unsentBytes`. Repeat the request after `Retry-After` seconds.',
  },
  ...MEDIA_ERRORS,
} as const satisfies Record<string, ErrorCatalogueEntry>;
