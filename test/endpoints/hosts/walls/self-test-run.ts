// Runs the self-test with the tools that the arguments name, and prints its result: so that a test can do it as another user.
import { createLauncher } from '../../../../src/endpoints/hosts/walls/launch.ts';
import { runSelfTest } from '../../../../src/endpoints/hosts/walls/self-test.ts';
import { findTools } from '../../../../src/endpoints/hosts/walls/tools.ts';
import { packageRoot } from '../../../../src/lib/package-files.ts';

const allowed = process.argv.slice(2);
const tools = Object.fromEntries(Object.entries(findTools()).filter(([name]) => allowed.includes(name)));
const launcher = createLauncher({ root: packageRoot(), tools });
const from = performance.now();
const result = await runSelfTest(launcher, { jit: false, memoryMb: 384 });
console.log(JSON.stringify({ ...result, ms: performance.now() - from }));
