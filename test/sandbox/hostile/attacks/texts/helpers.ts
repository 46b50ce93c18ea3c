// Texts that helpers of the host take apart or put together: neither their time nor their memory is without a limit.
import type { Attack } from '../../attack.ts';
import { HIDDEN, HIDE, LOOK, looking, SECRET } from '../../late/look.ts';

/** One more than suspend a module. */
const ROUNDS = 4;

const WORK = {
  'many-pairs': "new URLSearchParams('&a'.repeat(1e6))",
  'fewer-pairs': "new URLSearchParams('&a'.repeat(3e5))",
  'many-names':
    "let text = ''; for (let n = 0; n < 3e5; n += 1) text += '&n' + n + '='; new URLSearchParams(text)",
  'empty-pairs': "new URLSearchParams('&'.repeat(3e7))",
  'a-long-value': "new URLSearchParams('a=' + '%41'.repeat(1e7)).get('a')",
  'pairs-again-and-again': "for (;;) new URLSearchParams('&a'.repeat(9999))",
  'written-again-and-again':
    "const all = new URLSearchParams('&a'.repeat(9999)); for (;;) { all.append('b', 'c'); all.delete('b'); String(all); }",
  'a-long-text': "const all = new URLSearchParams(); all.append('a', '%'.repeat(1.6e7)); String(all)",
  'urls-again-and-again': "for (;;) new URL('http://a/?' + '&a'.repeat(30000)).searchParams.get('a')",
  'urls-set-again-and-again': "const url = new URL('http://a/'); for (;;) url.search = '&a'.repeat(30000)",
  'long-hosts': "for (;;) { try { new URL('http://' + 'é.'.repeat(30000)); } catch {} }",
  'long-text': "btoa('x'.repeat(3e7))",
  'encoded-text': "new TextEncoder().encode('é'.repeat(1.5e7))",
  'decoded-text': 'for (;;) new TextDecoder().decode(new Uint8Array(1e6).fill(65))',
} as const;

const attackOf = (name: string, work: string): Attack => ({
  title: `work for the helpers of the host: ${name}`,
  source: `
${LOOK}
module.exports.get = (req, res) => {
  if (req.query.do !== 'hide') return look(req, res);
  try { ${work} } catch {}
  res.end('hidden');
};
`,
  policy: { version: 1, limits: { cpuMs: 500 } },
  rounds: [
    [looking()],
    ...Array.from({ length: ROUNDS }, () => [HIDE, looking(), looking()]),
    [looking({ keys: true })],
  ],
  secret: SECRET,
  expect: HIDDEN,
});

export const attacks: Readonly<Record<string, Attack>> = Object.fromEntries(
  Object.entries(WORK).map(([name, work]) => [name, attackOf(name, work)]),
);
