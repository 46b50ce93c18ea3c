// The official client of the dialect, as a program that uses a running server has it.
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ADMIN } from './server-process.ts';

// The client has no types, and its answers have every shape.
// biome-ignore lint/suspicious/noExplicitAny: an untyped client under test
export type Untyped = any;

const require = createRequire(import.meta.url);
const ApiWrapper = require('@dadi/api-wrapper') as new (options: object) => Untyped;

/** Makes the function that begins a chain of calls on the server at this URL. */
export function officialClient(url: URL): (options?: object) => Untyped {
  // The client keeps tokens in a file beside its code, and would present one of an earlier server on the same port.
  const folder = join(dirname(require.resolve('@dadi/api-wrapper')), '.wallet');
  const host = url.hostname.replaceAll('.', '');
  rmSync(join(folder, `token.http-${host}${url.port}.${ADMIN.clientId}.json`), { force: true });
  return (options = {}) =>
    new ApiWrapper({
      uri: `${url.protocol}//${url.hostname}`,
      port: Number(url.port),
      credentials: ADMIN,
      version: '1.0',
      database: 'library',
      ...options,
    });
}
