import { describe, expect, it } from 'vitest';
import { parseArguments } from '../../../src/cli/usage/parse-arguments.ts';

const parse = (line: string) => parseArguments(line === '' ? [] : line.split(' '));

describe('parseUsage', () => {
  it.each([
    ['start', { command: 'start', flags: {} }],
    [
      'start --port 1 --workspace w --config c',
      { command: 'start', flags: { port: '1', workspace: 'w', config: 'c' } },
    ],
    ['start --port=1', { command: 'start', flags: { port: '1' } }],
    ['check --data --repair', { command: 'check', flags: { data: true, repair: true } }],
    ['check --workspace w', { command: 'check', flags: { workspace: 'w' } }],
    [
      'clients add --id a --admin --secret s',
      { command: 'clients add', flags: { id: 'a', admin: true, secret: 's' } },
    ],
    ['clients add --id a --reviewer', { command: 'clients add', flags: { id: 'a', reviewer: true } }],
    ['clients set a --reviewer', { command: 'clients set', flags: { id: 'a', reviewer: true } }],
    ['clients set --id a --no-reviewer', { command: 'clients set', flags: { id: 'a', 'no-reviewer': true } }],
    [
      'clients add --id a --role r --role s --read-only',
      { command: 'clients add', flags: { id: 'a', role: ['r', 's'], 'read-only': true } },
    ],
    [
      'clients set a --role r --no-read-only --reviewer',
      { command: 'clients set', flags: { id: 'a', role: ['r'], 'no-read-only': true, reviewer: true } },
    ],
    ['clients set a --no-roles', { command: 'clients set', flags: { id: 'a', 'no-roles': true } }],
    ['clients add a --secret=-b', { command: 'clients add', flags: { id: 'a', secret: '-b' } }],
    ['clients remove a', { command: 'clients remove', flags: { id: 'a' } }],
    ['completion fish', { command: 'completion', flags: { shell: 'fish' } }],
    ['clients list', { command: 'clients list', flags: {} }],
    ['clients remove --id a', { command: 'clients remove', flags: { id: 'a' } }],
    ['export --file a', { command: 'export', flags: { file: 'a' } }],
    ['import --file -', { command: 'import', flags: { file: '-' } }],
    ['sandbox audit --json', { command: 'sandbox audit', flags: { json: true } }],
    ['endpoints suspend 1.0/a', { command: 'endpoints suspend', flags: { name: '1.0/a' } }],
    ['hooks resume --workspace w a', { command: 'hooks resume', flags: { workspace: 'w', name: 'a' } }],
    ['--help', { show: 'help', words: [] }],
    ['-h', { show: 'help', words: [] }],
    ['help', { show: 'help', words: [] }],
    ['start --help', { show: 'help', words: ['start'] }],
    ['start -h', { show: 'help', words: ['start'] }],
    ['help clients add', { show: 'help', words: ['clients', 'add'] }],
    ['clients --help', { show: 'help', words: ['clients'] }],
    ['--version', { show: 'version' }],
    ['-v', { show: 'version' }],
    ['version', { show: 'version' }],
  ])('%s', (line, usage) => {
    expect(parse(line)).toEqual(usage);
  });

  it.each([
    ['', 'no command given'],
    ['strat', 'unknown command: strat'],
    ['constructor', 'unknown command: constructor'],
    ['clients', 'clients needs one of add, set, list, remove'],
    [
      'clients set a',
      'clients set: needs one of --role, --no-roles, --read-only, --no-read-only, --reviewer, --no-reviewer',
    ],
    [
      'clients set a --reviewer --no-reviewer',
      'clients set: --reviewer and --no-reviewer exclude each other',
    ],
    ['clients set a --role r --no-roles', 'clients set: --role and --no-roles exclude each other'],
    [
      'clients set a --read-only --no-read-only',
      'clients set: --read-only and --no-read-only exclude each other',
    ],
    ['clients add --id a --admin --read-only', 'clients add: --admin and --read-only exclude each other'],
    ['clients add --id a --no-roles', "clients add: Unknown option '--no-roles'"],
    ['clients set a b --reviewer', "clients set: Unexpected argument 'b'"],
    ['sandbox', 'sandbox needs the word audit'],
    ['media', 'media needs the word copy'],
    ['audit', 'audit needs the word verify'],
    ['media copy', 'media copy: --to is missing: s3 or disk'],
    ['media copy --to ftp', 'media copy: --to takes s3 or disk'],
    ['endpoints', 'endpoints needs one of suspend, resume'],
    ['endpoints suspend', 'endpoints suspend: VERSION/NAME is missing'],
    ['check --repair', 'check: --repair needs --data'],
    ['check --json', "check: Unknown option '--json'"],
    ['clients drop', 'unknown command: clients drop'],
    ['start now', "start: Unexpected argument 'now'"],
    ['start --port', "start: Option '--port <value>' argument missing"],
    ['start --prot 1', "start: Unknown option '--prot'"],
    ['export site.jsonl', "export: Unexpected argument 'site.jsonl'"],
    ['start --only routes', 'start: --only takes content or delivery'],
    ['check --delivery-port 1', "check: Unknown option '--delivery-port'"],
    ['check --port 1', "check: Unknown option '--port'"],
    ['start --port 1 now', "start: Unexpected argument 'now'"],
    ['clients add', 'clients add: ID is missing'],
    ['clients add --id=', 'clients add: ID is missing'],
    ['clients add a --id b', "clients add: Unexpected argument 'a'"],
    ['clients add a --secret -b', 'clients add: write --secret=VALUE for a value that begins with -'],
    ['completion', 'completion: SHELL is missing: bash or zsh or fish'],
    ['completion tcsh', 'completion: takes bash or zsh or fish'],
    ['completion bash --workspace w', "completion: Unknown option '--workspace'"],
    ['export', 'export: --file is missing'],
    ['clients list --id a', "clients list: Unknown option '--id'"],
  ])('%j is a error', (line, error) => {
    expect(parse(line)).toEqual({ error });
  });
});
