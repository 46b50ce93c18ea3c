import { describe, expect, it } from 'vitest';
import type { HookCall } from '../../sandbox/protocol.ts';
import type { HookTask } from '../../src/collections/hooks/document-hooks.ts';
import { createHookCallEncoder } from '../../src/hooks/run-hook.ts';
import { createModuleVersion } from '../modules/module-versions.ts';
import { taskOf } from './fake-sandbox.ts';

const unit = createModuleVersion('hook:slugify');
const use = { name: 'slugify', options: undefined };
const call = createHookCallEncoder((_unit, { method, url, body, requestId, client }, params) =>
  JSON.stringify({ method, url, body, requestId, sentBy: client?.clientId, params }),
);
const headOf = (task: HookTask, options = use.options): HookCall =>
  JSON.parse(call(unit, { ...use, options }, task));

describe('the encoded call of a hook', () => {
  it('names the event, the collection, its fields and the request', () => {
    expect(headOf(taskOf(null))).toEqual({
      type: 'beforeCreate',
      data: {
        collection: 'books',
        schema: { title: {} },
        req: {
          method: 'POST',
          url: '/1.0/library/books?x=1',
          body: { type: 'none', text: '' },
          requestId: 'r1',
          sentBy: 'boss',
          params: {},
        },
      },
    });
  });

  it('contains the options of the specification', () => {
    const options = { from: 'title', '"': 1 };
    expect(JSON.parse(call(unit, { name: 'slugify', options }, taskOf(null))).data.options).toEqual(options);
  });

  it.each([
    ['beforeUpdate', 'updatedDocs'],
    ['afterUpdate', 'updatedDocs'],
    ['beforeDelete', 'deletedDocs'],
    ['afterDelete', 'deletedDocs'],
  ] as const)('%s hears of %s', (event, name) => {
    const { data } = headOf(taskOf(null, { event, documents: ['{"a":1}', '{"b":2}'] }));
    expect(data[name]).toEqual([{ a: 1 }, { b: 2 }]);
  });

  it('lists the documents before the write where they are not those of the hook', () => {
    const task = taskOf(null, {
      event: 'afterUpdate',
      documents: ['{"a":2}'],
      previousDocuments: ['{"a":1}'],
    });
    expect(headOf(task).data).toMatchObject({ updatedDocs: [{ a: 2 }], previousDocs: [{ a: 1 }] });
    const before = headOf(taskOf(null, { event: 'beforeUpdate', documents: ['{"a":1}'] }));
    expect(Object.keys(before.data)).not.toContain('previousDocs');
  });

  it('lists no documents for events other than updates and deletes', () => {
    const { data } = headOf(taskOf(null, { event: 'afterCreate', documents: ['{"a":1}'] }));
    expect(Object.keys(data).sort()).toEqual(['collection', 'req', 'schema']);
  });

  it('has no request for writes of posted code and of the server', () => {
    const { context } = taskOf(null);
    const { caller, deadline } = context;
    expect(headOf(taskOf(null, { context: { caller, deadline } })).data['req']).toBeNull();
    const origin = { requestId: 'r', client: null };
    expect(headOf(taskOf(null, { context: { caller, deadline, origin } })).data['req']).toBeNull();
  });
});
