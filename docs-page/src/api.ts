// The two requests that the page makes itself. The token is nowhere but in the memory of the page.

/** What the server or the network said, for people. */
export class ApiError extends Error {}

/** An OpenAPI document, as far as the page looks into it. */
export interface Description {
  readonly info?: { readonly title?: unknown };
}

async function messageOf(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => undefined);
  const { errors } = (body ?? {}) as { readonly errors?: unknown };
  const [first] = Array.isArray(errors) ? errors : [];
  const message =
    typeof first === 'object' && first !== null && 'message' in first ? first.message : undefined;
  return typeof message === 'string' ? message : `The server answered ${response.status}`;
}

async function request(path: string, options: RequestInit): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(path, { ...options, credentials: 'omit', cache: 'no-store' });
  } catch {
    throw new ApiError('The server cannot be reached');
  }
  if (!response.ok) throw new ApiError(await messageOf(response));
  return response.json();
}

/** A token for the client. Rejects with an ApiError. */
export async function fetchToken(clientId: string, secret: string): Promise<string> {
  const body = JSON.stringify({ clientId, secret });
  const headers = { 'Content-Type': 'application/json' };
  const { accessToken } = (await request('/token', { method: 'POST', headers, body })) as {
    readonly accessToken: string;
  };
  return accessToken;
}

/** The description of what may be done with the token, or without one. Rejects with an ApiError. */
export async function fetchDescription(token: string | undefined): Promise<Description> {
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  return (await request('/docs/openapi.json', { headers })) as Description;
}
