// Memory of a gigabyte in one call, code that the interpreter does not bound, compilation in threads.
import { type Attack, HELD, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'WebAssembly',
  source: probe(`
attempt('global', () => typeof WebAssembly !== 'undefined');
attempt('memory', () => new WebAssembly.Memory({ initial: 16000 }).buffer.byteLength);
attempt('compile', () => new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])));
attempt('tag', () => WebAssembly.JSTag);
`),
  expect: HELD,
};
