// `npm run bench -- --endpoints`: the small JSON handler of `handler.ts` at 50 connections, authentication off: in a Cloister
// endpoint with all walls up, in workerd, and in a bare Fastify without any sandbox; three rounds in turn, medians. Each
// server with its processes shares one core, the generator has the other, where the machine has two. Then: first calls,
// a thousand endpoints, and a good endpoint beside bad ones.
import { fire, type Load, median, type Slice, slice } from '../measure.ts';
import { type Contestant, startBare, startCloister, startWorkerd } from './contestants.ts';
import { benchDeployed, benchFirstCalls } from './deployed.ts';
import { BODY, PATH } from './handler.ts';
import { benchNeighbours } from './neighbours.ts';

const ROUNDS = 3;
const WARM_UP_SECONDS = 2;
const LOAD: Load = { method: 'POST', paths: [PATH], body: BODY, connections: 50 };

const whole = (n: number) => Math.round(n).toLocaleString('en');

function row(name: string, slices: readonly Slice[]) {
  const of = (key: keyof Slice) => median(slices.map((one) => one[key]));
  return {
    server: name,
    '/s': whole(of('perSecond')),
    'cpu µs': whole(of('cpu')),
    'p50 ms': of('p50'),
    'p99 ms': of('p99'),
  };
}

async function contest(all: Readonly<Record<string, Contestant>>, seconds: number): Promise<void> {
  const slices = new Map(Object.keys(all).map((name) => [name, [] as Slice[]]));
  for (const contestant of Object.values(all)) await fire(contestant, LOAD, WARM_UP_SECONDS);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, contestant] of Object.entries(all)) {
      slices.get(name)?.push(await slice(contestant, LOAD, seconds));
    }
  }
  console.table([...slices].map(([name, taken]) => row(name, taken)));
  const speed = (name: string) => median((slices.get(name) ?? []).map(({ perSecond }) => perSecond));
  const beside = (name: string) => (speed('cloister') / speed(name)).toFixed(2);
  console.log(
    `cloister: ${beside('workerd')}× workerd (aim ≥ 1.5), ${beside('bare')}× no sandbox (aim ≥ 0.5)`,
  );
}

/** `seconds` of each turn. */
export async function benchEndpoints(seconds: number): Promise<void> {
  await using started = new AsyncDisposableStack();
  const stop = (server: Contestant) => server.stop();
  const cloister = started.adopt(await startCloister(), stop);
  const workerd = started.adopt(await startWorkerd(), stop);
  const bare = started.adopt(await startBare(), stop);
  console.log('\nThe same small JSON handler, 50 connections, authentication off');
  await contest({ cloister, workerd, bare }, seconds);
  await benchFirstCalls(cloister);
  await benchNeighbours(cloister, seconds);
  await benchDeployed(cloister);
}
