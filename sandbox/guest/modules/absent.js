// Why a name cannot be required, and what there is instead. Not to be required by authors.
(function absent(module) {
  'use strict';
  const FILES = 'there are no files here; keep data in a collection, through `Model`, or in this text';
  const NETWORK =
    'the way to other servers is `fetch`, for the addresses that the policy of this module grants';
  const PROCESS = 'code runs in a sandbox, which can neither see nor start processes and threads';
  const DATABASE =
    'the way to the database is `Model`, for the collections that the policy of this module grants';
  const CRYPTO = 'the global `crypto` has `randomUUID()`, `getRandomValues()` and `subtle.digest()`';
  const TIMERS = '`setTimeout`, `setInterval` and `setImmediate` are there without it';
  const PACKAGE =
    'packages are not installed here; put its text into this file, with a bundler that writes CommonJS';
  const FILE = 'a module is one file; put the text of the other into it, with a bundler that writes CommonJS';

  const groups = [
    [FILES, 'fs fs/promises fs-extra graceful-fs mkdirp rimraf glob'],
    [NETWORK, 'http https http2 net tls dns dns/promises dgram'],
    [NETWORK, 'request request-promise request-promise-native axios node-fetch got superagent needle undici'],
    [`a mail service is reached by its HTTP interface: ${NETWORK}`, 'nodemailer mailgun-js postmark'],
    [PROCESS, 'child_process cluster worker_threads process os vm v8 module repl inspector async_hooks'],
    [PROCESS, 'perf_hooks trace_events diagnostics_channel tty readline domain sea wasi test constants sys'],
    [DATABASE, 'mongodb mongoose sqlite sqlite3 better-sqlite3 redis ioredis pg mysql mysql2'],
    [`${CRYPTO}; secrets are put into headers of \`fetch\` by the policy`, 'crypto'],
    [CRYPTO, 'uuid node-uuid nanoid shortid'],
    [TIMERS, 'timers timers/promises'],
    ['bodies are whole here, in `req.body` and `res.end()`', 'stream stream/promises stream/web zlib'],
  ];
  const reasons = new Map(
    groups.flatMap(([reason, names]) => names.split(' ').map((name) => [name, reason])),
  );

  module.exports = (name) => {
    if (name[0] === '.' || name[0] === '/') return FILE;
    return reasons.get(name.startsWith('node:') ? name.slice(5) : name) ?? PACKAGE;
  };
});
