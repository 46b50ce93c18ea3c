import { describe, expect, it } from 'vitest';
import type { ToHost } from '../../sandbox/protocol.ts';
import {
  LoadedModules,
  NumberedInvocations,
  SentFrames,
} from '../../src/sandbox-supervisor/host-contents.ts';
import { createModuleVersion, fakeHost, fakeInvocation } from '../helpers/sandbox/sandbox.ts';

const frameOf = (count: number, maxInFlight = 4) => {
  const invocations = Array.from({ length: count }, () => fakeInvocation());
  return { moduleNumber: 1, invocations, isDelivery: false, isCold: false, maxInFlight };
};

describe('the invocations of a host', () => {
  it('are found by number, in whatever order they end', () => {
    const invocations = new NumberedInvocations();
    const add = (number: number) => {
      const invocation = fakeInvocation();
      invocation.assign(fakeHost(), number, { moduleNumber: 1, isCold: false });
      invocations.add(invocation);
      return invocation;
    };
    const all = [1, 2, 3, 5, 8].map(add);
    expect([1, 2, 3, 5, 8].map((number) => invocations.get(number))).toEqual(all);
    expect([0, 4, 9].map((number) => invocations.get(number))).toEqual([undefined, undefined, undefined]);
    for (const number of [3, 1, 4, 8]) invocations.delete(number);
    expect([invocations.size, invocations.values()]).toEqual([2, [all[1], all[3]]]);
  });

  it('may end while all of them are looked through', () => {
    const invocations = new NumberedInvocations();
    for (const number of [1, 2, 3]) {
      const invocation = fakeInvocation();
      invocation.assign(fakeHost(), number, { moduleNumber: 1, isCold: false });
      invocations.add(invocation);
    }
    const seen: number[] = [];
    for (const { number } of invocations.values()) {
      seen.push(number);
      invocations.delete(number);
    }
    expect([seen, invocations.size]).toEqual([[1, 2, 3], 0]);
  });
});

describe('the frames of a host', () => {
  it('run one after the other, each from the progress before it', () => {
    const frames = new SentFrames(0);
    const [first, second] = [frameOf(1), frameOf(1)];
    frames.push(first, 10);
    frames.push(second, 20);
    expect([frames.current, frames.runsSince, frames.queued]).toEqual([first, 10, [second]]);
    frames.recordProgress(30);
    frames.complete();
    expect([frames.current, frames.runsSince, frames.progressAt, frames.length]).toEqual([second, 30, 30, 1]);
  });

  it('charge the CPU of a frame to the only invocation in it, from the first measurement on', () => {
    const frames = new SentFrames(0);
    const [alone, together] = [frameOf(1), frameOf(2)];
    frames.push(alone, 0);
    frames.push(together, 0);
    expect([frames.recordCpu(500), frames.recordCpu(530), frames.cpuMs]).toEqual([0, 30, 30]);
    frames.complete();
    expect([frames.cpuMs, alone.invocations[0]?.cpuMs]).toEqual([0, 30]);
    frames.recordCpu(540);
    frames.recordCpu(640);
    frames.complete();
    expect(together.invocations.map(({ cpuMs }) => cpuMs)).toEqual([0, 0]);
  });

  it('take as many partial results as a frame has invocations', () => {
    const frames = new SentFrames(0);
    expect(frames.countPartialResult()).toBe(false);
    frames.push(frameOf(2), 0);
    expect([1, 2, 3].map(() => frames.countPartialResult())).toEqual([true, true, false]);
  });

  it('know the largest number of invocations that may be in flight, and which code they use', () => {
    const frames = new SentFrames(0);
    expect(frames.maxInFlight).toBe(0);
    frames.push(frameOf(1, 2), 0);
    frames.push(frameOf(1, 7), 0);
    expect([frames.maxInFlight, frames.isUsing(1), frames.isUsing(2)]).toEqual([7, true, false]);
    frames.clear();
    expect([frames.length, frames.maxInFlight]).toEqual([0, 0]);
  });
});

const moduleOf = (name: string) => createModuleVersion('code', { id: `endpoint:1.0/${name}` });

function loadedModules() {
  const sent: ToHost[] = [];
  const modules = new LoadedModules((message) => sent.push(message));
  const load = (name: string, number: number, isInUse: (number: number) => boolean = () => false) =>
    modules.load(moduleOf(name), number, isInUse);
  const drops = () => sent.flatMap((message) => (message.t === 'drop' ? [message.moduleNumber] : []));
  return { modules, sent, load, drops };
}

describe('the loaded modules of a host', () => {
  it('are sent once', () => {
    const { modules, load, sent } = loadedModules();
    expect([load('a', 1), load('a', 1), sent.length]).toEqual([true, false, 1]);
    expect([modules.has(1), modules.has(2)]).toEqual([true, false]);
  });

  it('are named after the file of the endpoint or hook', () => {
    const { modules, load, sent } = loadedModules();
    load('report', 1);
    modules.load(createModuleVersion('code', { id: 'hook:slugify', kind: 'hook' }), 2, () => false);
    expect(sent).toMatchObject([{ name: 'endpoint.report.js' }, { name: 'hook.slugify.js' }]);
  });

  it('are 24 at most: the one that was used least recently is dropped', () => {
    const { modules, load, drops } = loadedModules();
    for (let number = 1; number <= 24; number += 1) load(`e${number}`, number);
    load('e1', 1);
    expect([drops(), modules.lastModuleId]).toEqual([[], 'endpoint:1.0/e1']);
    load('e25', 25);
    expect([drops(), modules.has(2), modules.lastModuleId]).toEqual([[2], false, 'endpoint:1.0/e25']);
  });

  it('stay as long as they are in use', () => {
    const { load, drops } = loadedModules();
    for (let number = 1; number <= 26; number += 1) load(`e${number}`, number, (used) => used < 25);
    expect(drops()).toEqual([25]);
  });

  it('are dropped when their module is evicted: at once, or later when invocations still run', () => {
    const { modules, load, drops } = loadedModules();
    load('idle', 1);
    load('busy', 2);
    load('busy', 3);
    modules.evict('endpoint:1.0/idle', false);
    modules.evict('endpoint:1.0/busy', true);
    modules.evict('endpoint:1.0/other', false);
    expect([drops(), modules.has(2)]).toEqual([[1], true]);
    modules.dropEvicted();
    expect([drops(), modules.lastModuleId]).toEqual([[1, 2, 3], null]);
  });
});
