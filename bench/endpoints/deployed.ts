// Many endpoints on one server: how long a first call takes, what a thousand hold, what a call of an evicted one costs.
import { megabytes } from '../format.ts';
import { median } from '../measure.ts';
import { memoryOf } from '../processes.ts';
import { BODY, ENDPOINT } from './handler.ts';
import type { EndpointServer } from './servers.ts';

const FIRST_CALLS = 40;
const DEPLOYED = 1000;
const CALLED = 300;

async function timed(cloister: EndpointServer, name: string): Promise<number> {
  const from = performance.now();
  const answer = await fetch(`${cloister.url}/1.0/${name}?by=score&limit=5`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: BODY,
  });
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`${name}: ${answer.status}`);
  return performance.now() - from;
}

const ms = (n: number) => Number(n.toFixed(1));

/** As a row of a table. */
function spread(what: string, aim: string, times: readonly number[]) {
  const sorted = times.toSorted((a, b) => a - b);
  const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN;
  return { what, aim, 'median ms': ms(median(times)), 'p95 ms': ms(p95), 'worst ms': ms(sorted.at(-1) ?? 0) };
}

/** Prints how long the first call of a new endpoint takes. */
export async function benchFirstCalls(cloister: EndpointServer): Promise<void> {
  const times: number[] = [];
  for (let n = 0; n < FIRST_CALLS; n += 1) {
    await cloister.post(`first-${n}`, `${ENDPOINT}\n// ${n}`);
    times.push(await timed(cloister, `first-${n}`));
  }
  console.log('\nFirst calls');
  console.table([spread('first call of a new endpoint', '< 50 ms', times)]);
}

/** Prints what calls cost among a thousand endpoints, and the memory of these. */
export async function benchDeployed(cloister: EndpointServer): Promise<void> {
  console.log(`\nDeploying ${DEPLOYED} endpoints`);
  for (let n = 0; n < DEPLOYED; n += 1) await cloister.post(`many-${n}`, `${ENDPOINT}\n// ${n}`);
  const called = Array.from({ length: CALLED }, (_, n) => `many-${n * 3}`);
  const first: number[] = [];
  for (const name of called) first.push(await timed(cloister, name));
  const again: number[] = [];
  for (const name of called) again.push(await timed(cloister, name));
  console.table([
    spread(`${CALLED} in turn, each for the first time`, '', first),
    spread('the same again, isolates evicted', '< 25 ms median', again),
  ]);
  const { server, hosts } = memoryOf(cloister.pid);
  console.log(
    `memory with ${DEPLOYED} endpoints: server ${megabytes(server)} MB, hosts ${megabytes(hosts)} MB (aim < 2048 together)`,
  );
}
