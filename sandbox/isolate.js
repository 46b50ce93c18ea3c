// The only file that touches isolated-vm. It makes isolates, puts the guest code into them, and enters them: always by a
// call with a time limit, with primitive arguments but for the host bridge, the author's function and the modules of Node when a context is made. The
// author's code never holds anything of isolated-vm.
import { createRequire } from 'node:module';
import { bindingPath } from './binding.js';
import { createGuestWith } from './guest.js';
import { aloneText, BUNDLE, isSynchronous, moduleText, usesOf } from './guest-bundle.js';
import { MODULES } from './guest-modules.js';
import { inspectWith } from './inspect.js';

/** @import { Emit, GuestOptions } from './guest.js' */
/** @import { ModuleKind } from './protocol.ts' */

/**
 * @typedef {object} GuestContext A context that is ready for requests.
 * @property {(ms: number, args: (string | number | boolean)[], text?: string) => unknown} enter Calls the one function in it,
 *   with four arguments at most and a text of any length.
 * @property {() => void} release
 *
 * @typedef {object} Engine An isolate with the compiled code of one version of a module.
 * @property {() => GuestContext} open
 * @property {() => { used: number, held: number }} memory Bytes of its heap and buffers; `held` with what is not in use.
 * @property {() => boolean} isDisposed
 * @property {() => void} dispose
 *
 * @typedef {(number: number, kind: string, head: string, body: string) => string | number | undefined} Bridge
 * @typedef {(options: GuestOptions, bridge: Bridge) => Engine} CreateEngine
 */

// Whoever starts this process names the file, as the process may not look around for it.
const given = process.argv[2];
const binding = given?.endsWith('.node') ? given : bindingPath(new URL('../', import.meta.url));
const { ivm } = createRequire(import.meta.url)(binding);

/** Milliseconds for our own code in a new context. */
const INSTALL_MS = 2_000;
/** The least that isolated-vm takes, in MB. */
const MIN_HEAP_MB = 8;

/**
 * isolated-vm copies texts of fewer bytes than this, and these are gone with the next small collection of the guest. A longer one
 * lies outside of both heaps, and is freed by a full collection only: an isolate would grow to its limit every few thousand
 * requests. So texts are passed in pieces; a very long one, of which there are few, as it is.
 */
const COPIED_BYTES = 1024;
const MAX_IN_PIECES = 65_536;
/** Before the pieces of a text there are always so many arguments. */
const FIXED_ARGUMENTS = 4;

/** @param {string} text */
function piecesOf(text) {
  if (text.length > MAX_IN_PIECES) return [text];
  const isAscii = Buffer.byteLength(text) === text.length;
  const size = (isAscii ? COPIED_BYTES : COPIED_BYTES / 2) - 1;
  if (text.length <= size) return [text];
  const pieces = [];
  for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size));
  return pieces;
}

/**
 * The arguments of one call of the guest's function.
 * @param {(string | number | boolean)[]} args
 * @param {string | undefined} text
 */
function argumentsWith(args, text) {
  if (text === undefined) return args;
  const all = [...args];
  while (all.length < FIXED_ARGUMENTS) all.push(0);
  all.push(...piecesOf(text));
  return all;
}

/** @param {GuestOptions} options */
function optionsText(options) {
  const { source, ...rest } = options;
  return JSON.stringify({ ...rest, uses: usesOf(source), synchronous: isSynchronous(options) });
}

/**
 * Makes an isolate and compiles the module in it. Throws a SyntaxError of V8 when the text does not compile.
 * `bridge` is called by the guest code: (number, kind, text, text) → text or nothing.
 * @param {GuestOptions} options
 * @param {(number: number, kind: string, head: string, body: string) => string | number | undefined} bridge
 * @returns {Engine}
 */
function createEngine(options, bridge) {
  // Without `onCatastrophicError`: an isolate that is beyond rescue ends this process at once. With it, this very thread
  // would be put to sleep for good, and the request be answered only when the server's clock runs out.
  const isolate = new ivm.Isolate({ memoryLimit: Math.max(MIN_HEAP_MB, options.heapMb) });
  try {
    return fill(isolate, options, bridge);
  } catch (error) {
    disposeOf(isolate);
    throw error;
  }
}

/**
 * What a callback throws is shown to the guest with paths of this machine: nothing is thrown.
 * @param {Parameters<typeof createEngine>[1]} bridge
 * @returns {Parameters<typeof createEngine>[1]}
 */
const quiet = (bridge) => (number, kind, head, body) => {
  try {
    return bridge(number, kind, head, body);
  } catch {
    return undefined;
  }
};

/**
 * What V8 kept of compiling our own texts in this process, which makes it six times faster. Never read from elsewhere.
 * @type {Map<string, any>}
 */
const compiled = new Map();

/**
 * @param {any} isolate
 * @param {string} text
 */
function compileOwn(isolate, text) {
  const origin = { filename: 'sandbox' };
  const cachedData = compiled.get(text);
  if (cachedData !== undefined) return isolate.compileScriptSync(text, { ...origin, cachedData });
  const script = isolate.compileScriptSync(text, { ...origin, produceCachedData: true });
  compiled.set(text, script.cachedData);
  return script;
}

/** @param {any} isolate */
function disposeOf(isolate) {
  if (!isolate.isDisposed) isolate.dispose();
}

/**
 * @param {any} isolate
 * @param {GuestOptions} options
 * @param {Parameters<typeof createEngine>[1]} bridge
 * @returns {Engine}
 */
function fill(isolate, options, bridge) {
  const origin = { filename: options.name, lineOffset: -1 };
  const scratch = isolate.createContextSync();
  scratch.evalClosureSync(aloneText(options.source), [], { ...origin, timeout: INSTALL_MS });
  const author = isolate.compileScriptSync(moduleText(options.source), origin);
  const bundle = compileOwn(isolate, BUNDLE);
  const modules = usesOf(options.source).require ? compileOwn(isolate, MODULES) : undefined;
  const callback = new ivm.Callback(quiet(bridge), { sync: true });
  const text = optionsText(options);
  const install = { timeout: INSTALL_MS, result: { reference: true } };
  const reference = { timeout: INSTALL_MS, reference: true };

  /** @returns {GuestContext} */
  function openIn(/** @type {any} */ context) {
    const installer = bundle.runSync(context, reference);
    const entry = installer.applySync(undefined, [callback, text], install);
    const maker = author.runSync(context, reference);
    const handed = [maker, ...(modules === undefined ? [] : [modules.runSync(context, reference)])];
    const functions = handed.map((each) => each.derefInto({ release: true }));
    entry.applySync(undefined, ['author', 0, ...functions], { timeout: INSTALL_MS });
    installer.release();
    return {
      enter: (ms, args, text) => entry.applySync(undefined, argumentsWith(args, text), { timeout: ms }),
      release() {
        if (isolate.isDisposed) return;
        entry.release();
        context.release();
      },
    };
  }

  // The context of the check becomes the first one: nothing ran in it.
  let unused = scratch;
  return {
    open() {
      const context = unused ?? isolate.createContextSync();
      unused = undefined;
      return openIn(context);
    },
    memory() {
      if (isolate.isDisposed) return { used: 0, held: 0 };
      const { used_heap_size, total_heap_size, externally_allocated_size } = isolate.getHeapStatisticsSync();
      return {
        used: used_heap_size + externally_allocated_size,
        held: total_heap_size + externally_allocated_size,
      };
    },
    isDisposed: () => isolate.isDisposed,
    dispose: () => disposeOf(isolate),
  };
}

/**
 * One version of a module, able to run requests one time slice at a time. Throws on code that does not compile.
 * `emit` is called during a time slice for whatever the request sends out.
 * @param {GuestOptions} options
 * @param {Emit} emit
 */
export const createGuest = (options, emit) => createGuestWith(createEngine, options, emit);

/**
 * Compiles and evaluates posted code once, in an isolate that is thrown away.
 * @param {string} source
 * @param {Parameters<typeof inspectWith>[2]} options
 */
export const inspect = (source, options) => inspectWith(createEngine, source, options);

/** What runs in here: a reviewer wants to know how old it is. */
export function versions() {
  return { node: process.versions.node, v8: process.versions.v8, isolatedVm: '7.0.1' };
}
