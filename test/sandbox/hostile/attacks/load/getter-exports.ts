// Reading the metadata must not hang or lie.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'exports as a proxy and getters',
  source: `
module.exports = new Proxy({}, { get() { for (;;); }, has() { for (;;); }, ownKeys() { for (;;); } });
`,
  expect: { refused: ['ENDPOINT_INVALID'] },
};
