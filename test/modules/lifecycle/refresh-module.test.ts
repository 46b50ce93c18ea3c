// What one process changes of a module is in force in the others: from what is stored, inspected and recorded once.
import { describe, expect, it } from 'vitest';
import { createChangeQueue } from '../../../src/lib/async/change-queue.ts';
import { FIRST, openDatabase, SECOND } from '../../deployment/members.ts';
import { ALICE, BOB } from '../../helpers/fixtures/actors.ts';
import { temporaryFolder } from '../../helpers/temp/folders.ts';
import { code, endpoint, loadedModules, openModules } from '../open-modules.ts';

const REPORT = endpoint('report');
const KEY = 'endpoint:1.0/report';
const FILE = 'endpoints/1.0/endpoint.report.js';
const POLICY = 'endpoints/1.0/endpoint.report.policy.json';

type Options = Pick<Parameters<typeof openModules>[0] & object, 'review'>;

/** Two processes on one database and one workspace. */
async function openTwo(options: Options = {}) {
  const database = await openDatabase();
  const root = await temporaryFolder();
  const open = async (id: string) => {
    const { member, connection } = database.create(id);
    const opened = await openModules({ store: connection, root, coordination: member, ...options });
    await member.join();
    await opened.modules.load();
    const stateOf = () => opened.modules.registry.get(REPORT)?.state;
    return { ...opened, member, connection, stateOf };
  };
  const [first, second] = [await open(FIRST), await open(SECOND)];
  return { database, first, second };
}

describe('a change of a module that another process makes', () => {
  it('is in force when that is answered, without being inspected once more', async () => {
    const { first, second } = await openTwo();
    await first.modules.postCode(REPORT, code({ methods: ['GET'] }), ALICE);
    await first.member.inForceEverywhere();
    expect(second.modules.registry.get(REPORT)).toMatchObject({
      state: 'active',
      methods: ['GET'],
      postedBy: 'alice',
      moduleVersion: { version: 1 },
    });
    expect(second.modules.source(REPORT)).toBe(code({ methods: ['GET'] }));
    await first.modules.postCode(REPORT, code({}, 'two'), BOB);
    await first.modules.rollback(REPORT, 1, BOB);
    await first.member.inForceEverywhere();
    expect(second.modules.source(REPORT)).toBe(code({ methods: ['GET'] }));
    expect(second.modules.registry.get(REPORT)).toMatchObject({ moduleVersion: { version: 3 } });
    expect(second.inspected).toEqual([]);
    expect((await first.audited()).map(([action]) => action)).toEqual([
      ...['endpoint.create', 'endpoint.replace', 'endpoint.rollback'],
    ]);
  });

  it('brings its policy, and leaves warm code alone where the policy is the same', async () => {
    const { first, second } = await openTwo();
    await first.modules.postCode(REPORT, code(), ALICE);
    await first.modules.putPolicy(REPORT, { limits: { cpuMs: 77 } }, ALICE);
    await first.member.inForceEverywhere();
    const version = () => second.modules.registry.get(REPORT)?.moduleVersion;
    const before = version();
    expect(before).toMatchObject({ policy: { limits: { cpuMs: 77 } } });
    second.retired.length = 0;
    await first.member.announce({ kind: 'module', target: KEY });
    await first.member.inForceEverywhere();
    expect(version()).toBe(before);
    expect(second.retired).toEqual([]);
  });

  it('does not run under a policy that cannot be read', async () => {
    const { first, second } = await openTwo();
    await first.modules.postCode(REPORT, code(), ALICE);
    await first.member.inForceEverywhere();
    // Whoever edits it by hand is told by the log of each process, and changes nothing by that.
    await first.write(POLICY, '{"limits":');
    await expect.poll(() => second.errors.length).toBeGreaterThan(0);
    expect([first.stateOf(), second.stateOf()]).toEqual(['active', 'active']);
    await first.member.announce({ kind: 'module', target: KEY });
    await first.member.inForceEverywhere();
    expect(second.stateOf()).toBe('broken');
    await first.modules.putPolicy(REPORT, {}, ALICE);
    await first.member.inForceEverywhere();
    expect(second.stateOf()).toBe('active');
  });

  it('stops what runs of it where it is suspended', async () => {
    const { first, second } = await openTwo();
    await first.modules.postCode(REPORT, code(), ALICE);
    await first.modules.suspend(REPORT, BOB);
    expect(second.modules.isSuspended(KEY)).toBe(true);
    expect(second.stopped).toEqual([KEY]);
    await first.modules.resume(REPORT, BOB);
    await first.member.inForceEverywhere();
    expect(second.stateOf()).toBe('active');
  });

  it('removes it, with its log and without a second record', async () => {
    const { first, second } = await openTwo();
    await first.modules.postCode(REPORT, code(), ALICE);
    await first.member.inForceEverywhere();
    const version = second.modules.registry.get(REPORT)?.moduleVersion;
    second.modules.log(version!, 'r1', { level: 'info', message: 'hello' });
    await first.modules.remove(REPORT, BOB);
    await first.member.inForceEverywhere();
    expect(second.modules.registry.list()).toEqual([]);
    await second.modules.postCode(REPORT, code({}, 'again'), ALICE);
    expect(second.modules.logs(REPORT, { limit: 10, after: 0 })).toEqual([]);
    await second.member.inForceEverywhere();
    expect(first.modules.source(REPORT)).toBe(code({}, 'again'));
    expect((await first.audited()).map(([action]) => action)).toEqual([
      ...['endpoint.create', 'endpoint.remove', 'endpoint.create'],
    ]);
  });

  it('that waits for a reviewer waits there too, until either process hears the decision', async () => {
    const { first, second } = await openTwo({ review: 'all' });
    await first.modules.postCode(REPORT, code(), ALICE);
    await first.member.inForceEverywhere();
    expect(second.stateOf()).toBe('pending');
    await second.modules.approve(REPORT, 1, BOB);
    await second.member.inForceEverywhere();
    expect(first.stateOf()).toBe('active');
    await first.modules.postCode(REPORT, code({}, 'two'), ALICE);
    await first.member.inForceEverywhere();
    await second.modules.reject(REPORT, 2, { actor: BOB, reason: 'no' });
    await second.member.inForceEverywhere();
    expect(first.modules.policy(REPORT)).not.toMatchObject({ code: { pending: [2] } });
    expect(first.modules.source(REPORT)).toBe(code());
  });

  it('is forgotten where it was removed before anybody knew of it', async () => {
    const { first, second } = await openTwo();
    second.connection.fail();
    await first.modules.postCode(REPORT, code(), ALICE);
    await first.modules.remove(REPORT, ALICE);
    second.connection.recover();
    await second.member.catchUp();
    expect(second.modules.registry.list()).toEqual([]);
    expect(await second.modules.postCode(REPORT, code(), ALICE)).toMatchObject({ created: true, version: 2 });
  });

  it('keeps a suspension that could not be stored yet', async () => {
    const { first, second } = await openTwo();
    await first.modules.postCode(REPORT, code(), ALICE);
    await first.member.inForceEverywhere();
    second.connection.fail('unavailable', ['commit']);
    await expect(second.modules.suspend(REPORT, BOB)).rejects.toMatchObject({ reason: 'unavailable' });
    const posting = first.modules.postCode(REPORT, code({}, 'two'), ALICE);
    second.connection.recover();
    await posting;
    await first.member.inForceEverywhere();
    expect(second.modules.registry.get(REPORT)).toMatchObject({
      state: 'suspended',
      moduleVersion: { version: 2 },
      suspension: { clientId: 'bob' },
    });
  });

  it('of which nobody knows what it was is looked for in all modules', async () => {
    const { first, second } = await openTwo();
    second.connection.fail();
    await first.modules.postCode(REPORT, code(), ALICE);
    await first.modules.postCode(endpoint('other'), code(), ALICE);
    second.connection.recover();
    await first.member.announce({ kind: 'process', target: 'f'.repeat(24) });
    await first.member.announce({ kind: 'module', target: 'endpoint:1.0/never-posted' });
    await first.member.announce({ kind: 'module', target: 'no key' });
    await first.member.inForceEverywhere();
    expect(second.modules.registry.list()).toMatchObject([
      { path: '/1.0/other', state: 'active' },
      { path: '/1.0/report', state: 'active' },
    ]);
  });
});

describe('a file that somebody changes by hand', () => {
  it('is the code of both processes, and recorded once', async () => {
    const { first, second } = await openTwo();
    await first.write(FILE, code({}, 'by hand'));
    await expect.poll(() => [first.stateOf(), second.stateOf()]).toEqual(['active', 'active']);
    await first.remove(FILE);
    await expect.poll(() => [first.stateOf(), second.stateOf()]).toEqual([undefined, undefined]);
    expect((await first.audited()).map(([action]) => action)).toEqual(['endpoint.create', 'endpoint.remove']);
  });

  it('and holds broken code runs in neither, after a start of the other too', async () => {
    const { first, second, database } = await openTwo();
    await second.close();
    await second.member.close();
    await first.close();
    await first.write(FILE, code({}, 'syntax'));
    const opened = await loadedModules({ store: database.store, root: first.root });
    expect(opened.modules.registry.get(REPORT)?.state).toBe('broken');
    const third = await loadedModules({ store: database.store, root: first.root });
    expect(third.modules.registry.get(REPORT)?.state).toBe('broken');
  });
});

describe('changes that come while modules are loaded', () => {
  it('are applied once those are loaded, each once, and at once from then on', async () => {
    const applied: (string | undefined)[] = [];
    const queue = createChangeQueue(async (target) => void applied.push(target));
    await queue.apply('before');
    queue.begin();
    for (const target of ['one', 'two', 'one', undefined]) await queue.apply(target);
    expect(applied).toEqual([]);
    await queue.open();
    expect(applied).toEqual(['one', 'two', undefined]);
    await queue.apply('later');
    expect(applied.at(-1)).toBe('later');
    queue.begin();
    await queue.apply('next');
    expect(applied).not.toContain('next');
  });

  it('that come while others are applied wait for none', async () => {
    const applied: (string | undefined)[] = [];
    const queue = createChangeQueue(async (target) => {
      applied.push(target);
      if (target === 'one') await queue.apply('meanwhile');
    });
    await queue.apply('one');
    await queue.open();
    expect(applied).toEqual(['one', 'meanwhile']);
  });
});
