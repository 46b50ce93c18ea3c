// A good endpoint alone, then beside one that loops, allocates, or floods.
import { whole } from '../format.ts';
import { type Load, runTurn, sendLoad, type Turn } from '../measure.ts';
import { BODY, PATH } from './handler.ts';
import type { EndpointServer } from './servers.ts';

const GOOD: Load = { method: 'POST', paths: [PATH], body: BODY, connections: 10, refusals: true };
const FREE = 'module.exports.model = { settings: { authenticate: false } };\n';

const BAD: Readonly<Record<string, string>> = {
  loops: `${FREE}module.exports.get = () => { for (;;); };`,
  allocates: `${FREE}module.exports.get = () => { const all = []; for (;;) all.push({ n: all.length }); };`,
  'floods-answers': `${FREE}module.exports.get = (req, res) => res.end('x'.repeat(5e6));`,
  'floods-log': `${FREE}module.exports.get = (req, res) => { for (let n = 0; n < 1e4; n += 1) console.log('x'.repeat(100)); res.end(); };`,
  waits: `${FREE}module.exports.get = (req, res) => { setTimeout(() => res.end(), 1000); };`,
};

function row(beside: string, { cpu, p50, p99, perSecond, refused }: Turn) {
  return { beside, 'cpu µs': whole(cpu), '/s': whole(perSecond), 'p50 ms': p50, 'p99 ms': p99, refused };
}

/** Prints what a good endpoint answers beside each of the bad ones. The processor time is that of all of them. */
export async function benchNeighbours(cloister: EndpointServer, seconds: number): Promise<void> {
  const alone = await runTurn(cloister, GOOD, seconds);
  const rows = [row('nobody', alone)];
  for (const [name, source] of Object.entries(BAD)) {
    await cloister.post(`bad-${name}`, source);
    const bad: Load = { method: 'GET', paths: [`/1.0/bad-${name}`], connections: 4, refusals: true };
    const [beside] = await Promise.all([runTurn(cloister, GOOD, seconds), sendLoad(cloister, bad, seconds)]);
    rows.push(row(name, beside));
  }
  console.log(
    '\nA good endpoint at 10 connections beside a bad one at 4 (aim: p99 at most doubled, plus a time slice)',
  );
  console.table(rows);
}
