// The application with media collections on a real socket; forms with files, byte for byte; signed uploads.

import { join } from 'node:path';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { Answer } from '../server-process/client.ts';
import { filesBelow } from '../temp/folders.ts';
import { createWorkspace } from '../temp/workspace.ts';
import { type InjectAnswer, parsed, startApp, type TestApp } from './app.ts';

/** A part of a form: a text field, or a file. */
export interface Part {
  readonly name?: string;
  readonly fileName?: string;
  readonly type?: string;
  readonly body?: string | Uint8Array;
  /** In place of the headers that the rest makes. */
  readonly headers?: string;
}

export const BOUNDARY = '----------------------------boundary';
export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

function headersOf({ name = 'file', fileName, type }: Part): string {
  const file = fileName === undefined ? '' : `; filename="${fileName}"`;
  const declared = type === undefined ? '' : `\r\nContent-Type: ${type}`;
  return `Content-Disposition: form-data; name="${name}"${file}${declared}`;
}

/** The body of a form, byte for byte. */
export function formOf(parts: readonly Part[], boundary = BOUNDARY): Buffer {
  const pieces = parts.flatMap((part) => [
    Buffer.from(`--${boundary}\r\n${part.headers ?? headersOf(part)}\r\n\r\n`),
    Buffer.from(part.body ?? ''),
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
}

export const PICTURES = '/1.0/library/pictures';

const SPECS: Readonly<Record<string, JsonObject>> = {
  '1.0/library/pictures': {
    fields: {
      caption: { type: 'String', validation: { maxLength: 100 } },
      stars: { type: 'Number' },
      public: { type: 'Boolean' },
      tags: { type: 'Mixed' },
      size: { type: 'Object' },
      taken: { type: 'DateTime' },
      album: { type: 'ObjectID' },
      related: { type: 'Reference' },
      width: { type: 'Number' },
    },
    settings: { type: 'media' },
  },
  '1.0/library/strict': {
    fields: { caption: { type: 'String', required: true } },
    settings: { type: 'mediaCollection', index: [{ keys: { caption: 1 }, options: { unique: true } }] },
  },
  '1.0/library/books': { fields: { title: { type: 'String' } }, settings: {} },
};

export interface MediaServer extends TestApp {
  readonly url: string;
  /** Sends these bytes as a form. */
  send(body: Uint8Array, options?: SendOptions): Promise<Answer>;
  /** Sends a form of these parts. */
  upload(parts: readonly Part[], options?: SendOptions): Promise<Answer>;
  /** Paths of all files below the media folder, those that are staged included. */
  files(): readonly string[];
}

interface SendOptions {
  readonly path?: string;
  readonly token?: string | null;
  readonly type?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function startMediaServer(
  config: JsonObject = {},
  specs: Readonly<Record<string, JsonObject>> = {},
): Promise<MediaServer> {
  const workspace = createWorkspace({ ...SPECS, ...specs }, config);
  const app = await startApp({ workspace });
  const url = await app.listen();
  const send: MediaServer['send'] = async (
    body,
    { path = PICTURES, token, type = FORM_TYPE, headers } = {},
  ) => {
    const bearer = token === undefined ? await app.adminToken() : token;
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: {
        ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
        ...(type === null ? {} : { 'content-type': type }),
        ...headers,
      },
      body: new Uint8Array(body),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: parsed(text) };
  };
  return {
    ...app,
    url,
    send,
    upload: (parts, options) => send(formOf(parts), options),
    files: () => filesBelow(join(workspace.path, 'media')),
    async close() {
      await app.close();
      workspace.remove();
    },
  };
}

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
