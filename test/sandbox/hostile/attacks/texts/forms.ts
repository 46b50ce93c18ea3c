// A form is taken apart before the code sees it, and so is a query: that costs the caller, not the module.
import type { Attack, AttackRequest, Ending } from '../../attack.ts';
import { LOOK, looking, lookingAll } from '../../late/look.ts';

/** One more than suspend a module. */
const ROUNDS = 4;
const REJECTED: Ending = { codes: ['PAYLOAD_TOO_LARGE', 'BAD_REQUEST', 'ENDPOINT_ERROR'], orBytes: 100 };

const names = (count: number) => Array.from({ length: count }, (_, n) => `n${n}=`).join('&');

const form = (body: string): AttackRequest => ({
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body,
  expect: REJECTED,
});

const REQUESTS: Readonly<Record<string, AttackRequest>> = {
  'many-names': form(names(500_000)),
  'fewer-names': form(names(100_000)),
  'as-many-names-as-are-allowed': form(names(10_000)),
  'the-same-name': form('&a'.repeat(300_000)),
  'empty-pairs': form('&'.repeat(4_000_000)),
  'percent-signs': form(`a=${'%41'.repeat(1_000_000)}`),
  'plus-signs': form(`a=${'+'.repeat(1_040_000)}`),
  'broken-escapes': form(`a=${'+%4'.repeat(349_000)}`),
  'broken-escapes-of-letters': form(`a=${'%u%4é'.repeat(170_000)}`),
  'letters-of-two-bytes': form(`a=${'é'.repeat(2_000_000)}`),
  query: { path: `?${'&a'.repeat(7000)}&do=query`, expect: REJECTED },
};

const attackOf = (name: string, request: AttackRequest, heapMb: number): Attack => ({
  title: `texts of pairs from callers, for a heap of ${heapMb} MB: ${name}`,
  source: `
${LOOK}
module.exports.get = (req, res) => { if (req.query.do === 'query') res.end('got'); else look(req, res); };
module.exports.post = (req, res) => res.end('got ' + Object.keys(req.body).length);
`,
  policy: { version: 1, limits: { heapMb } },
  rounds: [
    [looking()],
    ...Array.from({ length: ROUNDS }, () => [request, request, looking(), looking()]),
    lookingAll(4, { keys: true }),
  ],
  expect: REJECTED,
});

/** A larger heap lets larger texts in; the process around it has the same. */
export const attacks: Readonly<Record<string, Attack>> = Object.fromEntries(
  Object.entries(REQUESTS).flatMap(([name, request]) => [
    [name, attackOf(name, request, 64)],
    [`${name}-large-heap`, attackOf(name, request, 256)],
  ]),
);
