// The connection to one render process: one job at a time, under a time and a memory limit. What it sends is checked
// as a stranger's.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { extname } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { AppError } from '../../errors/errors.ts';
import { StartError } from '../../errors/start-error.ts';
import { isJsonObject } from '../../lib/json/json.ts';
import { untilStarted } from '../../lib/processes/start-child.ts';
import {
  createPipeReader,
  MAX_IDLE_PROCESS_BYTES,
  MAX_PROCESS_BYTES,
  MAX_RESULT_BYTES,
  type RenderedInfo,
  type RenderJob,
  type RenderResult,
  writeBytes,
  writeEnd,
  writeMessage,
} from './render-protocol.ts';

export interface RenderConnectionDeps {
  /** Waits for so many bytes of the memory that all renderings share; the result gives them back. */
  readonly reserve: (bytes: number) => Promise<() => void>;
  /** Time limits of reading and of rendering, each. */
  readonly timeoutMs: number;
  readonly maxSourceBytes: number;
  /** Starts the process; another one in tests. */
  readonly start?: () => ChildProcess;
}

interface StartedProcess {
  readonly child: ChildProcess;
  readonly stdin: Writable;
  readonly stdout: Readable;
}

interface Run {
  readonly result: PromiseWithResolvers<RenderResult>;
  readonly pieces: Buffer[];
  received: number;
  info: RenderedInfo | undefined;
  giveBack: () => void;
}

const MEMORY_CHECK_MS = 20;
const PAGE_BYTES = 4096;
/** Originals over this size are read one after the other: a header of that size is copied while it is read. */
const LARGE_SOURCE_BYTES = 16 * 1024 * 1024;
const COPIES_OF_METADATA = 3;
// Two arenas instead of eight a processor: memory that is freed can be used again, and returned.
const ENVIRONMENT = { MALLOC_ARENA_MAX: '2' };
const CONTENT_TYPE = /^(image\/(jpeg|png|webp|avif|gif)|application\/json; charset=utf-8)$/;

const tooLarge = (message: string) => new AppError('IMAGE_TOO_LARGE', { message });
const FAILED = () => new AppError('RENDER_FAILED');

function startProcess(): ChildProcess {
  const file = fileURLToPath(new URL(`./render-process${extname(import.meta.url)}`, import.meta.url));
  const cache = getCompileCacheDir();
  return spawn(process.execPath, ['--max-old-space-size=64', file], {
    // Without compiling, which takes a quarter of its memory, once another process like it has.
    // A copy: Node adds variables of its own to the object.
    env: { ...ENVIRONMENT, ...(cache !== undefined && { NODE_COMPILE_CACHE: cache }) },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
}

/** Resident bytes of a process; 0 where the platform does not tell. */
function residentBytes(pid: number | undefined): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * PAGE_BYTES;
  } catch {
    return 0;
  }
}

function parseInfo(raw: unknown): RenderedInfo | undefined {
  if (!isJsonObject(raw)) return undefined;
  const { contentType, width, height } = raw;
  const isSize = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
  if (typeof contentType !== 'string' || !CONTENT_TYPE.test(contentType)) return undefined;
  return isSize(width) && isSize(height) ? { contentType, width, height } : undefined;
}

function failureOf({ failure, message }: Readonly<Record<string, unknown>>): Error {
  const text = String(message).slice(0, 300);
  if (failure === 'invalid') return new AppError('IMAGE_INVALID');
  if (failure === 'too-large') return tooLarge(text);
  return failure === 'crop' ? new AppError('CROP_INVALID', { message: text }) : FAILED();
}

/** To one process. Ends by itself in no way but `end` and a failure of a job; `isAlive` then is false. */
export class RenderConnection {
  readonly #deps: RenderConnectionDeps;
  readonly #process: ChildProcess;
  readonly #stdin: Writable;
  #run: Run | undefined;
  #alive = true;

  /** Rejects with a StartError where there is no process left for it. */
  static async start(deps: RenderConnectionDeps): Promise<RenderConnection> {
    const child = await untilStarted(deps.start ?? startProcess, 'a render process');
    const { stdin, stdout } = child;
    if (stdin !== null && stdout !== null) return new RenderConnection(deps, { child, stdin, stdout });
    child.kill('SIGKILL');
    throw new StartError('a render process', new Error('it has no pipes'));
  }

  private constructor(deps: RenderConnectionDeps, { child, stdin, stdout }: StartedProcess) {
    this.#deps = deps;
    this.#process = child;
    this.#stdin = stdin;
    stdin.on('error', () => this.#fail(FAILED()));
    const read = createPipeReader((kind, payload) => this.#receive(kind, payload));
    stdout.on('data', (chunk: Buffer) => {
      try {
        read(chunk);
      } catch {
        this.#fail(FAILED());
      }
    });
    child.on('error', () => this.#fail(FAILED()));
    child.on('exit', () => this.#fail(FAILED()));
  }

  get isAlive(): boolean {
    return this.#alive;
  }

  /** Whether another job may be given to it: it lives and has not kept much memory. */
  get isReusable(): boolean {
    return this.#alive && residentBytes(this.#process.pid) <= MAX_IDLE_PROCESS_BYTES;
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Lets the process keep nothing waiting: the server may end while it is idle. */
  end(): void {
    this.#fail(FAILED());
  }

  /** Sends a job and its bytes, `size` of them where that is known. The stream is read or destroyed. */
  async render(job: RenderJob, source: Readable, size?: number): Promise<RenderResult> {
    const result = Promise.withResolvers<RenderResult>();
    result.promise.catch(() => source.destroy());
    const run: Run = { result, pieces: [], received: 0, info: undefined, giveBack: () => undefined };
    this.#run = run;
    if (!this.#alive) this.#fail(FAILED());
    const tooSlow = new AppError('RENDER_TIMEOUT');
    const timer = setTimeout(() => this.#fail(tooSlow), this.#deps.timeoutMs);
    const watch = setInterval(() => {
      if (residentBytes(this.#process.pid) <= MAX_PROCESS_BYTES) return;
      this.#fail(tooLarge('The image takes too much memory'));
    }, MEMORY_CHECK_MS);
    try {
      await Promise.race([this.#send(job, source, size), result.promise]);
      timer.refresh();
      return await result.promise;
    } catch (error) {
      // Whatever ended it, the process may be in the middle of a body or of a rendering.
      if (this.#run === run) this.#fail(error);
      throw error;
    } finally {
      clearTimeout(timer);
      clearInterval(watch);
      run.giveBack();
    }
  }

  async #send(job: RenderJob, source: Readable, size: number | undefined): Promise<void> {
    let sent = 0;
    if (size !== undefined && size > LARGE_SOURCE_BYTES && this.#run !== undefined) {
      await this.#reserve(this.#run, size * COPIES_OF_METADATA);
    }
    writeMessage(this.#stdin, { job, size });
    for await (const chunk of source) {
      sent += (chunk as Buffer).length;
      if (sent > this.#deps.maxSourceBytes) {
        throw tooLarge(`The image has more than ${this.#deps.maxSourceBytes} bytes`);
      }
      if (!this.#alive) return;
      if (!writeBytes(this.#stdin, chunk as Buffer)) await once(this.#stdin, 'drain');
    }
    writeEnd(this.#stdin);
  }

  #receive(kind: string, payload: Buffer): void {
    const run = this.#run;
    if (run === undefined) return;
    if (kind === 'B') {
      run.received += payload.length;
      if (run.received > MAX_RESULT_BYTES) throw new Error('too much');
      run.pieces.push(payload);
      return;
    }
    if (kind === 'E') {
      if (run.info === undefined) throw new Error('a body without its message');
      this.#run = undefined;
      run.result.resolve({ info: run.info, body: Buffer.concat(run.pieces) });
      return;
    }
    const message: unknown = JSON.parse(payload.toString());
    if (!isJsonObject(message)) throw new Error('malformed message');
    if (typeof message['reserve'] === 'number') void this.#grant(run, message['reserve']);
    else if (message['failure'] !== undefined) {
      this.#run = undefined;
      run.result.reject(failureOf(message));
    } else if (message['info'] !== undefined) {
      run.info = parseInfo(message['info']);
    }
  }

  async #reserve(run: Run, bytes: number): Promise<void> {
    // First give back, then wait: two renderings that hold a part and wait for more would wait for ever.
    run.giveBack();
    const giveBack = await this.#deps.reserve(bytes);
    if (this.#run !== run) {
      giveBack();
      return;
    }
    run.giveBack = giveBack;
  }

  async #grant(run: Run, bytes: number): Promise<void> {
    await this.#reserve(run, bytes);
    if (this.#run === run) writeMessage(this.#stdin, { granted: true });
  }

  #fail(error: unknown): void {
    const run = this.#run;
    this.#run = undefined;
    if (this.#alive) {
      this.#alive = false;
      this.#process.kill('SIGKILL');
    }
    run?.result.reject(error);
  }
}
