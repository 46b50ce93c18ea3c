// A good endpoint alone, then beside one that loops, allocates, or floods.
import { fire, type Load, type Slice, slice } from '../measure.ts';
import type { Cloister } from './contestants.ts';
import { BODY, PATH } from './handler.ts';

const GOOD: Load = { method: 'POST', paths: [PATH], body: BODY, connections: 10, refusals: true };
const FREE = 'module.exports.model = { settings: { authenticate: false } };\n';

const BAD: Readonly<Record<string, string>> = {
  loops: `${FREE}module.exports.get = () => { for (;;); };`,
  allocates: `${FREE}module.exports.get = () => { const all = []; for (;;) all.push({ n: all.length }); };`,
  'floods-answers': `${FREE}module.exports.get = (req, res) => res.end('x'.repeat(5e6));`,
  'floods-log': `${FREE}module.exports.get = (req, res) => { for (let n = 0; n < 1e4; n += 1) console.log('x'.repeat(100)); res.end(); };`,
  waits: `${FREE}module.exports.get = (req, res) => { setTimeout(() => res.end(), 1000); };`,
};

function row(beside: string, { p50, p99, perSecond, refused }: Slice) {
  return { beside, 'p50 ms': p50, 'p99 ms': p99, '/s': Math.round(perSecond), refused };
}

export async function benchNeighbours(cloister: Cloister, seconds: number): Promise<void> {
  const alone = await slice(cloister, GOOD, seconds);
  const rows = [row('nobody', alone)];
  for (const [name, source] of Object.entries(BAD)) {
    await cloister.post(`bad-${name}`, source);
    const bad: Load = { method: 'GET', paths: [`/1.0/bad-${name}`], connections: 4, refusals: true };
    const [beside] = await Promise.all([slice(cloister, GOOD, seconds), fire(cloister, bad, seconds)]);
    rows.push(row(name, beside));
  }
  console.log(
    '\nA good endpoint at 10 connections beside a bad one at 4 (aim: p99 at most doubled, plus a time slice)',
  );
  console.table(rows);
}
