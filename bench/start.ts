// How long a start takes, from the command to the first 200 of `/health` with both listeners open, and what it costs.
import { createWorkspace } from '../test/helpers/temp/workspace.ts';
import { SPECIFICATIONS } from './documents.ts';
import { whole } from './format.ts';
import { median } from './measure.ts';
import { processorTime } from './processes.ts';
import { spawnCloister } from './servers.ts';

const STARTS = 7;

/** Prints medians. The first start, which compiles and creates the database, does not count. */
export async function benchStart(): Promise<void> {
  const workspace = createWorkspace(SPECIFICATIONS);
  const starts: { readonly ms: number; readonly cpu: number }[] = [];
  for (let start = 0; start <= STARTS; start += 1) {
    const server = await spawnCloister(workspace);
    starts.push({ ms: server.readyMs, cpu: processorTime(server.process.pid ?? 0) });
    await server.stop();
  }
  workspace.remove();
  const counted = starts.slice(1);
  const ms = median(counted.map((start) => start.ms));
  const cpu = median(counted.map((start) => start.cpu)) * 1000;
  console.log(`\nstart to ready: ${whole(cpu)} ms of processor time, ${whole(ms)} ms (aim ≤ 450)`);
}
