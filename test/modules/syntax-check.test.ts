import { expect, it } from 'vitest';
import { inspectSyntax } from '../../src/modules/syntax-check.ts';

it('the syntax check accepts code that compiles without running it', async () => {
  const source = 'globalThis.ran = true; module.exports.get = (req, res) => { return res.end(); }; return;';
  expect(await inspectSyntax(source)).toMatchObject({ ok: true, methods: [], route: null });
  expect(globalThis).not.toHaveProperty('ran');
});

it.each([
  ['const a = 1;\nconst b = ;\n', 2],
  ['}', 1],
  ['\n\nimport fs from "node:fs"', 3],
  ['return 1;\n}); process.exit(1); (() => {', 2],
])('the syntax check reports the line where %j does not compile', async (source, line) => {
  expect(await inspectSyntax(source)).toMatchObject({ ok: false, code: 'ENDPOINT_SYNTAX', line });
});
