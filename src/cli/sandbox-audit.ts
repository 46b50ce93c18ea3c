// `cloister sandbox audit`: reports posted code, what it may do, and the self-test of the sandbox.

import { isJsonObject, type Json, type JsonObject } from '../lib/json/json.ts';
import type { ReportedModule, SandboxReport } from '../modules/sandbox-report.ts';
import type {
  CollectionGrant,
  FetchGrant,
  ModuleLimits,
} from '../sandbox-supervisor/model/module-version.ts';
import { firstSignal, type Io, loadOrReport, type SignalSource } from './io.ts';
import type { CommandFlags } from './usage/parse-arguments.ts';

interface OwnProcess extends SignalSource {
  exit(code: number): void;
}

/** Without a listener, Ctrl-C would end the process at once and leave the files of the self-test behind. */
function endWithSignals(ownProcess: OwnProcess): void {
  void firstSignal(ownProcess, (code) => ownProcess.exit(code)).then(() => ownProcess.exit(1));
}

function print(report: SandboxReport, asJson: boolean, io: Io): void {
  const lines = asJson ? [JSON.stringify(report, null, 2)] : formatSandboxReport(report);
  for (const line of lines) io.out(line);
}

/** Prints the report as text or JSON. Returns 1 if the configuration is invalid or the self-test failed, else 0. */
export async function sandboxAudit(
  flags: CommandFlags,
  io: Io,
  ownProcess: OwnProcess = process,
): Promise<number> {
  endWithSignals(ownProcess);
  const loaded = await loadOrReport(flags, io);
  if (loaded === undefined) return 1;
  const { loadSandboxReport: readAudit } = await import('../setup/cli-services.ts');
  const report = await readAudit(loaded.config, { cwd: io.cwd });
  print(report, flags.json === true, io);
  return report.selfTest.state === 'failed' ? 1 : 0;
}

const WIDTH = 80;
const LABEL = 15;
/** Control characters and marks that change the direction of text. */
const CONTROL_CHARACTERS = /[\p{Cc}\p{Cf}]/gu;

const moment = (iso: string) => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
const listed = (names: readonly string[]) => (names.length === 0 ? 'none' : names.join(', '));

/** A labelled text, wrapped between words. */
function entry(label: string, text: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.replace(CONTROL_CHARACTERS, '').split(' ')) {
    if (line !== '' && LABEL + line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  const all = [...lines, line];
  return all.map((one, index) => (index === 0 ? `  ${label}` : '').padEnd(LABEL) + one);
}

/** Several texts, the first one with the label. */
function entries(label: string, texts: readonly string[], none: string): string[] {
  const [first = none, ...others] = texts;
  return [...entry(label, first), ...others.flatMap((text) => entry('', text))];
}

const limitsText = (limits: ModuleLimits) =>
  Object.entries(limits)
    .map(([name, value]) => `${name} ${name === 'perMinute' && value === 0 ? 'unbounded' : value}`)
    .join(', ');

function collectionText({ name, actions, as, maxResults }: Partial<CollectionGrant>): string {
  const limit = maxResults === undefined ? '' : `, at most ${maxResults}`;
  return `${name}: ${listed(actions ?? [])}, as ${as ?? 'caller'}${limit}`;
}

function fetchText({ origin, methods, paths, headers }: Partial<FetchGrant>): string {
  const added = Object.entries(headers ?? {}).map(([name, value]) =>
    value.startsWith('secret:') ? `${name} (${value})` : name,
  );
  const adding = added.length === 0 ? '' : `, adding ${added.join(', ')}`;
  return `fetch ${origin}: ${listed(methods ?? ['GET'])} ${listed(paths ?? ['/'])}${adding}`;
}

const bcryptText = ({ maxRounds }: JsonObject) =>
  `hash passwords with bcrypt${maxRounds === undefined ? '' : `, at most ${String(maxRounds)} rounds`}`;

const objectsIn = (value: Json | undefined) => (Array.isArray(value) ? value.filter(isJsonObject) : []);

/** What a policy grants its module beyond its own response. */
function grantLines({ grants }: JsonObject): string[] {
  if (!isJsonObject(grants)) return [];
  const { request, response, collections, fetch, bcrypt } = grants;
  const headers = (label: string, value: Json | undefined) =>
    isJsonObject(value) && Array.isArray(value['headers'])
      ? [`${label} the headers ${listed(value['headers'].map(String))}`]
      : [];
  return [
    ...headers('read', request),
    ...headers('set', response),
    ...objectsIn(collections).map((grant) => collectionText(grant as Partial<CollectionGrant>)),
    ...objectsIn(fetch).map((grant) => fetchText(grant as Partial<FetchGrant>)),
    ...(isJsonObject(bcrypt) ? [bcryptText(bcrypt)] : []),
  ];
}

function postedText({ postedBy, postedAt, approvedBy, approvedAt }: ReportedModule): string {
  const by = postedBy === null ? 'a file laid by hand' : `posted by ${postedBy}`;
  const approved =
    approvedBy === null || approvedAt === null ? '' : `; approved by ${approvedBy}, ${moment(approvedAt)}`;
  return postedAt === null ? by : `${by}, ${moment(postedAt)}${approved}`;
}

const FILES: Readonly<Record<ReportedModule['file'], string>> = {
  same: '',
  different: 'its file holds other code, not in force',
  absent: 'its file is gone',
  unreadable: 'its file cannot be read',
};

function codeLines(module: ReportedModule): string[] {
  const { sha256, codeVersion, pending, file } = module;
  const notes = [
    // Without active code there is nothing to compare the file with.
    sha256 === null ? '' : FILES[file],
    pending.length === 0 ? '' : `waiting for a reviewer: version ${pending.join(', ')}`,
  ].filter((note) => note !== '');
  return [
    ...entry('code', sha256 === null ? 'none in force' : `version ${codeVersion}, SHA-256`),
    ...(sha256 === null ? [] : entry('', sha256)),
    ...entry('', postedText(module)),
    ...notes.flatMap((note) => entry('', note)),
  ];
}

const SUSPENDED_BY = { admin: 'an admin', breaker: 'the breaker', operator: 'the operator' } as const;

function moduleLines(module: ReportedModule): string[] {
  const { path, state, suspendedBy, quarantined, policy, effectiveLimits, lastViolations } = module;
  const { isolation = 'realm', trustDomain } = policy;
  const domain = typeof trustDomain === 'string' ? `, trust domain ${trustDomain}` : '';
  const apart = quarantined ? ', in a process of its own until it has new code' : '';
  const by = suspendedBy === null ? '' : ` (by ${SUSPENDED_BY[suspendedBy]})`;
  return [
    `${path}  ${state}${by}`.replace(CONTROL_CHARACTERS, ''),
    ...codeLines(module),
    ...entry('isolation', `${String(isolation)}${domain}${apart}`),
    ...entry('limits', limitsText(effectiveLimits)),
    ...entries('may', grantLines(policy), 'do nothing beyond its own answer'),
    ...entries(
      'violations',
      lastViolations.map((one) => `${moment(one.at)} ${one.kind}, ${one.limit}, version ${one.version}`),
      'none',
    ),
    '',
  ];
}

function selfTestText({ state, items }: SandboxReport['selfTest']): string {
  const open = items.filter(({ held }) => !held).map(({ attempt }) => attempt);
  if (items.length === 0) return state;
  return open.length === 0
    ? `${state}: all ${items.length} attempts to get out were held`
    : `${state}: ${open.length} of ${items.length} attempts to get out were not held: ${open.join('; ')}`;
}

function policyLimitLines({ limits, grants, egress }: SandboxReport['ceilings']): string[] {
  const { request, response, collections, fetch, bcrypt } = grants;
  return [
    'POLICY LIMITS',
    ...entry('limits', limitsText(limits)),
    ...entry('request', `headers ${listed(request.headers)}; body ${request.maxBodyBytes} bytes`),
    ...entry('response', `headers ${listed(response.headers)}`),
    ...entries('collections', collections.map(collectionText), 'none'),
    ...entries('fetch', fetch.map(fetchText), 'none'),
    ...entry('bcrypt', bcrypt.maxRounds === 0 ? 'none' : `at most ${bcrypt.maxRounds} rounds`),
    ...entry('private', `addresses within reach: ${listed(egress.allow)}`),
    '',
  ];
}

function section(title: string, modules: readonly ReportedModule[]): string[] {
  const suspended = modules.filter(({ state }) => state !== 'active').length;
  const count = suspended === 0 ? `${modules.length}` : `${modules.length}, ${suspended} of them not running`;
  return [`${title}: ${count}`, '', ...modules.flatMap(moduleLines)];
}

function levelText({ level, selfTest, versions }: SandboxReport): string {
  if (level > 0) return `${level} of 3`;
  if (versions === null) return '0: no process of the sandbox starts here';
  return selfTest.state === 'failed'
    ? '0: the self-test failed'
    : '0: an isolation layer of the first level is missing';
}

/** Formats the report line by line. */
export function formatSandboxReport(report: SandboxReport): readonly string[] {
  const { generatedAt, selfTest, jit, versions, ceilings, endpoints, hooks } = report;
  const built =
    versions === null
      ? 'unknown: no process of the sandbox starts here'
      : `Node ${versions.node}, V8 ${versions.v8}, isolated-vm ${versions.isolatedVm}`;
  return [
    `SANDBOX, ${moment(generatedAt)}`,
    ...entry('level', levelText(report)),
    ...entry('self-test', selfTestText(selfTest)),
    ...(jit === null ? [] : entry('with JIT', `level ${jit.level}; self-test ${selfTestText(jit.selfTest)}`)),
    ...entry('versions', built),
    '',
    ...policyLimitLines(ceilings),
    ...section('ENDPOINTS', endpoints),
    ...section('HOOKS', hooks),
  ];
}
