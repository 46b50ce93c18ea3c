// The whole application with a folder of originals, routes and recipes; requests go to the delivery listener.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import type { MediaStore } from '../../src/stores/media-store.ts';
import { startApp, type TestApp } from './app.ts';
import { type InjectAnswer, injectInto } from './inject.ts';
import { createWorkspace } from './workspace.ts';

interface DeliverySite {
  /** Originals by path; what is no text is written as it is. */
  readonly files?: Readonly<Record<string, string | Buffer>>;
  /** Documents by name. */
  readonly routes?: Readonly<Record<string, JsonObject>>;
  readonly recipes?: Readonly<Record<string, JsonObject>>;
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
  const workspace = createWorkspace({}, { images, ...site.config });
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
