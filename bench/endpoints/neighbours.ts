// A good endpoint alone, then beside one that loops, allocates, or floods.
import { fire, type Load, slice } from '../measure.ts';
import type { Cloister } from './contestants.ts';
import { BODY, PATH } from './handler.ts';

const GOOD: Load = { method: 'POST', paths: [PATH], body: BODY, connections: 10 };
const FREE = 'module.exports.model = { settings: { authenticate: false } };\n';

const BAD: Readonly<Record<string, string>> = {
  loops: `${FREE}module.exports.get = () => { for (;;); };`,
  allocates: `${FREE}module.exports.get = () => { const all = []; for (;;) all.push({ n: all.length }); };`,
  'floods-answers': `${FREE}module.exports.get = (req, res) => res.end('x'.repeat(5e6));`,
  'floods-log': `${FREE}module.exports.get = (req, res) => { for (let n = 0; n < 1e4; n += 1) console.log('x'.repeat(100)); res.end(); };`,
  waits: `${FREE}module.exports.get = (req, res) => { setTimeout(() => res.end(), 1000); };`,
};

export async function benchNeighbours(cloister: Cloister, seconds: number): Promise<void> {
  const alone = await slice(cloister, GOOD, seconds);
  const rows = [
    { beside: 'nobody', 'p50 ms': alone.p50, 'p99 ms': alone.p99, '/s': Math.round(alone.perSecond) },
  ];
  for (const [name, source] of Object.entries(BAD)) {
    await cloister.post(`bad-${name}`, source);
    const bad: Load = { method: 'GET', paths: [`/1.0/bad-${name}`], connections: 4, refusals: true };
    const [beside] = await Promise.all([slice(cloister, GOOD, seconds), fire(cloister, bad, seconds)]);
    rows.push({
      beside: name,
      'p50 ms': beside.p50,
      'p99 ms': beside.p99,
      '/s': Math.round(beside.perSecond),
    });
  }
  console.log(
    '\nA good endpoint at 10 connections beside a bad one at 4 (aim: p99 at most doubled, plus a time slice)',
  );
  console.table(rows);
}
