import { describe, expect, it } from 'vitest';
import type { ToHost } from '../../sandbox/protocol.ts';
import { LoadedModules } from '../../src/sandbox-supervisor/loaded-modules.ts';
import { createModuleVersion } from '../helpers/sandbox.ts';

const moduleOf = (name: string) => createModuleVersion('code', { id: `endpoint:1.0/${name}` });

function loadedModules() {
  const sent: ToHost[] = [];
  const modules = new LoadedModules((message) => sent.push(message));
  const load = (name: string, number: number, isInUse: (number: number) => boolean = () => false) =>
    modules.load(moduleOf(name), number, isInUse);
  const drops = () => sent.flatMap((message) => (message.t === 'drop' ? [message.unit] : []));
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
