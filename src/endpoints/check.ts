// `cloister check` for posted code: every problem of its files, with their lines; nothing is brought into force.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Registry } from '../collections/registry.ts';
import { AppError, type ErrorItem } from '../errors.ts';
import { readJsonLines } from '../lib/json-lines.ts';
import { policyOriginProblem } from './capabilities/fetch/policy-origin.ts';
import { type Acceptance, type AcceptanceDeps, createAcceptance } from './modules/acceptance.ts';
import { keyOf } from './modules/address.ts';
import type { Ceilings } from './modules/ceilings.ts';
import { createModuleFiles, type ModuleFile, type ModuleFiles, type ModuleFolders } from './modules/files.ts';
import type { Metadata } from './modules/metadata.ts';
import { createPolicyReader, type Policy, type PolicyReader } from './modules/policy.ts';
import { parseRoute } from './modules/route-pattern.ts';
import { assertFreeName, assertFreeRoute, type Routed } from './modules/route-problems.ts';
import type { ModuleAddress } from './modules.ts';
import type { Sandbox } from './sandbox.ts';
import { inspectSyntax } from './syntax.ts';

interface ModuleProblem {
  /** Absolute path. */
  readonly file: string;
  /** From 1. */
  readonly line?: number;
  readonly message: string;
  readonly severity: 'error' | 'warning';
}

export interface ModuleCheckDeps {
  readonly folders: ModuleFolders;
  readonly sandbox: Pick<Sandbox, 'inspect'>;
  readonly undeclared: AcceptanceDeps['undeclared'];
  readonly ceilings: Ceilings;
  readonly limits: { readonly endpointCodeBytes: number; readonly jsonBytes: number };
}

export interface ModuleCheck {
  /** Names of the hooks that lie in files. */
  hookNames(): Promise<ReadonlySet<string>>;
  /** Looks at every file, beside the collections that are there. In the order of the paths. */
  check(collections: Pick<Registry, 'list'>): Promise<readonly ModuleProblem[]>;
}

interface Work {
  readonly files: ModuleFiles;
  readonly acceptance: Acceptance;
  readonly policies: PolicyReader;
  readonly collections: Pick<Registry, 'list'>;
  readonly problems: ModuleProblem[];
  /** Endpoints seen so far, with their paths. */
  readonly routed: Routed[];
}

function noteItem({ problems }: Work, file: string, item: ErrorItem, line?: number): void {
  const { field, message } = item;
  const text = field === undefined || field === '' ? message : `${field} ${message}`;
  problems.push({ file, ...(line !== undefined && { line }), message: text, severity: 'error' });
}

/** Notes what `look` throws: refusals, and code that ended the process that looked at it. */
async function noted<T>(
  work: Work,
  file: string,
  lineOf: (item: ErrorItem) => number | undefined,
  look: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    for (const item of error.items) noteItem(work, file, item, lineOf(item));
    return undefined;
  }
}

async function textOf(work: Work, { address, part, file }: ModuleFile): Promise<string | undefined> {
  const found = await work.files.read(address, part);
  if (found.state === 'text') return found.text;
  if (found.state === 'unreadable') noteItem(work, file, { message: `cannot be read: ${found.why}` });
  return undefined;
}

async function checkPolicy(work: Work, found: ModuleFile): Promise<Policy | undefined> {
  const text = await textOf(work, found);
  if (text === undefined) return undefined;
  const lines = readJsonLines(text);
  if (lines.syntaxError !== undefined) {
    const { line, message } = lines.syntaxError;
    noteItem(work, found.file, { message: `is not valid JSON: ${message}` }, line);
    return undefined;
  }
  const lineOf = ({ field = '' }: ErrorItem) => lines.lineOf(field.split('.'));
  return noted(work, found.file, lineOf, () => work.policies.read(JSON.parse(text)));
}

function assertPaths({ routed, collections }: Work, address: ModuleAddress, { route }: Metadata): void {
  if (address.kind === 'hook') return;
  assertFreeName(address, collections);
  const own = { address, route: route === null ? undefined : parseRoute(route, address.apiVersion) };
  assertFreeRoute(own, routed, collections);
  routed.push(own);
}

async function checkCode(work: Work, found: ModuleFile, policy: Policy | undefined): Promise<void> {
  const { address, file } = found;
  const text = await textOf(work, found);
  if (text === undefined) return;
  const { isolation } = (policy ?? work.policies.none).effective(keyOf(address), false);
  const accepted = await noted(
    work,
    file,
    ({ line }) => (typeof line === 'number' ? line : undefined),
    async () => {
      const looked = await work.acceptance.look(work.acceptance.text(text), address.kind, isolation);
      assertPaths(work, address, looked.metadata);
      return looked;
    },
  );
  for (const message of accepted?.warnings ?? []) work.problems.push({ file, message, severity: 'warning' });
}

async function entriesOf(folder: string) {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}

/** Files that are neither code nor a policy, by their names: most likely meant to be. */
async function strayFiles({ endpoints, hooks }: ModuleFolders, known: ReadonlySet<string>) {
  const folders = [hooks, endpoints];
  for (const entry of await entriesOf(endpoints)) {
    if (entry.isDirectory()) folders.push(join(endpoints, entry.name));
  }
  const listed = await Promise.all(
    folders.map(async (folder) =>
      (await entriesOf(folder)).flatMap((entry) => (entry.isFile() ? [join(folder, entry.name)] : [])),
    ),
  );
  return listed.flat().filter((file) => !known.has(file) && /\.(?:js|mjs|cjs|ts|json)$/.test(file));
}

const FORMS = '`endpoints/<version>/endpoint.<name>.js`, `hooks/<name>.js`, or `<the same>.policy.json`';

async function checkAll(work: Work, folders: ModuleFolders): Promise<readonly ModuleProblem[]> {
  const { problems } = work;
  const found = await work.files.list();
  const codes = found.filter(({ part }) => part === 'code');
  const policyFiles = new Map(found.filter(({ part }) => part === 'policy').map((one) => [one.file, one]));
  for (const code of codes) {
    const beside = policyFiles.get(work.files.fileOf(code.address, 'policy'));
    await checkCode(work, code, beside && (await checkPolicy(work, beside)));
    if (beside !== undefined) policyFiles.delete(beside.file);
  }
  for (const alone of policyFiles.values()) {
    await checkPolicy(work, alone);
    problems.push({ file: alone.file, message: 'there is no code beside this policy', severity: 'warning' });
  }
  for (const file of await strayFiles(folders, new Set(found.map((one) => one.file)))) {
    problems.push({ file, message: `is not read: its name is none of ${FORMS}`, severity: 'warning' });
  }
  return problems.sort((a, b) => (a.file < b.file ? -1 : Number(a.file > b.file)));
}

/** Code is looked at in the sandbox; where none can start, it is only compiled. */
function orSyntax({ inspect }: Pick<Sandbox, 'inspect'>, onFallback: () => void): Pick<Sandbox, 'inspect'> {
  return {
    async inspect(source, kind) {
      try {
        return await inspect(source, kind);
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'SANDBOX_DISABLED') throw error;
        onFallback();
        return inspectSyntax(source);
      }
    },
  };
}

/** Makes the check of the files in two folders, which need not exist. */
export function createModuleCheck({
  folders,
  ceilings,
  limits,
  undeclared,
  sandbox,
}: ModuleCheckDeps): ModuleCheck {
  const maxBytes = limits.endpointCodeBytes;
  const files = createModuleFiles({ folders, maxBytes });
  const { jsonBytes } = limits;
  const policies = createPolicyReader({ ceilings, jsonBytes, originProblem: policyOriginProblem });
  return {
    async hookNames() {
      const codes = (await files.list()).filter(({ part }) => part === 'code');
      return new Set(codes.flatMap(({ address }) => (address.kind === 'hook' ? address.name : [])));
    },
    async check(collections) {
      const fallback: ModuleProblem = {
        file: folders.endpoints,
        message: 'no process of the sandbox starts here: code was compiled, but neither evaluated nor routed',
        severity: 'warning',
      };
      const problems: ModuleProblem[] = [];
      const inspecting = orSyntax(sandbox, () => {
        if (!problems.includes(fallback)) problems.push(fallback);
      });
      const acceptance = createAcceptance({ sandbox: inspecting, undeclared, maxBytes });
      return checkAll({ files, acceptance, policies, collections, problems, routed: [] }, folders);
    },
  };
}
