// ICU objects lie outside the heap and are not counted.
import { type Attack, BOMB, STARVED } from '../../attack.ts';

export const attack: Attack = {
  title: 'formatters kept alive',
  source: `
module.exports.get = function (req, res) {
  const all = [];
  for (;;) all.push(new Intl.DateTimeFormat('ar-EG-u-ca-islamic', { dateStyle: 'full' }), new Intl.NumberFormat('de', { style: 'currency', currency: 'EUR' }), new Intl.Collator('zh'));
};
`,
  policy: BOMB,
  expect: STARVED,
};
