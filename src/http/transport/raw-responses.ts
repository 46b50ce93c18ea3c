// Responses that are written to the bare socket, in the envelope of errors: to what is no HTTP, and to a connection over the limit.
import { ERRORS } from '../../errors/error-catalogue.ts';

/** A response as it is written to the socket. */
export interface RawResponse {
  readonly status: number;
  readonly text: string;
}

interface RawError {
  readonly status: number;
  readonly reason: string;
  readonly message: string;
  readonly header?: string;
}

const INVALID_HTTP: RawError = {
  status: 400,
  reason: 'Bad Request',
  message: 'The request is not valid HTTP',
};
const RAW_ERRORS: ReadonlyMap<string | undefined, RawError> = new Map([
  [
    'HPE_INVALID_METHOD',
    {
      status: 405,
      reason: 'Method Not Allowed',
      message: 'This method is not known',
      header: 'Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
    },
  ],
  [
    'HPE_HEADER_OVERFLOW',
    { status: 431, reason: 'Request Header Fields Too Large', message: 'The header fields are too large' },
  ],
  [
    'ERR_HTTP_REQUEST_TIMEOUT',
    { status: 408, reason: 'Request Timeout', message: 'The request took too long to arrive' },
  ],
]);

const TOO_MANY_CONNECTIONS: RawError = {
  status: 503,
  reason: 'Service Unavailable',
  message: ERRORS.SERVER_BUSY.message,
  header: `Retry-After: ${ERRORS.SERVER_BUSY.retryAfter}`,
};

function formatRawResponse({ status, reason, message, header }: RawError): RawResponse {
  const body = JSON.stringify({ statusCode: status, success: false, errors: [{ message }] });
  const lines = [
    `HTTP/1.1 ${status} ${reason}`,
    'Content-Type: application/json',
    'X-Content-Type-Options: nosniff',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(header === undefined ? [] : [header]),
    'Connection: close',
  ];
  return { status, text: `${lines.join('\r\n')}\r\n\r\n${body}` };
}

/** The response to a request that Node could not parse. `code`: that of Node's error. */
export function invalidRequestResponse(code: string | undefined): RawResponse {
  return formatRawResponse(RAW_ERRORS.get(code) ?? INVALID_HTTP);
}

/** The response to a connection over the limit. */
export function tooManyConnectionsResponse(): RawResponse {
  return formatRawResponse(TOO_MANY_CONNECTIONS);
}
