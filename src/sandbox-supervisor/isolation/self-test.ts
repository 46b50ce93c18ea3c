// Shows that the walls hold: a hostile script runs in real hosts, and what it got is compared with what is promised.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import type { SelfTestItem, SelfTestResult } from '../sandbox.ts';
import { type Canaries, createCanaries } from './canaries.ts';
import { activeLayers, type IsolationLayers } from './isolation-levels.ts';
import type { HostProcess, Launcher } from './launcher.ts';
import { evaluateAttempt, layersThatHeld, NATIVE_ATTEMPTS, NODE_ATTEMPTS } from './self-test-attempts.ts';

interface SelfTestOptions {
  /** As for the hosts that serve. */
  readonly memoryMb: number;
  /** Of hosts with the just-in-time compiler. */
  readonly jit: boolean;
}

interface Report {
  /** Attempt → what was got; empty for nothing. */
  readonly got: ReadonlyMap<string, string>;
  readonly walls: IsolationLayers;
}

/** All of it takes about a second; a machine that is busy with something else is no reason to cry wolf. */
const DEADLINE_MS = 8_000;
/** From SIGKILL to the end of the process: as long as a host may outlive the server. */
const KILL_MS = 2_000;
const MAX_LINE_CHARACTERS = 4_096;

interface ReportInProgress {
  readonly got: Map<string, string>;
  walls: IsolationLayers;
  /** It has said all; now it hangs. */
  done: boolean;
}

/** Takes down one line of the host. */
function recordLine(line: string, notes: ReportInProgress): void {
  if (line.length > MAX_LINE_CHARACTERS) return;
  const said: unknown = JSON.parse(line);
  if (typeof said !== 'object' || said === null) return;
  const { attempt, got, walls, done } = said as Record<string, unknown>;
  if (typeof attempt === 'string') notes.got.set(attempt, typeof got === 'string' ? got : '');
  if (typeof walls === 'object' && walls !== null) notes.walls = walls as IsolationLayers;
  if (done === true) notes.done = true;
}

async function readReport({ socket }: HostProcess, notes: ReportInProgress): Promise<void> {
  for await (const line of createInterface({ input: socket })) {
    recordLine(line, notes);
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
async function killHost({ process: spawned, pid, kill }: HostProcess): Promise<boolean> {
  const host = pid();
  const giveUp = performance.now() + KILL_MS;
  if (spawned.exitCode === null && spawned.signalCode === null) {
    kill();
    await once(spawned, 'exit');
  }
  while (host !== undefined && isRunning(host) && performance.now() < giveUp) await pause(2);
  return performance.now() < giveUp;
}

interface AttemptOptions extends SelfTestOptions {
  readonly launcher: Launcher;
  readonly canaries: Canaries;
}

async function runAttempts(
  { launcher, canaries, memoryMb, jit }: AttemptOptions,
  test: 'attempts' | 'memory' | 'loop',
): Promise<Report> {
  const child = await launcher.launch({ jit, memoryMb, script: 'self-test.js' });
  const notes: ReportInProgress = { got: new Map(), walls: {}, done: false };
  const late = setTimeout(() => child.kill(), DEADLINE_MS);
  const { file, newFile, port, socket } = canaries;
  child.socket.on('error', () => undefined);
  child.socket.write(JSON.stringify({ test, file, newFile, port, socket, server: process.pid, memoryMb }));
  try {
    await readReport(child, notes);
  } catch {
    // It said something else: what it has not reported counts as not tried.
  } finally {
    clearTimeout(late);
  }
  const hangs = notes.done && child.process.exitCode === null && child.process.signalCode === null;
  const killed = await killHost(child);
  if (test === 'loop' && hangs) notes.got.set('loop', killed ? '' : 'it could not be killed');
  return { got: notes.got, walls: activeLayers(child.layers, notes.walls) };
}

/** A host that ends because it asks for too much was refused; bubblewrap and the kernel do not always leave it time to say so. */
function memoryResult({ got, walls }: Report): string {
  return Object.keys(walls).length > 0 ? (got.get('memory') ?? '') : 'the host did not start';
}

/** What the servers and folders saw, where the host itself claims to have got nothing. */
function withCanaryTouches(
  got: ReadonlyMap<string, string>,
  touches: ReadonlySet<string>,
): Map<string, string> {
  const corrected = new Map(got);
  for (const name of touches) {
    if ([name, `native-${name}`].every((attempted) => !got.get(attempted)))
      corrected.set(name, 'it was done');
  }
  return corrected;
}

async function run(launcher: Launcher, options: SelfTestOptions): Promise<SelfTestResult> {
  const canaries = await createCanaries();
  try {
    const each = (test: 'attempts' | 'memory' | 'loop') =>
      runAttempts({ launcher, canaries, ...options }, test);
    const [main, memory, loop] = await Promise.all([each('attempts'), each('memory'), each('loop')]);
    const got = withCanaryTouches(main.got, await canaries.touches());
    got.set('memory', memoryResult(memory));
    const looped = loop.got.get('loop');
    if (looped !== undefined) got.set('loop', looped);
    const native = NATIVE_ATTEMPTS.some((name) => got.has(name)) ? NATIVE_ATTEMPTS : [];
    const judged = [...NODE_ATTEMPTS, ...native].map((name) =>
      evaluateAttempt(name, got.get(name), main.walls),
    );
    return {
      state: judged.some(({ broken }) => broken) ? 'failed' : 'passed',
      items: judged.map(({ item }) => item),
      walls: layersThatHeld(main.walls, judged),
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
