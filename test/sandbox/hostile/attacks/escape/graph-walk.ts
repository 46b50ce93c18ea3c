// Whatever is handed over, and whatever hangs on it, must belong to the guest.
import { type Attack, HELD, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'a walk over everything that can be reached',
  source: probe(`
const seen = new Set();
const queue = Object.values(HANDED);
while (queue.length > 0 && seen.size < 20000) {
  const value = queue.pop();
  if (value === null || (typeof value !== 'object' && typeof value !== 'function') || seen.has(value)) continue;
  seen.add(value);
  attempt('object ' + seen.size, () => (value === found || value === NAMES || value === seen ? false : outside(value)));
  attempt('prototype', () => { queue.push(Object.getPrototypeOf(value)); });
  for (const key of Reflect.ownKeys(value)) {
    attempt('key', () => {
      const property = Object.getOwnPropertyDescriptor(value, key);
      queue.push(property.value, property.get, property.set);
    });
  }
}
if (seen.size < 100) found.push('the walk saw only ' + seen.size);
`),
  expect: HELD,
};
