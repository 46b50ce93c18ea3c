// A counter in shared memory is a fine clock.
import { type Attack, HELD, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'shared memory by every road',
  source: probe(`
attempt('SharedArrayBuffer', () => typeof SharedArrayBuffer !== 'undefined');
attempt('Atomics', () => typeof Atomics !== 'undefined');
attempt('from clone', () => structuredClone(new Uint8Array(4)).buffer.constructor.name !== 'ArrayBuffer');
attempt('growable', () => 'growable' in new ArrayBuffer(1));
attempt('resize', () => typeof ArrayBuffer.prototype.resize === 'function' || typeof ArrayBuffer.prototype.transfer === 'function');
`),
  expect: HELD,
};
