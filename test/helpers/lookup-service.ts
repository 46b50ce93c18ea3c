// A lookup service on this machine that answers as a test tells it to, and counts what it was asked.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface LookupService {
  /** Its address, without a slash at the end. */
  readonly origin: string;
  /** Paths with query, in the order of requests. */
  readonly asked: string[];
  /** `authorization` headers, in the order of requests. */
  readonly credentials: (string | undefined)[];
}

/** Serves until the test is over. */
export async function lookupService(
  answer: (response: ServerResponse, request: IncomingMessage) => void,
): Promise<LookupService> {
  const asked: string[] = [];
  const credentials: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    credentials.push(request.headers.authorization);
    answer(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, credentials };
}

/** Answers with JSON. */
export const json = (value: unknown) => (response: ServerResponse) =>
  void response.end(JSON.stringify(value));
