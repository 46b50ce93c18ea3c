// Each call is within its limit; together they are more than a host can send at once.
import type { Attack, AttackRequest } from '../../attack.ts';
import { HIDDEN, HIDE, LOOK, looking, SECRET } from '../../late/look.ts';

const TIMES = 4;

const CALLS = {
  model: "Model('books').find({ title: text })",
  'model-of-control-characters': "Model('books').find({ title: control })",
  fetch: "fetch('http://{{allowed}}/hello', { method: 'POST', body: text })",
  'model-and-log': "(console.log(control), Model('books').find({ title: text }))",
};

/** A request that looks, whose line others may have pushed out of the log. */
function lookingOnly(): AttackRequest {
  const { log: _, ...request } = looking();
  return request;
}

const attackOf = (name: string, call: string, look: () => AttackRequest): Attack => ({
  title: `thirty calls with arguments of 900 KB: ${name}`,
  source: `
${LOOK}
const text = 'x'.repeat(9e5);
const control = String.fromCharCode(1).repeat(1.5e5);
module.exports.get = async (req, res) => {
  if (req.query.do !== 'hide') return look(req, res);
  const all = [];
  for (let n = 0; n < 30; n += 1) {
    try { all.push(${call}.catch(() => {})); } catch {}
  }
  await Promise.all(all);
  res.end('hidden');
};
`,
  policy: {
    version: 1,
    limits: { logBytes: 1_000_000 },
    grants: {
      collections: [{ name: '1.0/library/books', actions: ['find'] }],
      fetch: [{ origin: 'http://{{allowed}}', methods: ['POST'] }],
    },
  },
  rounds: [...Array.from({ length: TIMES }, () => [[HIDE], [look()]]).flat(), [HIDE, look(), look()]],
  secret: SECRET,
  expect: HIDDEN,
});

export const attacks: Readonly<Record<string, Attack>> = Object.fromEntries(
  Object.entries(CALLS).map(([name, call]) => [
    name,
    attackOf(name, call, call.includes('console') ? lookingOnly : looking),
  ]),
);

const LARGEST: AttackRequest = { path: '?do=hide', expect: { status: 200 } };

/** Ninety-eight lines of characters that take six each in JSON, and the largest answer. */
export const attack: Attack = {
  title: 'the largest log and the largest answer of one request',
  source: `
${LOOK}
const line = String.fromCharCode(1).repeat(8192);
module.exports.get = (req, res) => {
  if (req.query.do !== 'hide') return look(req, res);
  for (let n = 0; n < 98; n += 1) console.log(line);
  res.end('x'.repeat(12e6));
};
`,
  policy: { version: 1, limits: { logBytes: 1_048_576, responseBytes: 12_582_912 } },
  rounds: Array.from({ length: TIMES }, () => [[LARGEST], [lookingOnly()]]).flat(),
  expect: { status: 200 },
};
