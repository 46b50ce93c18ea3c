// Uploads of one file by a form, to a signed URL or a collection, as a test sends them.

import type { TestApp } from './app.ts';
import { FORM_TYPE, formOf } from './form.ts';
import type { InjectAnswer } from './inject.ts';

export interface SentFile {
  readonly fileName?: string;
  readonly mimetype?: string;
  readonly content?: string | Buffer;
}

/** The body of a form with these files. */
export const filesForm = (files: readonly SentFile[]): Buffer =>
  formOf(
    files.map(({ fileName = 'test.jpg', mimetype = 'image/jpeg', content = 'bytes' }) => ({
      fileName,
      type: mimetype,
      body: content,
    })),
  );

/** Uploads without a bearer token, unless one is given. */
export async function upload(
  app: Pick<TestApp, 'app'>,
  url: string,
  files: SentFile | readonly SentFile[] = {},
  { token, method = 'POST' }: { readonly token?: string; readonly method?: 'POST' | 'PUT' } = {},
): Promise<InjectAnswer> {
  const answer = await app.app.server.inject({
    method,
    url,
    headers: { 'content-type': FORM_TYPE, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    payload: filesForm([files].flat()),
  });
  return {
    status: answer.statusCode,
    headers: answer.headers,
    text: answer.body,
    body: answer.body === '' ? undefined : JSON.parse(answer.body),
  } as InjectAnswer;
}

/** Signs and resolves with the URL. */
export async function sign(app: TestApp, path: string, body: object = {}): Promise<string> {
  const file = { fileName: 'test.jpg', mimetype: 'image/jpeg' };
  const answer = await app.inject('POST', path, { body: { ...file, ...body } });
  if (answer.status !== 200) throw new Error(`not signed: ${answer.status} ${answer.text}`);
  return answer.body.url;
}
