// Every command of the command line with its flags: the source of parsing, help, completions and the page of docs/.

export interface FlagSpec {
  /** What help calls the value; absent for a switch. */
  readonly value?: string;
  /** True if it may be given several times; its value is a list. */
  readonly repeated?: boolean;
  /** The values that it takes, where there are few. */
  readonly choices?: readonly string[];
  /** Completions offer the names of files or folders. */
  readonly completes?: 'file' | 'folder';
  readonly text: string;
}

export const FLAGS = {
  config: {
    value: 'FILE',
    completes: 'file',
    text: 'configuration file (default: config.json in the workspace)',
  },
  workspace: { value: 'DIR', completes: 'folder', text: 'workspace folder (default: workspace)' },
  port: { value: 'N', text: 'port of the content API' },
  'delivery-port': { value: 'N', text: 'port of the delivery component' },
  only: { value: 'NAME', choices: ['content', 'delivery'], text: 'open one of the two listeners' },
  data: { text: 'check that indexes and documents agree, with or without a running server' },
  repair: { text: 'build broken indexes again (with --data)' },
  'write-policies': { text: 'write the policy of each endpoint and hook that calls Model and has none' },
  id: { value: 'ID', text: 'another way to give the ID' },
  admin: { text: 'may do everything that HTTP offers' },
  reviewer: { text: 'may approve what others post' },
  'no-reviewer': { text: 'may not approve any more' },
  role: { value: 'ROLE', repeated: true, text: 'a role that rules of collections name; may be repeated' },
  'no-roles': { text: 'takes all roles away' },
  'read-only': { text: 'may only read' },
  'no-read-only': { text: 'may write again' },
  secret: { value: 'SECRET', text: 'its secret (default: a random one, shown once)' },
  file: { value: 'FILE', completes: 'file', text: 'the file; - is the standard stream' },
  out: { value: 'PATH', completes: 'file', text: 'where it is written' },
  env: { value: 'NAME', text: 'the environment whose configuration is carried over (default: development)' },
  from: {
    value: 'SOURCE',
    completes: 'file',
    text: 'what an older API stored: a mongodb:// address with its database, a file of its filestore, or their folder',
  },
  clients: { text: 'import its clients too, with their secrets (with --from)' },
  'client-collection': {
    value: 'NAME',
    text: 'where the older API has its clients (default: clientStore; with --from)',
  },
  to: { value: 'STORE', choices: ['s3', 'disk'], text: 'where the files are copied to' },
  after: { value: 'N', text: 'begin after entry N, which is trusted' },
  json: { text: 'print the report as JSON' },
  overwrite: {
    text: 'take folders that are not empty: restore puts aside what they hold, pull writes over it',
  },
  prune: { text: 'remove what only the written side has' },
  'dry-run': { text: 'check, and say what would be done; write nothing' },
} as const satisfies Readonly<Record<string, FlagSpec>>;

export type FlagName = keyof typeof FLAGS;
/** What a command is about, behind its words. */
export type OperandName = 'id' | 'name' | 'folder' | 'path' | 'shell';

export interface CommandSpec {
  /** One line for the list of commands. */
  readonly summary: string;
  /** Sentences that the help of the command adds. */
  readonly detail?: string;
  readonly operand?: {
    /** The member of the parsed flags that gets it. */
    readonly key: OperandName;
    readonly label: string;
    readonly choices?: readonly string[];
    readonly completes?: 'file' | 'folder';
  };
  /** Flags of its own. */
  readonly flags?: readonly FlagName[];
  readonly required?: readonly FlagName[];
  /** Of these it needs at least one. */
  readonly needsOneOf?: readonly FlagName[];
  /** Pairs that exclude each other. */
  readonly exclusive?: readonly (readonly [FlagName, FlagName])[];
  /** True if it reads no configuration, and has none of the flags for it. */
  readonly unconfigured?: boolean;
}

const CLIENT = { key: 'id', label: 'ID' } as const;
const ENDPOINT = { key: 'name', label: 'VERSION/NAME' } as const;
const HOOK = { key: 'name', label: 'NAME' } as const;

/** Flags of `clients set`, each with its opposite. */
const CLIENT_CHANGES = [
  ['role', 'no-roles'],
  ['read-only', 'no-read-only'],
  ['reviewer', 'no-reviewer'],
] as const satisfies readonly (readonly [FlagName, FlagName])[];

export const COMMANDS = {
  init: {
    summary: 'write a new site: the example workspace, package.json, .gitignore',
    detail: 'Overwrites nothing: where one of these is there already, it names it and writes none.',
    operand: { key: 'folder', label: 'DIR', completes: 'folder' },
    unconfigured: true,
  },
  start: { summary: 'serve the workspace', flags: ['port', 'delivery-port', 'only'] },
  check: {
    summary: 'check configuration and workspace, or the data, without starting',
    detail:
      'Names file and line of every problem of the configuration, specifications, endpoints, hooks, policies, routes and recipes. Exits with 1 where there is one.',
    flags: ['data', 'repair', 'write-policies'],
    exclusive: [['data', 'write-policies']],
  },
  status: {
    summary: 'which servers run on the database, since when, and what each has in force',
    detail:
      'With or without a running server; waits some seconds for signs of life. Exits with 1 where none runs, or one is silent or has ended without stopping.',
    flags: ['json'],
  },
  openapi: {
    summary: 'write the API description, as an admin gets it, without starting',
    detail:
      'To the standard output, or into the file. A broken file of the workspace is logged and left out, as at a start.',
    flags: ['file'],
  },
  'clients add': {
    summary: 'add a client; its secret is shown once',
    operand: CLIENT,
    flags: ['admin', 'reviewer', 'role', 'read-only', 'secret', 'id'],
    exclusive: [['admin', 'read-only']],
  },
  'clients set': {
    summary: 'change the roles and rights of a client',
    detail: 'The roles that are given replace those that it has.',
    operand: CLIENT,
    flags: [...CLIENT_CHANGES.flat(), 'id'],
    needsOneOf: CLIENT_CHANGES.flat(),
    exclusive: CLIENT_CHANGES,
  },
  'clients list': { summary: 'list clients with their rights' },
  'clients remove': {
    summary: 'remove a client; its tokens end with it',
    operand: CLIENT,
    flags: ['id'],
  },
  'endpoints suspend': {
    summary: 'end all that runs of an endpoint, until it is resumed',
    detail: 'With or without a running server. It stays suspended, whoever posts it, until it is resumed.',
    operand: ENDPOINT,
  },
  'endpoints resume': { summary: 'let an endpoint run again, whoever suspended it', operand: ENDPOINT },
  'hooks suspend': { summary: 'end all that runs of a hook, until it is resumed', operand: HOOK },
  'hooks resume': { summary: 'let a hook run again, whoever suspended it', operand: HOOK },
  export: {
    summary: 'write every document, with ids and revisions, as lines of JSON',
    flags: ['file'],
    required: ['file'],
  },
  import: {
    summary: 'bring documents of an export or an older API into the configured database; may be repeated',
    detail:
      'Exactly one of --file and --from. What --from names is only read; docs/transfer.md says what becomes of it. Exits with 1 where a document could not be imported.',
    flags: ['file', 'from', 'clients', 'client-collection'],
    needsOneOf: ['file', 'from'],
    exclusive: [
      ['file', 'from'],
      ['file', 'clients'],
      ['file', 'client-collection'],
    ],
  },
  backup: {
    summary: 'back up database, workspace, media files and audit key into a folder',
    detail:
      'With or without a running server. An interrupted backup is taken up again by the same command. The folder holds secrets: only its owner may read it.',
    operand: { key: 'folder', label: 'DIR', completes: 'folder' },
  },
  restore: {
    summary: 'verify a backup, and restore it into the configured folders',
    detail:
      'The server must be stopped. Nothing is written unless the whole backup is as it was made; an interrupted restore is completed by the same command, and no server starts before.',
    operand: { key: 'folder', label: 'DIR', completes: 'folder' },
    flags: ['overwrite', 'dry-run'],
  },
  'workspace push': {
    summary: 'put specifications, code, routes and recipes of a folder into the database',
    detail:
      'For `workspace.store: database`. Checks all of it as `cloister check` does, and writes all or nothing: where a file has an error, it is named, nothing is written, and the command exits with 1. Prints what is added, changed and removed. Running servers have it in force when the command ends.',
    operand: { key: 'folder', label: 'DIR', completes: 'folder' },
    flags: ['prune', 'dry-run'],
  },
  'workspace pull': {
    summary: 'write specifications, code, routes and recipes of the database into a folder',
    detail:
      'For `workspace.store: database`. The folder must be empty or absent, unless --overwrite is given.',
    operand: { key: 'folder', label: 'DIR', completes: 'folder' },
    flags: ['overwrite', 'prune', 'dry-run'],
  },
  'media copy': {
    summary: 'copy files of media collections from folder to bucket, or back; may be repeated',
    flags: ['to'],
    required: ['to'],
  },
  bundle: {
    summary: 'make one file of an endpoint or hook and the packages beside it, ready to be posted',
    detail:
      'To the standard output, or into the file of --out. Names file and line of whatever would reach the machine, and runs none of the code. Exits with 1 where there is such a thing.',
    operand: { key: 'path', label: 'FILE', completes: 'file' },
    flags: ['out'],
    unconfigured: true,
  },
  migrate: {
    summary: 'make a site of the folder of an older API or CDN',
    detail:
      'Writes workspace, .env and REPORT.md into the folder of --out (default: migrated), which must be empty or absent. The report has a line for each file and setting. Runs none of the code and changes nothing else. Exits with 1 where something needs a hand.',
    operand: { key: 'folder', label: 'DIR', completes: 'folder' },
    flags: ['out', 'env'],
    unconfigured: true,
  },
  'audit verify': {
    summary: 'check that the audit log is whole, with or without a running server',
    detail: 'Exits with 1 where it is broken, with 2 where it cannot be checked.',
    flags: ['after', 'json'],
  },
  'sandbox audit': {
    summary: 'what custom code there is, and what it may do; runs the self-test',
    flags: ['json'],
  },
  completion: {
    summary: 'print the completions for a shell',
    detail:
      'bash: source <(cloister completion bash). zsh: the same, after compinit. fish: cloister completion fish | source.',
    operand: { key: 'shell', label: 'SHELL', choices: ['bash', 'zsh', 'fish'] },
    unconfigured: true,
  },
} as const satisfies Readonly<Record<string, CommandSpec>>;

export type CommandName = keyof typeof COMMANDS;

/** All commands by name, in the order in which they are listed. */
export const COMMAND_SPECS: ReadonlyMap<string, CommandSpec> = new Map(Object.entries(COMMANDS));

/** What a flag takes, and what help says of it. */
export const flagSpec = (name: FlagName): FlagSpec => FLAGS[name];

const CONFIGURED = ['config', 'workspace'] as const satisfies readonly FlagName[];

/** The flags of a command: its own, then those of every command that reads the configuration. */
export function flagsOf({ flags = [], unconfigured = false }: CommandSpec): readonly FlagName[] {
  return unconfigured ? flags : [...flags, ...CONFIGURED];
}

/** The second words of the commands that begin with `word`; empty where that is a command itself. */
export function subcommandsOf(word: string): readonly string[] {
  return [...COMMAND_SPECS.keys()]
    .map((name) => name.split(' '))
    .filter(([first, second]) => first === word && second !== undefined)
    .map(([, second = '']) => second);
}
