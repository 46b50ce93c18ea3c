// `Temporal.Now` in steps of a millisecond, as `Date` has them: a finer clock tells one author what another one's code does.
(function clock(kit) {
  'use strict';
  const { Date, ObjectDefineProperty, SymbolToStringTag, Temporal } = kit.p;
  if (Temporal === undefined) return;
  const { Instant, Now } = Temporal;
  const { timeZoneId } = Now;
  const now = Date.now;
  const fromMilliseconds = Instant.fromEpochMilliseconds.bind(Instant);
  const toZoned = kit.p.uncurry(Instant.prototype.toZonedDateTimeISO);
  const { ZonedDateTime } = Temporal;
  const toPlainDateTime = kit.p.uncurry(ZonedDateTime.prototype.toPlainDateTime);
  const toPlainDate = kit.p.uncurry(ZonedDateTime.prototype.toPlainDate);
  const toPlainTime = kit.p.uncurry(ZonedDateTime.prototype.toPlainTime);

  const instant = () => fromMilliseconds(now());
  const zoned = (zone) => toZoned(instant(), zone === undefined ? timeZoneId() : zone);
  const coarse = {
    timeZoneId: () => timeZoneId(),
    instant,
    zonedDateTimeISO: (zone) => zoned(zone),
    plainDateTimeISO: (zone) => toPlainDateTime(zoned(zone)),
    plainDateISO: (zone) => toPlainDate(zoned(zone)),
    plainTimeISO: (zone) => toPlainTime(zoned(zone)),
  };
  ObjectDefineProperty(coarse, SymbolToStringTag, {
    __proto__: null,
    value: 'Temporal.Now',
    configurable: true,
  });
  kit.alias(Temporal, 'Now', coarse);
});
