// A server that is about to be killed: starts a host that hangs deep in the engine, prints both pids, and waits.
// Arguments: the tools that it may use, by name.

import { packageRoot } from '../../../src/lib/files/package-files.ts';
import { createLauncher } from '../../../src/sandbox-supervisor/isolation/launcher.ts';
import { findSystemTools } from '../../../src/sandbox-supervisor/isolation/system-tools.ts';

const allowed = process.argv.slice(2);
const tools = Object.fromEntries(
  Object.entries(findSystemTools()).filter(([name]) => allowed.includes(name)),
);
const launcher = createLauncher({ root: packageRoot(), tools });
const child = await launcher.launch({ jit: false, memoryMb: 384, script: 'self-test.js' });
child.socket.write(
  JSON.stringify({ test: 'loop', file: '/x', newFile: '/x', port: 1, socket: '/x', server: 1 }),
);
let said = '';
child.socket.on('data', (chunk: Buffer) => {
  said += chunk.toString();
  if (!said.includes('"done"')) return;
  console.log(JSON.stringify({ host: child.pid(), spawned: child.process.pid, layers: child.layers }));
});
child.process.once('exit', (code, signal) => console.log(`the host ended: ${code} ${signal}`));
