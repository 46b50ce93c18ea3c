// What a condition may ask for, and the words in which it is refused.
import { describe, expect, it } from 'vitest';
import { parseCondition } from '../../../src/delivery/routes/condition.ts';
import type { Json } from '../../../src/lib/json/json.ts';

const testsOf = (condition: Json) => parseCondition(condition, 0).tests;
const messages = (condition: Json) => parseCondition(condition, 2).issues.map(({ message }) => message);

describe('a condition', () => {
  it('keeps the order of its members, and takes a single value for a list of one', () => {
    expect(testsOf({ network: 'dsl', country: ['GB', 'us'], device: 'mobile' })).toMatchObject([
      { fact: 'network', key: 'network', wanted: ['dsl'] },
      { fact: 'country', key: 'country', wanted: ['gb', 'us'] },
      { fact: 'device', key: 'device', wanted: ['mobile'] },
    ]);
  });

  it('takes values without minding case, blanks around them and repetitions', () => {
    expect(testsOf({ device: [' Mobile ', 'MOBILE', 'tablet'], language: 'en_GB' })).toMatchObject([
      { wanted: ['mobile', 'tablet'] },
      { wanted: ['en-gb'] },
    ]);
  });

  it('may call the country its location', () => {
    expect(testsOf({ location: 'GB' })).toMatchObject([{ fact: 'country', key: 'location', wanted: ['gb'] }]);
  });

  it.each([
    [{ language: 'en' }, 1],
    [{ language: 'en', languageMinQuality: 0.5 }, 0.5],
    [{ languageMinQuality: 0, language: 'en' }, 0],
    [{ language: 'en', languagesMinQuality: 0.3 }, 0.3],
    [{ language: 'en', languageMinQuality: 0.3, languagesMinQuality: 0.3 }, 0.3],
  ])('%j asks for quality %d', (condition, minQuality) => {
    expect(testsOf(condition)).toMatchObject([{ minQuality }]);
  });

  it.each([undefined, null, {}])('may be %j, and then asks for nothing', (condition) => {
    expect(parseCondition(condition, 0)).toEqual({ tests: [], issues: [], broken: false });
  });

  it.each<[Json, string]>([
    ['mobile', 'condition must be an object'],
    [['mobile'], 'condition must be an object'],
    [0, 'condition must be an object'],
    [{ place: 'GB' }, 'unknown condition "place"'],
    [{ Device: 'mobile' }, 'unknown condition "Device": did you mean `device`?'],
    [JSON.parse('{"__proto__":"GB"}'), 'unknown condition "__proto__"'],
    [{ constructor: 'GB' }, 'unknown condition "constructor"'],
    [
      { device: 'toaster' },
      'device must be one of console, desktop, embedded, mobile, smarttv, tablet, wearable',
    ],
    [{ device: [] }, 'device must not be empty'],
    [{ device: 5 }, 'device must be a string or a list of strings'],
    [{ country: null }, 'country must be a string or a list of strings'],
    [{ country: ['GB', 44] }, 'country must be a string or a list of strings'],
    [{ country: [['GB']] }, 'country must be a string or a list of strings'],
    [{ country: ' ' }, 'country must have values of 1 to 100 characters'],
    [{ network: 'x'.repeat(101) }, 'network must have values of 1 to 100 characters'],
    [{ network: Array(501).fill('dsl') }, 'network must have 500 values at most'],
    [{ language: 'en;q=1' }, 'language must be language codes such as en or en-GB'],
    [{ language: 'en', languageMinQuality: '0.5' }, 'languageMinQuality must be a number from 0 to 1'],
    [{ language: 'en', languageMinQuality: 1.1 }, 'languageMinQuality must be a number from 0 to 1'],
    [{ language: 'en', languagesMinQuality: -0.1 }, 'languagesMinQuality must be a number from 0 to 1'],
    [
      { language: 'en', languageMinQuality: 0.1, languagesMinQuality: 1 },
      'languagesMinQuality is another name of languageMinQuality, which has another value',
    ],
    [{ country: 'GB', location: 'GB' }, 'location is another name of country, which is given too'],
    [{ languageMinQuality: 0.5 }, 'languageMinQuality does nothing without language'],
  ])('%j: %s', (condition, message) => {
    expect(messages(condition)).toEqual([`Branch 2: ${message}`]);
  });
});
