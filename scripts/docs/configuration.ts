// The text of docs/configuration.md: every setting of the schema with its variable, type, default and meaning.

import {
  isSettingGroup,
  isSettingMap,
  type SettingGroup,
  type SettingSchema,
  type ValueSchema,
} from '../../src/config/schema/setting-schema.ts';
import { CONFIG_SCHEMA } from '../../src/config/schema.ts';
import { findSetting, SETTING_MAPS } from '../../src/config/setting-names.ts';

const INTRODUCTION = `# Configuration

<!-- Generated from src/config/schema.ts by \`npm run docs\`. -->

Defaults, then the file \`config.json\` in the workspace (or \`--config FILE\`), then environment variables, then flags: the later wins. The file is strict JSON; point \`$schema\` at \`config.schema.json\` and editors complete it. A wrong value stops the start, with every problem listed. An unknown key is a warning, and stays in the file.

In the environment a boolean is \`true\` or \`false\`, a list is comma-separated, or a JSON list where items hold commas. A whole block can be one JSON object, as in \`CLOISTER_AUTH_RATE_LIMIT={"perClient":10}\`; variables of single settings win over it. A variable that is set but empty is an error unless the setting is a list. Where several variables are named, the first that is set counts.

\`GET /api/config\` shows what is in force, set secrets as \`********\`. \`POST /api/config\` changes the file: objects merge, lists replace, \`null\` takes a setting away, \`********\` keeps a secret. It is in force after a restart.

The column *Over HTTP* says what it may change. *Yes*: to any value. *Lower*: to a value that is not above the one with which the server runs. *No*: only the file, the environment or a flag sets it. A change of such a setting, an unknown key and a value with which the next start would fail are 400 naming the field, and nothing is written. What is sent back as \`GET\` showed it is no change. The file gets the mode 0600, at each start and whenever it is written.

Relative paths start at the run directory, except those of \`paths\`, which start at the workspace.
`;

const OVER_HTTP = { any: 'yes', lower: 'lower', no: 'no' };

const FORMAT_NAMES = new Map([
  ['network', 'addresses and networks'],
  ['origin', 'origins'],
  ['http-url', 'URL'],
  ['time-span', 'span of time'],
]);

function bounds(schema: ValueSchema): string {
  if (!('minimum' in schema || 'maximum' in schema)) return '';
  const { minimum, maximum } = schema;
  if (maximum === undefined) return `, ${minimum} or more`;
  return minimum === undefined ? `, at most ${maximum}` : `, ${minimum} to ${maximum}`;
}

function typeOf(schema: ValueSchema): string {
  if (schema.type === 'array') {
    return `list of ${schema.items.type === 'object' ? 'objects' : typeOf(schema.items)}`;
  }
  if (schema.type === 'boolean') return schema.const === undefined ? 'boolean' : String(schema.const);
  if (schema.type !== 'string') return `${schema.type}${bounds(schema)}`;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(', ');
  return FORMAT_NAMES.get(schema.format ?? '') ?? 'text';
}

function row(
  path: string,
  leaf: SettingSchema,
  env: readonly string[] = findSetting(path)?.env ?? [],
): string {
  const type = 'oneOf' in leaf ? leaf.oneOf.map(typeOf).join(' or ') : typeOf(leaf);
  const value = leaf.default === undefined ? 'unset' : `\`${JSON.stringify(leaf.default)}\``;
  const variables = env.map((name) => `\`${name}\``).join(', ');
  const also = (leaf.aliases ?? []).map((name) => `\`${name}\``).join(', ');
  const notes = [
    leaf.description,
    leaf.dividedAmongWorkers === true ? 'Divided among `server.workers`.' : '',
    leaf.secret === true ? 'Secret.' : '',
    leaf.outsideFile === true ? 'Not in the file.' : '',
    also === '' ? '' : `Also ${also}.`,
  ];
  const overHttp = OVER_HTTP[leaf.overHttp ?? 'no'];
  const cells = [
    `\`${path}\``,
    variables,
    type,
    value,
    overHttp,
    notes.filter((note) => note !== '').join(' '),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function mapRow(path: string): string[] {
  const family = SETTING_MAPS.find((one) => one.path === path);
  if (family === undefined) return [];
  const { description, additionalProperties: leaf, named } = family.node;
  const meaning = `${description} Names: ${named}.`;
  return [row(`${path}.<NAME>`, { ...leaf, description: meaning }, [`${family.env}<NAME>`])];
}

function rows(block: SettingGroup, parent: string): string[] {
  return Object.entries(block.properties).flatMap(([key, node]) => {
    const path = parent === '' ? key : `${parent}.${key}`;
    if (isSettingMap(node)) return mapRow(path);
    return isSettingGroup(node) ? rows(node, path) : [row(path, node)];
  });
}

const HEADER = [
  '| Setting | Environment | Type | Default | Over HTTP | Meaning |',
  '|---|---|---|---|---|---|',
];

/** What is said about a block and those inside it. */
function descriptions(block: SettingGroup, path: string): string[] {
  const also = (block.aliases ?? []).map((name) => ` Also \`${name}\`.`).join('');
  const inner = Object.entries(block.properties).flatMap(([key, node]) =>
    isSettingGroup(node) ? [`\`${path}.${key}\`: ${node.description}`] : [],
  );
  return [block.description + also, ...inner];
}

function section(name: string, node: SettingSchema | SettingGroup): string {
  if (!isSettingGroup(node)) return [`## ${name}`, '', ...HEADER, row(name, node), ''].join('\n');
  return [
    `## ${name}`,
    '',
    descriptions(node, name).join('\n\n'),
    '',
    ...HEADER,
    ...rows(node, name),
    '',
  ].join('\n');
}

/** The whole page. */
export function configurationPage(): string {
  const sections = Object.entries(CONFIG_SCHEMA.properties).map(([name, node]) => section(name, node));
  return [INTRODUCTION, ...sections].join('\n');
}
