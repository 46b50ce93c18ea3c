// Numbers that one client each writes and reads again at the same server and at another one, in every way that there is: by id, in a
// list, through a reference, by an endpoint. What it reads must be what was acknowledged last, or tried since.
import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { DeployedServer } from '../../helpers/server-process/deployment.ts';
import type { Asked, Watch } from './watch.ts';

const COLLECTION = '1.0/library/registers';
const REFERRING = '1.0/library/pages';
const ENDPOINT = '1.0/tally';
/** Milliseconds between two rounds of a client: the machine has something else to do as well. */
const PACE_MS = 100;

export const REGISTER_SPECS: Readonly<Record<string, JsonObject>> = {
  [COLLECTION]: { fields: { name: { type: 'String' }, n: { type: 'Number' } }, settings: {} },
  [REFERRING]: {
    fields: {
      name: { type: 'String' },
      register: { type: 'Reference', settings: { collection: 'registers' } },
    },
    settings: {},
  },
};

const CODE = `
module.exports.get = async (req, res) => {
  const { results } = await Model('registers').find({ name: req.query.name }, {});
  res.json(results[0]);
};
module.exports.post = async (req, res) => {
  const { name, n } = req.body;
  const { results } = await Model('registers').update({ name }, { n });
  res.json(results[0]);
};
`;
const POLICY = {
  version: 1,
  grants: {
    request: { headers: ['content-type'], maxBodyBytes: 10_000 },
    collections: [{ name: COLLECTION, actions: ['find', 'update'] }],
  },
};

interface Register {
  readonly name: string;
  write(n: number): Asked;
  readonly read: Asked;
  valueIn(body: unknown): unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of answers are looked into as they come
type Body = any;

const first = (body: Body) => body?.results?.[0]?.n;

/** Code that uses the numbers: in force in all servers once each has been asked. */
export async function postTally({ post, request }: DeployedServer): Promise<void> {
  const statuses = [await post(`/${ENDPOINT}/config`, CODE)];
  statuses.push((await request('PUT', `/${ENDPOINT}/policy`, POLICY)).status);
  if (statuses.some((status) => status >= 300)) throw new Error(`the endpoint is refused: ${statuses}`);
}

async function create({ request }: DeployedServer, path: string, body: unknown): Promise<string> {
  const answer = await request('POST', `/${path}`, body);
  if (answer.status !== 200) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body.results[0]._id;
}

/** One number for each way, with names of their own. */
export async function createRegisters(server: DeployedServer, label: string): Promise<readonly Register[]> {
  const named = async (way: string) => {
    const name = `${way} of ${label}`;
    return { name, id: await create(server, COLLECTION, { name, n: 0 }) };
  };
  const put = (id: string) => (n: number) =>
    ({ method: 'PUT', path: `/${COLLECTION}/${id}`, body: { n }, work: 'write' }) as const;
  const get = (path: string) => ({ method: 'GET', path, work: 'read' }) as const;
  const byId = await named('by id');
  const listed = await named('listed');
  const composed = await named('composed');
  const page = await create(server, REFERRING, { name: composed.name, register: composed.id });
  const coded = await named('by an endpoint');
  const filter = (name: string) => `filter=${encodeURIComponent(JSON.stringify({ name }))}`;
  return [
    { ...byId, write: put(byId.id), read: get(`/${COLLECTION}/${byId.id}`), valueIn: first },
    { ...listed, write: put(listed.id), read: get(`/${COLLECTION}?${filter(listed.name)}`), valueIn: first },
    {
      ...composed,
      write: put(composed.id),
      read: get(`/${REFERRING}/${page}?compose=true`),
      valueIn: (body: Body) => body?.results?.[0]?.register?.n,
    },
    {
      ...coded,
      write: (n) => ({
        method: 'POST',
        path: `/${ENDPOINT}`,
        body: { name: coded.name, n },
        work: 'endpoint',
      }),
      read: { method: 'GET', path: `/${ENDPOINT}?name=${encodeURIComponent(coded.name)}`, work: 'endpoint' },
      valueIn: (body: Body) => body?.n,
    },
  ];
}

/** Writes and reads a number until the watch is over. `home`: the server that its client begins with. */
export async function useRegister(register: Register, watch: Watch, home: number): Promise<void> {
  const client = watch.clientOf(home);
  let acknowledged = 0;
  for (let n = 1; !watch.isOver(); n += 1) {
    const written = await client.ask(register.write(n));
    if (written?.status === 200) acknowledged = n;
    else if (written !== undefined)
      watch.wrong(`${register.name}: ${written.status} to a write: ${JSON.stringify(written.body)}`);
    const least = acknowledged;
    const check = (body: unknown, where: string) => {
      const value = register.valueIn(body);
      if (typeof value === 'number' && value >= least && value <= n) return;
      watch.wrong(`${register.name} is ${value} at ${where}, after ${least} was acknowledged and ${n} tried`);
    };
    const own = client.node();
    const [same, other] = [own, (own + 1 + (n % 2)) % 3];
    for (const node of [same, other, other]) {
      const found = node !== same && watch.isStopped(node) ? undefined : await watch.ask(node, register.read);
      if (found === undefined) continue;
      const where = node === same ? 'the same server' : 'another server';
      if (found.status === 200) check(found.body, where);
      else watch.wrong(`${register.name}: ${found.status} to a read: ${JSON.stringify(found.body)}`);
    }
    await pause(PACE_MS);
  }
}
