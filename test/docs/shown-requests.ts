// Sends the requests that a page shows, in their order, and holds the answers against what the page says of them.
import { expect } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { type InjectAnswer, injectInto, type TestApp } from '../helpers/app/app.ts';
import { FORM_TYPE, formOf } from '../helpers/app/media-server.ts';
import type { ShownRequest } from './access-page.ts';

/** They may hold any digits. */
const IDS_AND_TIMES = /"[0-9a-f]{24}"|:\d{13}\b/g;

/** Requests to this address are for the delivery port. */
const DELIVERY = 'http://localhost:8082';

/** `file=beach.jpg` is a form with such a file. */
const isForm = (body: string | undefined) => /^\w+=/.test(body ?? '');

function formBody(body: string): Buffer {
  const parts = body.split(' ').map((pair) => {
    const [name = '', value = ''] = pair.split('=');
    return name === 'file' ? { fileName: value, type: 'image/jpeg', body: 'bytes' } : { name, body: value };
  });
  return formOf(parts);
}

/** Makes the function that sends one request and checks its status and what the page says of the answer. */
export function createRequestChecker(
  getApp: () => TestApp,
  tokenOf: (caller: string) => Promise<string | null>,
): (request: ShownRequest) => Promise<void> {
  /** What requests have made, by its name on the page. */
  const made = new Map<string, JsonObject>();

  /** The text with ids and other members in place of `$name` and `$name.path`. Operators such as `$gt` stay. */
  const withNames = (text: string) =>
    text.replaceAll(/\$(\w+)(?:\.(\w+))?/g, (all, name: string, member = '_id') => {
      const document = made.get(name);
      return document === undefined ? all : String(document[member]);
    });

  const send = async ({ caller, method, target, body }: ShownRequest): Promise<InjectAnswer> => {
    const token = await tokenOf(caller);
    const { app } = getApp();
    const server = target.startsWith(DELIVERY) ? await app.deliveryServer() : app.server;
    const path = encodeURI(withNames(target.replace(DELIVERY, '')));
    if (!isForm(body)) {
      return injectInto({ server }, { method, path }, { token, body: body && withNames(body) });
    }
    const answer = await server.inject({
      method: method as 'POST',
      url: path,
      headers: { 'content-type': FORM_TYPE, ...(token !== null && { authorization: `Bearer ${token}` }) },
      payload: formBody(body ?? ''),
    });
    const { statusCode: status, headers, body: text } = answer;
    return { status, headers, text, body: JSON.parse(text) } as InjectAnswer;
  };

  const expectFact = (fact: string, { body, text }: InjectAnswer): void => {
    const results: readonly JsonObject[] = body?.results ?? [];
    if (fact.startsWith('$')) made.set(fact.slice(1), results[0] ?? {});
    else if (/^\d+ results?$/.test(fact)) expect(results).toHaveLength(Number.parseInt(fact, 10));
    else if (fact.startsWith('no "'))
      expect(text.replace(IDS_AND_TIMES, '')).not.toContain(fact.slice(4, -1));
    else expect(text).toContain(fact.slice(1, -1));
  };

  return async (request) => {
    const answer = await send(request);
    expect(answer.status, answer.text).toBe(request.status);
    for (const fact of request.facts) expectFact(fact, answer);
  };
}
