// Tests the isolation layers: a hostile script runs in real hosts, and what it got is compared with what each layer stops.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import type { SelfTestItem, SelfTestResult } from '../model/sandbox.ts';
import { type Canaries, createCanaries } from './canaries.ts';
import { activeLayers, type IsolationLayers } from './isolation-levels.ts';
import type { HostProcess, Launcher } from './launcher.ts';
import { evaluateAttempt, layersThatHeld, NATIVE_ATTEMPTS, NODE_ATTEMPTS } from './self-test-results.ts';

interface SelfTestOptions {
  /** As for the hosts that serve. */
  readonly memoryMb: number;
  /** Tests hosts with the just-in-time compiler. */
  readonly jit: boolean;
}

interface Report {
  /** What each attempt got; empty for nothing. */
  readonly got: ReadonlyMap<string, string>;
  readonly layers: IsolationLayers;
}

/** It takes about a second; a busy machine must not make it fail. */
const TIMEOUT_MS = 8_000;
/** From SIGKILL to the end of the process: as long as a host may outlive the server. */
const KILL_TIMEOUT_MS = 2_000;
const MAX_LINE_CHARACTERS = 4_096;

interface ReportInProgress {
  readonly got: Map<string, string>;
  layers: IsolationLayers;
  /** All is reported; now the host hangs. */
  done: boolean;
}

/** Records one line of the host. */
function recordLine(line: string, report: ReportInProgress): void {
  if (line.length > MAX_LINE_CHARACTERS) return;
  const message: unknown = JSON.parse(line);
  if (typeof message !== 'object' || message === null) return;
  const { attempt, got, layers, done } = message as Record<string, unknown>;
  if (typeof attempt === 'string') report.got.set(attempt, typeof got === 'string' ? got : '');
  if (typeof layers === 'object' && layers !== null) report.layers = layers as IsolationLayers;
  if (done === true) report.done = true;
}

async function readReport({ socket }: HostProcess, report: ReportInProgress): Promise<void> {
  for await (const line of createInterface({ input: socket })) {
    recordLine(line, report);
    if (report.done) return;
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
  const giveUp = performance.now() + KILL_TIMEOUT_MS;
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
  const report: ReportInProgress = { got: new Map(), layers: {}, done: false };
  const late = setTimeout(() => child.kill(), TIMEOUT_MS);
  const { file, newFile, port, socket } = canaries;
  child.socket.on('error', () => undefined);
  child.socket.write(JSON.stringify({ test, file, newFile, port, socket, server: process.pid, memoryMb }));
  try {
    await readReport(child, report);
  } catch {
    // The line is no JSON: what is not reported counts as not tried.
  } finally {
    clearTimeout(late);
  }
  const hangs = report.done && child.process.exitCode === null && child.process.signalCode === null;
  const killed = await killHost(child);
  if (test === 'loop' && hangs) report.got.set('loop', killed ? '' : 'it could not be killed');
  return { got: report.got, layers: activeLayers(child.layers, report.layers) };
}

/** A host that exits because it asks for too much memory was stopped; bwrap and the kernel do not always leave it time to report. */
function memoryResult({ got, layers }: Report): string {
  return Object.keys(layers).length > 0 ? (got.get('memory') ?? '') : 'the host did not start';
}

/** Corrects the results by the canaries that were touched although the host reports that it got nothing. */
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
      evaluateAttempt(name, got.get(name), main.layers),
    );
    return {
      state: judged.some(({ broken }) => broken) ? 'failed' : 'passed',
      items: judged.map(({ item }) => item),
      layers: layersThatHeld(main.layers, judged),
    };
  } finally {
    await canaries.remove();
  }
}

/**
 * Runs the self-test, which takes about a second. An attempt that succeeds where no layer of this machine stops it is listed as
 * not held; `failed` means that an active layer did not hold. Never rejects.
 */
export async function runSelfTest(launcher: Launcher, options: SelfTestOptions): Promise<SelfTestResult> {
  try {
    return await run(launcher, options);
  } catch (error) {
    const detail = `it could not run: ${error instanceof Error ? error.name : 'unknown'}`;
    const item: SelfTestItem = { attempt: 'start a host', held: false, detail };
    return { state: 'failed', items: [item], layers: {} };
  }
}
