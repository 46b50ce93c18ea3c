// Every command that reads the configuration says what is wrong with it, and does nothing else.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../../src/cli/main.ts';
import { captureIo } from '../helpers/server-process/console.ts';
import { temporaryFolder } from '../helpers/temp/folders.ts';

test.each([
  ['backup', 'copy'],
  ['restore', 'copy'],
  ['media', 'copy', '--to', 's3'],
  ['audit', 'verify'],
  ['sandbox', 'audit'],
  ['export', '--file', 'all.jsonl'],
  ['import', '--file', 'all.jsonl'],
  ['clients', 'list'],
])('%s %s names the setting that is wrong', async (...words) => {
  const cwd = await temporaryFolder();
  mkdirSync(join(cwd, 'workspace'));
  writeFileSync(join(cwd, 'workspace/config.json'), '{"server":{"port":"many"}}');
  const io = captureIo(cwd, {});
  // 2 where the audit log cannot be checked.
  expect(await runCommand(words, io)).toBe(words[0] === 'audit' ? 2 : 1);
  expect(io.complained.join('\n')).toContain('server.port');
  expect(readdirSync(cwd)).toEqual(['workspace']);
});
