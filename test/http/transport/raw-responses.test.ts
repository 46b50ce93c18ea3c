import { describe, expect, it } from 'vitest';
import {
  invalidRequestResponse,
  tooManyConnectionsResponse,
} from '../../../src/http/transport/raw-responses.ts';

describe('the response to what is no request', () => {
  it.each([
    ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
    ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
    ['HPE_INVALID_METHOD', '405 Method Not Allowed'],
    [undefined, '400 Bad Request'],
    ['something new', '400 Bad Request'],
  ])('answers %s with %s', (code, line) => {
    expect(invalidRequestResponse(code).text.split('\r\n')[0]).toBe(`HTTP/1.1 ${line}`);
  });

  it('lists the methods with a 405', () => {
    expect(invalidRequestResponse('HPE_INVALID_METHOD').text).toContain('\r\nAllow: GET, HEAD, POST');
  });
});

describe('the response to a connection over the limit', () => {
  it('is 503 with Retry-After', () => {
    const [head = '', body = ''] = tooManyConnectionsResponse().text.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1.1 503 .*\r\nRetry-After: \d+\r\nConnection: close$/s);
    expect(head).toContain(`Content-Length: ${body.length}`);
    expect(JSON.parse(body)).toMatchObject({ statusCode: 503, success: false });
  });
});
