// Loaded into a server process by `--import`: prints, at each SIGUSR2, the bytes of the old generation and how many full
// collections there have been, as one line of JSON.
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';

const { NODE_PERFORMANCE_GC_MAJOR, NODE_PERFORMANCE_GC_INCREMENTAL } =
  process.getBuiltinModule('node:perf_hooks').constants;
const FULL = new Set([NODE_PERFORMANCE_GC_MAJOR, NODE_PERFORMANCE_GC_INCREMENTAL]);
let scavenges = 0;
let full = 0;

const observer = new PerformanceObserver((list) => {
  for (const { detail } of list.getEntries()) {
    if (FULL.has(detail.kind)) full += 1;
    else scavenges += 1;
  }
});
observer.observe({ entryTypes: ['gc'] });

process.on('SIGUSR2', () => {
  // Entries reach an observer in a turn of their own.
  setTimeout(() => {
    const old = getHeapSpaceStatistics()
      .filter(({ space_name: name }) => name === 'old_space' || name === 'large_object_space')
      .reduce((sum, { space_used_size: bytes }) => sum + bytes, 0);
    process.stdout.write(`\n${JSON.stringify({ probe: 'heap', old, full, scavenges })}\n`);
  }, 50);
});
