import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerBrokenRequest, brokenRequestAnswer } from '../../src/http/broken-request.ts';

const server = createServer((_request, response) => response.end('fine'));

function exchange(text: string): Promise<string> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('close', () => resolve(received));
    socket.on('error', reject);
  });
}

describe('a request that is no HTTP', () => {
  beforeEach(() => {
    server.on('clientError', answerBrokenRequest as () => void);
    return new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
  });

  afterEach(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
      }),
  );

  it.each([
    ['GRAB / HTTP/1.1\r\nHost: a\r\n\r\n', 405],
    ['nonsense\r\n\r\n', 405],
    ['GET / HTTP/9.9\r\nHost: a\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\nbad header\r\n\r\n', 400],
  ])('%j is answered in the envelope, and closed', async (text, status) => {
    const answer = await exchange(text);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    const body = answer.slice(answer.indexOf('\r\n\r\n') + 4);
    expect(JSON.parse(body)).toEqual({
      statusCode: status,
      success: false,
      errors: [{ message: expect.any(String) }],
    });
  });
});

describe('brokenRequestAnswer', () => {
  it.each([
    ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
    ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
    ['HPE_INVALID_METHOD', '405 Method Not Allowed'],
    [undefined, '400 Bad Request'],
    ['something new', '400 Bad Request'],
  ])('answers %s with %s', (code, line) => {
    expect(brokenRequestAnswer(code).split('\r\n')[0]).toBe(`HTTP/1.1 ${line}`);
  });

  it('names the methods of a 405', () => {
    expect(brokenRequestAnswer('HPE_INVALID_METHOD')).toContain('\r\nAllow: GET, HEAD, POST');
  });
});
