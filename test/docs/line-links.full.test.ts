// Links to lines: numbered by the name that a line declares.
import { expect, it } from 'vitest';
import { declarationLine, withLines } from '../../scripts/docs/line-links.ts';

const SOURCE = `// uses run and #turn
const text = 'function run';
export async function run(a) {
  return enter(a);
}
class Guest {
  #turn(place) {}
  static count = 1;
}
const kept = {
  enter: (ms) => run(ms),
};
`;

it.each([
  ['run', 3],
  ['Guest', 6],
  ['#turn', 7],
  ['count', 8],
  ['kept', 10],
  ['enter', 11],
])('%s is declared on line %d', (name, line) => {
  expect(declarationLine(SOURCE, name)).toBe(line);
});

it('a link to a declaration gets its line, and a wrong one is corrected', () => {
  const read = (path: string) => (path === 'sandbox/host.js' ? SOURCE : '');
  const page = 'See [`host.js` `run`](host.js) and [`host.js:99` `kept`](host.js#L99), [that](host.js).';
  expect(withLines('sandbox/README.md', page, read)).toBe(
    'See [`host.js:3` `run`](host.js#L3) and [`host.js:10` `kept`](host.js#L10), [that](host.js).',
  );
});

it('a link to a name that the file does not declare is refused', () => {
  expect(() => withLines('SECURITY.md', '[`a.js` `gone`](a.js)', () => SOURCE)).toThrow(
    'SECURITY.md: a.js declares no gone',
  );
});
