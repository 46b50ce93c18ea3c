import { expect, it } from 'vitest';
import { createDisabledSandbox } from '../../src/sandbox-supervisor/disabled-sandbox.ts';
import type { InvocationRequest } from '../../src/sandbox-supervisor/model/sandbox.ts';

const sandbox = createDisabledSandbox();

it('the disabled sandbox rejects invocations and inspections with SANDBOX_DISABLED', async () => {
  expect(await sandbox.invoke({} as InvocationRequest)).toMatchObject({
    kind: 'failure',
    code: 'SANDBOX_DISABLED',
  });
  await expect(sandbox.inspect('module.exports.get = () => {}', 'endpoint')).rejects.toMatchObject({
    code: 'SANDBOX_DISABLED',
  });
});

it('the disabled sandbox has no hosts, no isolation layers, no self-test, and nothing to close', async () => {
  expect(sandbox.status()).toMatchObject({
    level: 0,
    layers: {},
    versions: null,
    hosts: { running: 0, max: 0 },
  });
  expect(await sandbox.selfTest()).toEqual({ state: 'not-run', items: [] });
  expect(sandbox.evict('endpoint:1.0/report')).toBeUndefined();
  await expect(sandbox.close()).resolves.toBeUndefined();
});
