// The whole application on a real socket with collections of media, and what tests of uploads do again and again.
import { join } from 'node:path';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from './app.ts';
import type { Answer } from './client.ts';
import { filesBelow } from './files-below.ts';
import { FORM_TYPE, formOf, type Part } from './form.ts';
import { parsed } from './inject.ts';
import { createWorkspace } from './workspace.ts';

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
