import { describe, expect, it } from 'vitest';
import { MODES, useLab } from '../lab/use-lab.ts';

const { value } = useLab();

describe('Temporal.Now', () => {
  it.each(MODES)('has no steps finer than a millisecond (%s)', async (isolation) => {
    const finer = await value(
      `Array.from({ length: 500 }, () => Temporal.Now.instant().epochNanoseconds % 1_000_000n).filter((rest) => rest !== 0n).length`,
      { isolation },
    );
    expect(finer).toBe(0);
  });

  it('tells the time in every form', async () => {
    const [instant, date, time, both, zoned, zone, tag] = (await value(`[
      Temporal.Now.instant(), Temporal.Now.plainDateISO(), Temporal.Now.plainTimeISO('UTC'), Temporal.Now.plainDateTimeISO(),
      Temporal.Now.zonedDateTimeISO('Europe/Paris'), Temporal.Now.timeZoneId(), Object.prototype.toString.call(Temporal.Now),
    ]`)) as string[];
    expect(Math.abs(Date.parse(instant!) - Date.now())).toBeLessThan(60_000);
    expect(date).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(time).toMatch(/^\d\d:\d\d:\d\d/);
    expect(both).toMatch(/^\d{4}-\d\d-\d\dT/);
    expect(zoned).toContain('[Europe/Paris]');
    expect([typeof zone, tag]).toEqual(['string', '[object Temporal.Now]']);
  });
});
