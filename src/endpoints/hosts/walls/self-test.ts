// Shows that the walls hold: a hostile script runs in real hosts, and what it got is compared with what is promised.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import type { SelfTestItem, SelfTestResult } from '../../sandbox.ts';
import { type Canaries, layOut } from './canaries.ts';
import type { HostChild, Launcher } from './launch.ts';
import { type Walls, wallsInForce } from './levels.ts';
import { BY_NODE, judge, NATIVE, wallsThatHeld } from './self-test-items.ts';

interface SelfTestOptions {
  /** As for the hosts that serve. */
  readonly memoryMb: number;
  /** Of hosts with the just-in-time compiler. */
  readonly jit: boolean;
}

interface Report {
  /** Attempt → what was got; empty for nothing. */
  readonly got: ReadonlyMap<string, string>;
  readonly walls: Walls;
}

/** All of it takes about a second; a machine that is busy with something else is no reason to cry wolf. */
const DEADLINE_MS = 8_000;
/** From SIGKILL to the end of the process: as long as a host may outlive the server. */
const KILL_MS = 2_000;
const LINE_CHARACTERS = 4_096;

interface Notes {
  readonly got: Map<string, string>;
  walls: Walls;
  /** It has said all; now it hangs. */
  done: boolean;
}

/** Takes down one line of the host. */
function note(line: string, notes: Notes): void {
  if (line.length > LINE_CHARACTERS) return;
  const said: unknown = JSON.parse(line);
  if (typeof said !== 'object' || said === null) return;
  const { attempt, got, walls, done } = said as Record<string, unknown>;
  if (typeof attempt === 'string') notes.got.set(attempt, typeof got === 'string' ? got : '');
  if (typeof walls === 'object' && walls !== null) notes.walls = walls as Walls;
  if (done === true) notes.done = true;
}

async function listen({ socket }: HostChild, notes: Notes): Promise<void> {
  for await (const line of createInterface({ input: socket })) {
    note(line, notes);
    if (notes.done) return;
  }
}

/** Whether the process is there, and is not just waiting for its parent to notice that it has ended. */
function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Kills a host, wherever it hangs. False when it lives on for too long. */
async function end({ process: spawned, pid, kill }: HostChild): Promise<boolean> {
  const host = pid();
  const giveUp = performance.now() + KILL_MS;
  if (spawned.exitCode === null && spawned.signalCode === null) {
    kill();
    await once(spawned, 'exit');
  }
  while (host !== undefined && isRunning(host) && performance.now() < giveUp) await pause(2);
  return performance.now() < giveUp;
}

interface Run extends SelfTestOptions {
  readonly launcher: Launcher;
  readonly canaries: Canaries;
}

async function attempt(
  { launcher, canaries, memoryMb, jit }: Run,
  test: 'attempts' | 'memory' | 'loop',
): Promise<Report> {
  const child = await launcher.launch({ jit, memoryMb, script: 'self-test.js' });
  const notes: Notes = { got: new Map(), walls: {}, done: false };
  const late = setTimeout(() => child.kill(), DEADLINE_MS);
  const { file, newFile, port, socket } = canaries;
  child.socket.on('error', () => undefined);
  child.socket.write(JSON.stringify({ test, file, newFile, port, socket, server: process.pid, memoryMb }));
  try {
    await listen(child, notes);
  } catch {
    // It said something else: what it has not reported counts as not tried.
  } finally {
    clearTimeout(late);
  }
  const hangs = notes.done && child.process.exitCode === null && child.process.signalCode === null;
  const killed = await end(child);
  if (test === 'loop' && hangs) notes.got.set('loop', killed ? '' : 'it could not be killed');
  return { got: notes.got, walls: wallsInForce(child.walls, notes.walls) };
}

/** A host that ends because it asks for too much was refused; bubblewrap and the kernel do not always leave it time to say so. */
function memoryOf({ got, walls }: Report): string {
  return Object.keys(walls).length > 0 ? (got.get('memory') ?? '') : 'the host did not start';
}

/** What the servers and folders saw, where the host itself claims to have got nothing. */
function witnessed(got: ReadonlyMap<string, string>, touches: ReadonlySet<string>): Map<string, string> {
  const corrected = new Map(got);
  for (const name of touches) {
    if ([name, `native-${name}`].every((attempted) => !got.get(attempted)))
      corrected.set(name, 'it was done');
  }
  return corrected;
}

async function run(launcher: Launcher, options: SelfTestOptions): Promise<SelfTestResult> {
  const canaries = await layOut();
  try {
    const each = (test: 'attempts' | 'memory' | 'loop') => attempt({ launcher, canaries, ...options }, test);
    const [main, memory, loop] = await Promise.all([each('attempts'), each('memory'), each('loop')]);
    const got = witnessed(main.got, await canaries.touches());
    got.set('memory', memoryOf(memory));
    const looped = loop.got.get('loop');
    if (looped !== undefined) got.set('loop', looped);
    const native = NATIVE.some((name) => got.has(name)) ? NATIVE : [];
    const judged = [...BY_NODE, ...native].map((name) => judge(name, got.get(name), main.walls));
    return {
      state: judged.some(({ broken }) => broken) ? 'failed' : 'passed',
      items: judged.map(({ item }) => item),
      walls: wallsThatHeld(main.walls, judged),
    };
  } finally {
    await canaries.remove();
  }
}

/**
 * Takes about a second. An attempt that gets through where no wall of this machine is against it is listed as not
 * held; `failed` says that a wall did not hold which is said to be in force. Never rejects.
 */
export async function runSelfTest(launcher: Launcher, options: SelfTestOptions): Promise<SelfTestResult> {
  try {
    return await run(launcher, options);
  } catch (error) {
    const detail = `it could not run: ${error instanceof Error ? error.name : 'unknown'}`;
    const item: SelfTestItem = { attempt: 'start a host', held: false, detail };
    return { state: 'failed', items: [item], walls: {} };
  }
}
