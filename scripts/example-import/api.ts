// The few calls of the content API that the import makes, with failures told in a sentence.
import type { JsonObject } from '../../src/lib/json/json.ts';

export interface Api {
  /** Resolves with the parsed body of a 2xx answer. Rejects with an ImportError otherwise. */
  request(method: string, path: string, body?: unknown): Promise<Answer>;
}

interface Answer {
  readonly accessToken?: string;
  readonly results?: readonly (JsonObject & { readonly _id: string })[];
  readonly metadata?: { readonly totalCount: number; readonly totalPages: number };
  readonly errors?: readonly { readonly field?: string; readonly message: string }[];
}

/** Something that whoever runs the import can put right. */
export class ImportError extends Error {}

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch {
    const { origin } = new URL(url);
    throw new ImportError(`No server answers at ${origin}. Start one with: npm start`);
  }
}

/** Gets a token for the admin and keeps it. */
export async function connect(base: string, credentials: { clientId: string; secret: string }): Promise<Api> {
  let token: string | undefined;
  const request: Api['request'] = async (method, path, body) => {
    const answer = await send(base + path, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const parsed: Answer = text.startsWith('{') ? JSON.parse(text) : {};
    if (answer.ok) return parsed;
    const said = parsed.errors
      ?.map(({ field, message }) => [field, message].filter(Boolean).join(' '))
      .join('; ');
    throw new ImportError(
      `${method} ${path.split('?')[0]} was answered ${answer.status}: ${said ?? text.slice(0, 200)}`,
    );
  };
  token = (await request('POST', '/token', credentials)).accessToken;
  return { request };
}
