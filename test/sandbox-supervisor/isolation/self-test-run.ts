// Runs the self-test with the tools that the arguments name, and prints its result: so that a test can do it as another user.

import { packageRoot } from '../../../src/lib/files/package-files.ts';
import { createLauncher } from '../../../src/sandbox-supervisor/isolation/launcher.ts';
import { runSelfTest } from '../../../src/sandbox-supervisor/isolation/self-test.ts';
import { findSystemTools } from '../../../src/sandbox-supervisor/isolation/system-tools.ts';

const allowed = process.argv.slice(2);
const tools = Object.fromEntries(
  Object.entries(findSystemTools()).filter(([name]) => allowed.includes(name)),
);
const launcher = createLauncher({ root: packageRoot(), tools });
const from = performance.now();
const result = await runSelfTest(launcher, { jit: false, memoryMb: 384 });
console.log(JSON.stringify({ ...result, ms: performance.now() - from }));
