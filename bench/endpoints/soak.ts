// `npm run bench -- --soak N`: N calls of good and bad endpoints. Memory of server and hosts after a tenth of them and at
// the end: it should have grown by less than a tenth.
import autocannon from 'autocannon';
import { memoryOf } from '../processes.ts';
import { BODY, PATH } from './handler.ts';
import { type EndpointServer, startEndpoints } from './servers.ts';

const MEGABYTE = 1024 * 1024;
const CONNECTIONS = 20;
const STEPS = 10;
const FREE = 'module.exports.model = { settings: { authenticate: false } };\n';

const BAD: Readonly<Record<string, string>> = {
  throws: `${FREE}module.exports.get = () => { throw new Error('x'); };`,
  rejects: `${FREE}module.exports.get = async (req, res) => { res.end('x'); throw new Error('late'); };`,
  loops: `${FREE}module.exports.get = () => { for (;;); };`,
  logs: `${FREE}module.exports.get = (req, res) => { for (let n = 0; n < 200; n += 1) console.log('line', n); res.end(); };`,
  timers: `${FREE}module.exports.get = (req, res) => { setTimeout(() => {}, 50); setTimeout(() => res.end(), 1); };`,
  symbols: `${FREE}module.exports.get = (req, res) => { for (let n = 0; n < 100; n += 1) try { Symbol.for('k' + Math.random()); } catch {} res.end(); };`,
  allocates: `${FREE}module.exports.get = (req, res) => { const all = []; for (let n = 0; n < 2e4; n += 1) all.push({ n }); res.end(); };`,
};

/** Of a hundred calls, this many go to each bad endpoint; the rest is good. */
const BAD_SHARE = 2;

function requestsOf(names: readonly string[]): autocannon.Request[] {
  const good: autocannon.Request = {
    method: 'POST',
    path: PATH,
    body: BODY,
    headers: { 'content-type': 'application/json' },
  };
  const bad = names.flatMap((name) =>
    Array.from(
      { length: BAD_SHARE },
      (): autocannon.Request => ({ method: 'GET', path: `/1.0/soak-${name}` }),
    ),
  );
  const spread = Array.from({ length: 100 }, () => good);
  bad.forEach((request, at) => {
    spread[at * Math.floor(100 / bad.length)] = request;
  });
  return spread;
}

async function run(cloister: EndpointServer, calls: number): Promise<number> {
  const requests = requestsOf(Object.keys(BAD));
  const result = await autocannon({ url: cloister.url, connections: CONNECTIONS, amount: calls, requests });
  if (result.errors > 0) throw new Error(`${result.errors} connections broke`);
  return result['2xx'] / result.requests.total;
}

/** Prints memory after each tenth of the calls. */
export async function soak(calls: number): Promise<void> {
  await using started = new AsyncDisposableStack();
  const cloister = started.adopt(await startEndpoints(), (server) => server.stop());
  const limits = { cpuMs: 10, wallMs: 500 };
  for (const [name, source] of Object.entries(BAD)) {
    await cloister.post(`soak-${name}`, source, name === 'loops' ? { version: 1, limits } : undefined);
  }
  const rows: { calls: number; 'server MB': number; 'hosts MB': number; 'good %': number }[] = [];
  for (let step = 1; step <= STEPS; step += 1) {
    const good = await run(cloister, Math.ceil(calls / STEPS));
    const { server, hosts } = memoryOf(cloister.pid);
    rows.push({
      calls: Math.round((calls / STEPS) * step),
      'server MB': Math.round(server / MEGABYTE),
      'hosts MB': Math.round(hosts / MEGABYTE),
      'good %': Math.round(good * 100),
    });
  }
  console.table(rows);
  const [first, last] = [rows.at(0), rows.at(-1)];
  const growth = (key: 'server MB' | 'hosts MB') =>
    `${(((last?.[key] ?? 0) / (first?.[key] ?? 1) - 1) * 100).toFixed(1)} %`;
  console.log(
    `growth after warm-up: server ${growth('server MB')}, hosts ${growth('hosts MB')} (aim < 10 %)`,
  );
}
