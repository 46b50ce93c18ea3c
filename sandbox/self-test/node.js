// Attempts by way of Node: what code could do that got out of its isolate, but not out of JavaScript.
import { spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { open as openInspector } from 'node:inspector';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';

/** @import { Orders } from '../self-test.js' */
/** @typedef {[name: string, run: () => string | Promise<string>]} Attempt The text says what was got; empty: nothing. */

/** @param {string} name @param {() => unknown} run @returns {Attempt} */
function attempt(name, run) {
  return [
    name,
    () => {
      try {
        const got = run();
        return got === undefined || got === false ? '' : 'it was done';
      } catch {
        return '';
      }
    },
  ];
}

/** Refusals may come a moment later. @param {import('node:net').NetConnectOpts} address @returns {Promise<string>} */
function reach(address) {
  return new Promise((resolve) => {
    try {
      const socket = connect(address);
      socket.on('error', () => resolve(''));
      // No wait for an answer: the server knows whether somebody came.
      process.nextTick(() => process.nextTick(() => resolve('')));
    } catch {
      resolve('');
    }
  });
}

/** @param {number} descriptor */
function statOf(descriptor) {
  try {
    return [fstatSync(descriptor)];
  } catch {
    return [];
  }
}

/** Whether something is open that is neither the pipe to the server nor what Node opens for itself. */
function holdsForeignDescriptors() {
  const nowhere = fstatSync(0);
  const open = Array.from({ length: 1020 }, (_, index) => index + 4).flatMap(statOf);
  return open.some((found) => {
    if (found.isCharacterDevice()) return found.rdev !== nowhere.rdev;
    // Of Node's own pipes both ends are here.
    if (found.isFIFO()) return open.filter(({ ino }) => ino === found.ino).length === 1;
    return found.isSocket() || found.isFile() || found.isDirectory();
  });
}

/** There is no such library: to be told so is to be allowed to load one. */
function mayLoad() {
  try {
    process.dlopen({ exports: {} }, '/none.node');
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'ERR_DLOPEN_FAILED';
  }
}

/** @param {Orders} orders @returns {Attempt[]} */
export function nodeAttempts({ file, newFile, port, socket, server }) {
  const write = () => {
    writeFileSync(newFile, 'x');
    return true;
  };
  const start = () => spawn(process.execPath, ['--version']).on('error', () => undefined).pid !== undefined;
  return [
    attempt('read', () => readFileSync(file)),
    attempt('list', () => readdirSync('/')),
    attempt('write', write),
    ['connect', () => reach({ port, host: '127.0.0.1' })],
    ['socket', () => reach({ path: socket })],
    attempt('spawn', start),
    attempt('worker', () => new Worker('0', { eval: true }).on('error', () => undefined)),
    attempt('inspector', () => openInspector(0) ?? true),
    attempt('parent-environ', () => readFileSync(`/proc/${process.ppid}/environ`)),
    attempt('server-environ', () => readFileSync(`/proc/${server}/environ`)),
    attempt('first-environ', () => readFileSync('/proc/1/environ')),
    attempt('signal', () => process.kill(server, 0)),
    attempt('addon', mayLoad),
    attempt('ffi', () => createRequire(import.meta.url)('node:ffi').dlopen(null, {})),
    attempt('descriptors', holdsForeignDescriptors),
    // biome-ignore lint/style/noProcessEnv: that it holds nothing of the server is what is to be shown
    attempt('environment', () => Object.keys(process.env).some((name) => name !== 'PWD' && name !== 'TZ')),
    attempt('own-script', () => closeSync(openSync(import.meta.filename, 'r')) ?? true),
  ];
}
