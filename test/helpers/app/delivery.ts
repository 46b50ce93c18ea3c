// The delivery listener of the application with its workspace, and the services and files that it looks visitors up in.

import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { MediaStore } from '../../../src/stores/media-store.ts';
import { createWorkspace } from '../temp/workspace.ts';
import { type InjectAnswer, injectInto, startApp, type TestApp } from './app.ts';

interface DeliverySite {
  /** Originals by path; what is no text is written as it is. */
  readonly files?: Readonly<Record<string, string | Buffer>>;
  /** Documents by name. */
  readonly routes?: Readonly<Record<string, JsonObject>>;
  readonly recipes?: Readonly<Record<string, JsonObject>>;
  /** Specifications by `version/database/name`; none unless given. */
  readonly specs?: Readonly<Record<string, JsonObject>>;
  /** Beside `images.directory`, which is on. */
  readonly config?: JsonObject;
  readonly log?: string[];
  readonly mediaStore?: MediaStore;
}

interface Sending {
  readonly token?: string | null;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestDelivery {
  readonly app: TestApp;
  /** The run directory; originals lie in `images`. */
  readonly cwd: string;
  /** One request without a socket; without a token unless one is given. */
  inject(method: string, path: string, options?: Sending): Promise<InjectAnswer>;
  /** The same with the admin's token. */
  asAdmin(method: string, path: string, body?: unknown): Promise<InjectAnswer>;
}

function write(file: string, content: string | Buffer): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** Starts on a temporary workspace, which goes with the test. */
export async function startDelivery(site: DeliverySite = {}): Promise<TestDelivery> {
  const delivery = await openDelivery(site);
  onTestFinished(() => delivery.close());
  return delivery;
}

/** Starts on a temporary workspace, which `close` removes: for several tests that change nothing. */
export async function openDelivery(
  site: DeliverySite = {},
): Promise<TestDelivery & { close(): Promise<void> }> {
  const images = { directory: { enabled: true } };
  const workspace = createWorkspace(site.specs ?? {}, { images, ...site.config });
  for (const [path, content] of Object.entries(site.files ?? {}))
    write(join(workspace.cwd, 'images', path), content);
  for (const folder of ['routes', 'recipes'] as const) {
    for (const [name, document] of Object.entries(site[folder] ?? {})) {
      const content = { [folder.slice(0, -1)]: name, ...document };
      write(join(workspace.path, folder, `${name}.json`), JSON.stringify(content));
    }
  }
  const { log, mediaStore } = site;
  const app = await startApp({ workspace, ...(log && { log }), ...(mediaStore && { mediaStore }) });
  const server = await app.app.deliveryServer();
  const send = (method: string, path: string, options: Sending) =>
    injectInto({ server }, { method, path }, options);
  return {
    app,
    cwd: workspace.cwd,
    inject: (method, path, options = {}) => send(method, path, options),
    asAdmin: async (method, path, body) => send(method, path, { token: await app.adminToken(), body }),
    async close() {
      await app.close();
      workspace.remove();
    },
  };
}

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
export const answerJson = (value: unknown) => (response: ServerResponse) =>
  void response.end(JSON.stringify(value));

const text = (value: string) => Buffer.concat([Buffer.from([0x40 | value.length]), Buffer.from(value)]);
const uint16 = (value: number) => Buffer.from([0xa2, value >> 8, value & 255]);
const uint32 = (value: number) => Buffer.from([0xc4, 0, 0, value >> 8, value & 255]);
const map = (members: Readonly<Record<string, Buffer>>) =>
  Buffer.concat([
    Buffer.from([0xe0 | Object.keys(members).length]),
    ...Object.entries(members).flatMap(([key, value]) => [text(key), value]),
  ]);

type Members = { readonly [key: string]: string | Members };

const encode = (value: string | Members): Buffer =>
  typeof value === 'string'
    ? text(value)
    : map(Object.fromEntries(Object.entries(value).map(([key, member]) => [key, encode(member)])));

/** The bytes of the database. Texts have 28 characters at most. */
export function countryFile(record: Members): Buffer {
  // One node, both of whose records point at the first byte of the data: 1 node, 16 bytes of separator.
  const tree = Buffer.from([0, 0, 17, 0, 0, 17]);
  const metadata = map({
    binary_format_major_version: uint16(2),
    binary_format_minor_version: uint16(0),
    build_epoch: uint32(1),
    database_type: text('Test-Country'),
    ip_version: uint16(4),
    node_count: uint32(1),
    record_size: uint16(24),
  });
  return Buffer.concat([
    tree,
    Buffer.alloc(16),
    encode(record),
    Buffer.from([0xab, 0xcd, 0xef]),
    Buffer.from('MaxMind.com'),
    metadata,
  ]);
}
