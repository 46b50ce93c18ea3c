// What access rules cost: lists that a client gets by rules, beside the same lists that an admin asks for by filters, of one server
// in turns. An index serves both.
import type { JsonObject } from '../src/lib/json/json.ts';
import { connectClient } from '../test/helpers/server-process/client.ts';
import { whole } from './format.ts';
import { cpuRatio, type Measurement, measure, printNoise } from './measure.ts';
import { pinServer } from './processes.ts';
import { startCloister } from './servers.ts';

const BATCH = 2000;
/** Documents of each owner: more than a page. */
const OWNED = 100;
const READER = { clientId: 'reader', secret: 'a secret of the benchmark' };

const OWN: JsonObject = { owner: { $caller: 'clientId' } };
const index = [{ keys: { owner: 1 } }, { keys: { group: 1 } }];
const fields = {
  title: { type: 'String' },
  owner: { type: 'String' },
  group: { type: 'String' },
  summary: { type: 'String' },
};
const collection = (...read: JsonObject[]): JsonObject => ({ fields, settings: { index, access: { read } } });
const SPECIFICATIONS: Readonly<Record<string, JsonObject>> = {
  '1.0/bench/notes': collection({ to: 'clients', where: OWN }),
  '1.0/bench/shared': collection(
    { to: 'clients', where: OWN },
    { to: 'clients', where: { group: { $eq: 'group-3' } } },
  ),
};

interface Row {
  readonly name: string;
  readonly path: string;
  readonly filter: JsonObject;
}

const ROWS: readonly Row[] = [
  { name: 'list of 40 by a rule', path: '/1.0/bench/notes', filter: { owner: { $eq: READER.clientId } } },
  {
    name: 'list of 40 by two rules',
    path: '/1.0/bench/shared',
    filter: { $or: [{ owner: { $eq: READER.clientId } }, { group: { $eq: 'group-3' } }] },
  },
];

const AIM = 1.15;

const note = (n: number, owners: number): JsonObject => ({
  title: `Note ${n}`,
  owner: n % owners === 0 ? READER.clientId : `client-${n % owners}`,
  group: `group-${n % (owners + 1)}`,
  summary: 'Of no consequence to anybody but its owner, and of some length. '.repeat(4),
});

/** `documents` in each collection, `seconds` of each turn. */
export async function benchAccess(documents: number, seconds: number): Promise<void> {
  await using server = await startDisposable();
  const { client } = server;
  const owners = Math.ceil(documents / OWNED);
  for (const { path } of ROWS) {
    for (let from = 0; from < documents; from += BATCH) {
      const length = Math.min(BATCH, documents - from);
      await client.request(
        'POST',
        path,
        Array.from({ length }, (_, at) => note(from + at, owners)),
      );
    }
  }
  await client.request('POST', '/api/clients', READER);
  const reader = await connectClient(server.url, READER);
  pinServer(server.pid);
  const byRules = { ...server, headers: { authorization: `Bearer ${reader.token}` } };
  const rows: object[] = [];
  const measurements: Measurement[] = [];
  for (const { name, path, filter } of ROWS) {
    const asked = `${path}?filter=${encodeURIComponent(JSON.stringify(filter))}`;
    const measured = await measure(
      {
        rules: { server: byRules, load: { method: 'GET', paths: [path] } },
        filter: { server, load: { method: 'GET', paths: [asked] } },
      },
      seconds,
    );
    const ratio = cpuRatio(measured.filter, measured.rules);
    rows.push({
      request: name,
      'cpu µs': `${whole(measured.rules.cpu)} : ${whole(measured.filter.cpu)}`,
      ratio: `${ratio.toFixed(2)}×`,
      aim: `≤ ${AIM} ${ratio <= AIM ? 'met' : 'MISSED'}`,
      'p99 ms': `${measured.rules.p99} : ${measured.filter.p99}`,
    });
    measurements.push(measured.rules, measured.filter);
  }
  console.log(
    `\naccess rules, ${whole(documents)} documents; columns are a client by rules : an admin by a filter`,
  );
  console.table(rows);
  printNoise(measurements);
}

async function startDisposable() {
  const server = await startCloister(SPECIFICATIONS);
  return { ...server, [Symbol.asyncDispose]: () => server.stop() };
}
