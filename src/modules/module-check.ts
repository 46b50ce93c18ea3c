// `cloister check` for posted code: reports every issue of its files with the line. Nothing is changed.
import { basename } from 'node:path';
import type { CollectionRegistry } from '../collections/model/collection.ts';
import { AppError, type ErrorItem } from '../errors/errors.ts';
import { parseLineNumbers } from '../lib/json/json-line-numbers.ts';
import { describeSyntaxError } from '../lib/json/json-syntax.ts';
import { quoteName } from '../lib/nearest-name.ts';
import type { Sandbox } from '../sandbox-supervisor/model/sandbox.ts';
import type { WorkspaceFiles } from '../stores/workspace-files.ts';
import {
  createModuleFiles,
  type ModuleFile,
  type ModuleFiles,
  type ModuleFolders,
} from './lifecycle/module-files.ts';
import { type ModuleAddress, moduleKey } from './model/module-types.ts';
import {
  assertNameAvailable,
  assertPathsAvailable,
  type EndpointPaths,
  parsePathPattern,
} from './model/path-patterns.ts';
import { bcryptNeeded, findNeededGrants, lacksBcrypt, missingGrants, policyOf } from './needed-grants.ts';
import { createPolicyParser, type Policy, type PolicyParser } from './policy/policy.ts';
import type { PolicyLimits } from './policy/policy-limits.ts';
import type { UnclearUse } from './source-text/named-grants.ts';
import {
  type CodeMetadata,
  type CodeValidator,
  type CodeValidatorDeps,
  createCodeValidator,
  inspectSyntax,
} from './versions/code-validation.ts';

interface ModuleIssue {
  /** Absolute path. */
  readonly file: string;
  /** From 1. */
  readonly line?: number;
  readonly message: string;
  readonly severity: 'error' | 'warning';
}

export interface ModuleCheckDeps {
  readonly workspace: WorkspaceFiles;
  readonly folders: ModuleFolders;
  readonly sandbox: Pick<Sandbox, 'inspect'>;
  readonly findUndeclared: CodeValidatorDeps['findUndeclared'];
  readonly policyLimits: PolicyLimits;
  readonly limits: { readonly endpointCodeBytes: number; readonly jsonBytes: number };
}

export interface ModuleCheck {
  /** Names of the hooks that have files. */
  hookNames(): Promise<ReadonlySet<string>>;
  /**
   * Checks every file, its paths against the collections, and its calls of `Model` against its policy. In the order of the paths.
   * `writePolicies`: where such a module has no policy, writes the one that grants what it names.
   */
  check(
    collections: Pick<CollectionRegistry, 'list'>,
    options?: { readonly writePolicies?: boolean },
  ): Promise<readonly ModuleIssue[]>;
}

interface CheckContext {
  readonly files: ModuleFiles;
  readonly acceptance: CodeValidator;
  readonly policies: PolicyParser;
  readonly collections: Pick<CollectionRegistry, 'list'>;
  readonly problems: ModuleIssue[];
  readonly writePolicies: boolean;
  /** Endpoints seen so far, with their paths. */
  readonly paths: EndpointPaths[];
}

function addIssue({ problems }: CheckContext, file: string, item: ErrorItem, line?: number): void {
  const { field, message } = item;
  const text = field === undefined || field === '' ? message : `${field} ${message}`;
  problems.push({ file, ...(line !== undefined && { line }), message: text, severity: 'error' });
}

/** Collects the issues of an AppError that `task` throws: invalid code, or code that crashed its inspection. */
async function collectIssues<T>(
  context: CheckContext,
  file: string,
  lineOf: (item: ErrorItem) => number | undefined,
  task: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await task();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    for (const item of error.items) addIssue(context, file, item, lineOf(item));
    return undefined;
  }
}

async function readText(
  context: CheckContext,
  { address, part, file }: ModuleFile,
): Promise<string | undefined> {
  const found = await context.files.read(address, part);
  if (found.state === 'text') return found.text;
  if (found.state === 'unreadable') addIssue(context, file, { message: `cannot be read: ${found.why}` });
  return undefined;
}

async function checkPolicy(context: CheckContext, found: ModuleFile): Promise<Policy | undefined> {
  const text = await readText(context, found);
  if (text === undefined) return undefined;
  const lines = parseLineNumbers(text);
  if (lines.syntaxError !== undefined) {
    const message = describeSyntaxError(lines.syntaxError, false);
    addIssue(context, found.file, { message }, lines.syntaxError.line);
    return undefined;
  }
  const lineOf = ({ field = '' }: ErrorItem) => lines.findNearest(field.split('.'));
  return collectIssues(context, found.file, lineOf, () => context.policies.parse(JSON.parse(text)));
}

function assertPaths(
  { paths, collections }: CheckContext,
  address: ModuleAddress,
  { route }: CodeMetadata,
): void {
  if (address.kind === 'hook') return;
  assertNameAvailable(address, collections);
  const endpoint = {
    address,
    pattern: route === null ? undefined : parsePathPattern(route, address.apiVersion),
  };
  assertPathsAvailable(endpoint, paths, collections);
  paths.push(endpoint);
}

async function checkCode(
  context: CheckContext,
  found: ModuleFile,
  policy: Policy | undefined,
): Promise<void> {
  const { address, file } = found;
  const text = await readText(context, found);
  if (text === undefined) return;
  const { isolation } = (policy ?? context.policies.empty).resolve(moduleKey(address), false);
  const accepted = await collectIssues(
    context,
    file,
    ({ line }) => (typeof line === 'number' ? line : undefined),
    async () => {
      const looked = await context.acceptance.inspect(
        context.acceptance.normalizeText(text),
        address.kind,
        isolation,
      );
      assertPaths(context, address, looked.metadata);
      return looked;
    },
  );
  for (const message of accepted?.warnings ?? [])
    context.problems.push({ file, message, severity: 'warning' });
  await checkGrants(context, found, { text, policy });
}

function unclearText({ why, name, isOwn }: UnclearUse): string {
  const shown = quoteName(name ?? '');
  if (why === 'computed') return 'the collection that `Model` is called for is computed';
  if (why === 'unread')
    return `what is done with ${isOwn ? 'the collection of the hook' : shown} cannot be read`;
  if (isOwn) return 'calls `Model` with the collection of the hook, and no collection has this hook';
  return `calls \`Model\` with ${shown}, which is the name of no collection, or of several`;
}

/** Code that calls `Model` without a grant fails at its first request, in the face of a client. */
async function checkGrants(
  context: CheckContext,
  { address, file }: ModuleFile,
  { text, policy }: { readonly text: string; readonly policy: Policy | undefined },
): Promise<void> {
  const warn = (message: string, line?: number) =>
    context.problems.push({ file, ...(line !== undefined && { line }), message, severity: 'warning' });
  const policyFile = basename(context.files.fileOf(address, 'policy'));
  const { grants } = (policy ?? context.policies.empty).resolve(moduleKey(address), false);
  const needed = findNeededGrants(text, address, context.collections.list());
  const isWritten = context.writePolicies && policy === undefined && needed?.collections.length;
  if (lacksBcrypt(text, grants) && !isWritten) warn(bcryptNeeded(policyFile));
  if (needed === undefined) return;
  const missing = missingGrants(needed, grants.collections);
  for (const use of grants.collections.length === 0 ? needed.unclear : [])
    warn(`${unclearText(use)}: grant it by hand in \`${policyFile}\``, use.line);
  if (policy === undefined && missing.length > 0 && context.writePolicies) {
    await context.files.write(address, 'policy', `${JSON.stringify(policyOf(needed, text), null, 2)}\n`);
    warn(`\`${policyFile}\` was written: it grants ${missing.join(', ')}`);
    return;
  }
  const namesNone = needed.collections.length === 0 && needed.unclear.length === 0;
  if (missing.length === 0 && !(policy === undefined && namesNone)) return;
  const what = missing.join(', ') || 'collections';
  const isOffered = policy === undefined && missing.length > 0;
  const remedy = isOffered ? '; `cloister check --write-policies` writes it' : '';
  warn(`calls \`Model\`, and needs a policy beside it, \`${policyFile}\`, that grants ${what}${remedy}`);
}

/** Files whose names are neither those of code nor of policies, but look as if they were meant to be. */
async function findStrayFiles(
  { workspace, folders: { endpoints, hooks } }: Pick<ModuleCheckDeps, 'workspace' | 'folders'>,
  known: ReadonlySet<string>,
) {
  const listed = [...(await workspace.listAll(hooks, 0)), ...(await workspace.listAll(endpoints, 1))];
  return listed.filter((file) => !known.has(file) && /\.(?:js|mjs|cjs|ts|json)$/.test(file));
}

const FILE_NAME_FORMS =
  '`endpoints/<version>/endpoint.<name>.js`, `hooks/<name>.js`, or `<the same>.policy.json`';

async function checkAll(
  context: CheckContext,
  places: Pick<ModuleCheckDeps, 'workspace' | 'folders'>,
): Promise<readonly ModuleIssue[]> {
  const { problems } = context;
  const found = await context.files.list();
  const codes = found.filter(({ part }) => part === 'code');
  const policyFiles = new Map(found.filter(({ part }) => part === 'policy').map((file) => [file.file, file]));
  for (const code of codes) {
    const beside = policyFiles.get(context.files.fileOf(code.address, 'policy'));
    await checkCode(context, code, beside && (await checkPolicy(context, beside)));
    if (beside !== undefined) policyFiles.delete(beside.file);
  }
  for (const alone of policyFiles.values()) {
    await checkPolicy(context, alone);
    problems.push({ file: alone.file, message: 'there is no code beside this policy', severity: 'warning' });
  }
  for (const file of await findStrayFiles(places, new Set(found.map((file) => file.file)))) {
    problems.push({
      file,
      message: `is not read: its name is none of ${FILE_NAME_FORMS}`,
      severity: 'warning',
    });
  }
  return problems.sort((a, b) => (a.file < b.file ? -1 : Number(a.file > b.file)));
}

/** Inspects code in the sandbox; where no host can start, code is only compiled. */
function withSyntaxFallback(
  { inspect }: Pick<Sandbox, 'inspect'>,
  onFallback: () => void,
): Pick<Sandbox, 'inspect'> {
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

/** Creates the check of the files in two folders, which need not exist. */
export function createModuleCheck({
  workspace,
  folders,
  policyLimits,
  limits,
  findUndeclared: undeclared,
  sandbox,
}: ModuleCheckDeps): ModuleCheck {
  const maxBytes = limits.endpointCodeBytes;
  const files = createModuleFiles({ workspace, folders, maxBytes });
  const { jsonBytes } = limits;
  const policies = createPolicyParser({
    policyLimits,
    jsonBytes,
  });
  return {
    async hookNames() {
      const codes = (await files.list()).filter(({ part }) => part === 'code');
      return new Set(codes.flatMap(({ address }) => (address.kind === 'hook' ? address.name : [])));
    },
    async check(collections, { writePolicies = false } = {}) {
      const fallback: ModuleIssue = {
        file: folders.endpoints,
        message: 'no process of the sandbox starts here: code was compiled, but neither evaluated nor routed',
        severity: 'warning',
      };
      const problems: ModuleIssue[] = [];
      const inspecting = withSyntaxFallback(sandbox, () => {
        if (!problems.includes(fallback)) problems.push(fallback);
      });
      const acceptance = createCodeValidator({ sandbox: inspecting, findUndeclared: undeclared, maxBytes });
      return checkAll(
        { files, acceptance, policies, collections, problems, writePolicies, paths: [] },
        { workspace, folders },
      );
    },
  };
}
