import { describe, expect, it } from 'vitest';
import { createResultFrame } from '../../sandbox/result-frame.js';

function reportOf() {
  const frames: unknown[] = [];
  const lost: number[] = [];
  let pending = 0;
  const report = createResultFrame({
    writer: {
      add(text: string) {
        if (text === 'no room') throw new RangeError('Maximum call stack size exceeded');
        pending += text.length;
        return text.length;
      },
      cut(bytes: number) {
        pending = bytes;
      },
      pending: () => pending,
      flush(header: unknown) {
        frames.push({ ...structuredClone(header as object), pending });
        pending = 0;
      },
    },
    lost: (number: number) => lost.push(number),
  });
  return { report, frames, lost };
}

describe('the report of a host', () => {
  it('gathers until it is sent, and begins anew', () => {
    const { report, frames } = reportOf();
    expect(report.isEmpty()).toBe(true);
    report.event(1, 'end', 'ab', 'c');
    report.error(2, 'timeout', 'x'.repeat(1000));
    report.slice(3, 5, false);
    report.slice(2, 2, true);
    expect([report.isEmpty(), report.isolateGone()]).toEqual([false, true]);
    report.flush(7, false);
    report.flush(7, true, [3, 4], 4096);
    const rest = { t: 'results', moduleNumber: 7 };
    expect(frames).toEqual([
      {
        ...rest,
        events: [[1, 'end', 2, 1]],
        errors: [[2, 'timeout', 'x'.repeat(300)]],
        returned: [],
        idle: false,
        sliceMs: 3,
        cpuMs: 7,
        heapBytes: 0,
        disposed: true,
        pending: 3,
      },
      {
        ...rest,
        events: [],
        errors: [],
        returned: [3, 4],
        idle: true,
        sliceMs: 0,
        cpuMs: 0,
        heapBytes: 4096,
        disposed: false,
        pending: 0,
      },
    ]);
  });

  it('tells of all texts of an event or of none, wherever the stack ends', () => {
    const { report, frames } = reportOf();
    report.event(1, 'log', 'ab', '');
    expect(() => report.event(1, 'end', 'head', 'no room')).toThrow(RangeError);
    report.event(1, 'log', 'c', '');
    expect(() => report.event(1, 'end', 'head', 'no room')).toThrow(RangeError);
    report.flush(7, true);
    const [frame] = frames as [{ events: unknown; pending: number }];
    expect(frame).toMatchObject({
      events: [
        [1, 'log', 2, 0],
        [1, 'log', 1, 0],
      ],
      pending: 3,
    });
  });

  it('is large from a megabyte on', () => {
    const { report } = reportOf();
    report.event(1, 'end', '', 'x'.repeat(1_048_576));
    expect(report.isLarge()).toBe(false);
    report.event(1, 'log', 'x', '');
    expect(report.isLarge()).toBe(true);
  });

  it('gives up on a request that sends more than any limit allows', () => {
    const { report, lost } = reportOf();
    report.event(1, 'call', '', 'x'.repeat(19_000_000));
    expect(lost).toEqual([]);
    report.event(5, 'call', '', 'x'.repeat(2_000_000));
    expect(lost).toEqual([5]);
  });
});
