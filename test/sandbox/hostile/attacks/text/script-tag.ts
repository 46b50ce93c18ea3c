// Code that is ever shown in a page or a template must stay text.
import type { Attack } from '../../attack.ts';

export const attack: Attack = {
  title: 'closing script tags and template ends',
  source: `
module.exports.get = function (req, res) { res.end('</script>'); };
`,
  expect: { status: 200, body: '</script>' },
};
