import { describe, expect, it } from 'vitest';
import { GuestBridge } from '../../sandbox/guest-bridge.js';

function bridgeOf() {
  const events: unknown[][] = [];
  const bridge = new GuestBridge((...event) => events.push(event));
  bridge.beginSlice(1);
  bridge.beginCall(1_000);
  return { bridge, events };
}

describe('what guest code sends', () => {
  it('is of the request whose time slice it is, and of no other', () => {
    const { bridge, events } = bridgeOf();
    bridge.receive(2, 'end', 'forged', '');
    bridge.receive(1, 'end', 'own', '');
    bridge.receive(1, 'end', 'again', '');
    bridge.receive(1, 'log', 'late', '');
    bridge.beginSlice(0);
    bridge.receive(1, 'log', 'dead', '');
    expect(events.map(([number, kind, head]) => `${number} ${kind} ${head}`)).toEqual([
      '1 end own',
      '1 log late',
    ]);
  });

  it('has calls of 2 MiB in one time slice: a larger one is told so, and is not sent', () => {
    const { bridge, events } = bridgeOf();
    const call = (characters: number) => bridge.receive(1, 'call', '{}', 'x'.repeat(characters));
    expect([call(1_048_576), call(1_048_576), call(1), call(0)]).toEqual([
      undefined,
      undefined,
      0,
      undefined,
    ]);
    expect(events).toHaveLength(3);
    bridge.beginSlice(1);
    expect(call(1_048_576)).toBeUndefined();
  });

  it('asks pure functions until their time is used up', () => {
    const { bridge } = bridgeOf();
    expect(bridge.receive(1, 'btoa', '', 'a')).toBe('=YQ==');
    bridge.beginCall(4);
    bridge.receive(1, 'digest', 'SHA-512', 'a'.repeat(4_000_000));
    expect(bridge.receive(1, 'btoa', '', 'a')).toBeUndefined();
    bridge.beginCall(1_000);
    expect(bridge.receive(1, 'btoa', '', 'a')).toBe('=YQ==');
  });
});
