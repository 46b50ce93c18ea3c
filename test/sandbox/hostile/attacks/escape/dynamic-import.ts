// A dynamic import would load code that nobody has seen.
import { type Attack, HELD, probe } from '../../attack.ts';

export const attack: Attack = {
  title: 'import() of modules, files, data and node:',
  source: probe(`
for (const name of ['fs', 'node:fs', './x.js', 'file:///etc/passwd', 'data:text/javascript,export default 1', 'http://127.0.0.1/', '']) {
  try { const got = await import(name); found.push('import ' + name + Object.keys(got)); } catch (error) { attempt('error', () => outside(error)); }
}
`),
  expect: HELD,
};
