// Posted code, compiled and evaluated once: a refusal with the place in the author's text, or what the server must know.
import { answer } from './host-bridge.js';
import { facts, inspectionError, loadError, syntaxError } from './inspection.js';
import { nextSeed } from './random-seeds.js';
import { isOwnRejection, isTimeoutError } from './slice-errors.js';

/** @import { GuestOptions } from './guest.js' */
/** @import { CreateEngine } from './isolate.js' */
/** @import { Inspection, Isolation, ModuleKind } from './protocol.ts' */

const NAME = 'module.js';
const LOST = 'The module cannot be loaded';

/**
 * Everything is there while a module is evaluated, whatever will be granted to it; guest calls are never answered.
 * @param {string} source
 * @param {{ kind: ModuleKind, loadMs: number, heapMb: number }} options
 * @param {Isolation} isolation
 * @returns {GuestOptions}
 */
function optionsOf(source, { kind, loadMs, heapMb }, isolation) {
  const powers = {
    model: true,
    fetch: true,
    bcrypt: true,
    config: '',
    hostCalls: 50,
    timers: 20,
    timerMs: 5_000,
  };
  const bounds = { responseBytes: 1_048_576, logBytes: 0, logLines: 0 };
  const clocks = { loadMs, cpuMs: loadMs, wallMs: loadMs };
  return { ...powers, ...bounds, ...clocks, kind, isolation, heapMb, source, name: NAME };
}

/**
 * @param {CreateEngine} createEngine
 * @param {GuestOptions} options
 * @returns {Inspection}
 */
function evaluate(createEngine, options) {
  /** @type {Inspection} */
  let found = inspectionError('ENDPOINT_LOAD', LOST);
  let engine;
  try {
    engine = createEngine(options, (_job, kind, head, body) => {
      if (kind === 'result') found = facts(head, body);
      else if (kind === 'error') found = loadError(head);
      else if (kind !== 'call' && kind !== 'log') return answer(kind, head, body);
      return undefined;
    });
    // Seeds as a request has them.
    engine.open().enter(options.loadMs, ['inspect', 1, nextSeed(), nextSeed()]);
    return found;
  } catch (error) {
    return rejectionOf(error, engine?.isDisposed() === true, options, found);
  } finally {
    engine?.dispose();
  }
}

/**
 * The clock is that on the wall, on which a busy machine lets a process stand still: code that had less than half of its time
 * is evaluated once more.
 * @param {CreateEngine} createEngine
 * @param {GuestOptions} options
 * @param {() => number} cpu
 * @returns {Inspection}
 */
function evaluateInTime(createEngine, options, cpu) {
  const before = cpu();
  const found = evaluate(createEngine, options);
  const isLate = !found.ok && found.message === lateMessage(options);
  const hadItsTime = cpu() - before >= options.loadMs / 2;
  return isLate && !hadItsTime ? evaluate(createEngine, options) : found;
}

/** @param {GuestOptions} options */
const lateMessage = ({ loadMs }) => `Loading takes more than ${loadMs} ms`;

/**
 * @param {unknown} error
 * @param {boolean} outOfMemory
 * @param {GuestOptions} options
 * @param {Inspection} found
 */
function rejectionOf(error, outOfMemory, options, found) {
  if (isOwnRejection(error)) return found;
  if (error instanceof SyntaxError) return syntaxError(error);
  if (outOfMemory)
    return inspectionError('ENDPOINT_LOAD', `Loading needs more than ${options.heapMb} MB of memory`);
  return inspectionError('ENDPOINT_LOAD', isTimeoutError(error) ? lateMessage(options) : LOST);
}

/**
 * Tried as it will run by default; code that fails there, but would not in a context of its own, is accepted with a warning.
 * @param {CreateEngine} createEngine
 * @param {string} source
 * @param {{ kind: ModuleKind, loadMs: number, heapMb: number, cpu: () => number }} options `cpu`: milliseconds of the
 * processor that this thread has had.
 * @returns {Inspection}
 */
export function inspectWith(createEngine, source, { cpu, ...options }) {
  const first = evaluateInTime(createEngine, optionsOf(source, options, 'realm'), cpu);
  if (first.ok || first.code !== 'ENDPOINT_LOAD') return first;
  const second = evaluateInTime(createEngine, optionsOf(source, options, 'context'), cpu);
  if (!second.ok) return first;
  const warning = `In the realm that all requests share, loading fails: ${first.message}`;
  return { ...second, warnings: [warning, ...second.warnings], isolation: 'context' };
}
