// Events that have passed are not told again: whoever waits for the end of a response, socket or signal looks first whether it has come.
import { expect, it } from 'vitest';
import { sourceFiles } from './helpers/fixtures/source-tree.ts';

const WAITS = /\.(?:once|on)\('(?:close|abort)'|addEventListener\('abort'|\bonce\([\w.#]+, 'close'/g;

/** Files that listen by themselves, how often, and why nothing can have passed by then. All others use `lib/async/ownership.ts`. */
const CHECKED: Readonly<Record<string, readonly [number, string]>> = {
  'src/lib/async/ownership.ts': [2, 'looks first'],
  'src/lib/egress/http-request.ts': [2, 'a request just made; a signal that is looked at'],
  'src/http/media/multipart-form.ts': [1, 'looks first'],
  'src/http/transport/connection.ts': [2, 'a socket just accepted; a response that has not begun'],
  'src/http/transport/connection-tracker.ts': [1, 'a socket just accepted'],
  'src/http/transport/fastify-server.ts': [1, 'a server that is about to close'],
  'src/http/transport/file-body.ts': [1, 'looks first'],
  'src/sandbox-supervisor/host-connection.ts': [2, 'looks first; a process just started'],
  'src/sandbox-supervisor/isolation/system-tools.ts': [1, 'a process just started'],
};

it('nothing waits for an end that may have passed', () => {
  const found = sourceFiles('src').flatMap(({ path, text }) => {
    const count = text.match(WAITS)?.length ?? 0;
    return count === 0 ? [] : [[path, count]];
  });
  const expected = Object.entries(CHECKED).map(([path, [count]]) => [path, count]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
});
