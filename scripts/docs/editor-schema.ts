// The text of workspace/config.schema.json: what editors use to complete and check config.json.

import { isSettingGroup, type SettingGroup } from '../../src/config/schema/setting-schema.ts';
import { CONFIG_SCHEMA } from '../../src/config/schema.ts';

/** Members of our own that no editor knows, and formats that are ours. */
const OURS = new Set([
  ...['env', 'secret', 'aliases', 'outsideFile', 'overHttp', 'expects'],
  ...['shorthand', 'named', 'format', 'unit', 'dividedAmongWorkers'],
]);

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => (OURS.has(key) ? [] : [[key, plain(member)]])),
  );
}

function blockSchema(block: SettingGroup): object {
  const members = Object.entries(block.properties).filter(([, node]) => !('outsideFile' in node));
  const properties = Object.fromEntries(
    members.map(([key, node]) => [key, isSettingGroup(node) ? blockSchema(node) : plain(node)]),
  );
  const object = { description: block.description, type: 'object', properties };
  if (block.shorthand === undefined) return object;
  return { description: block.description, anyOf: [{ type: 'boolean' }, object] };
}

function withAliases(): object {
  const aliases = Object.entries(CONFIG_SCHEMA.properties as SettingGroup['properties']).flatMap(
    ([key, node]) =>
      isSettingGroup(node)
        ? (node.aliases ?? []).map((alias) => [
            alias,
            { description: `Another name of \`${key}\`.`, $ref: `#/properties/${key}` },
          ])
        : [],
  );
  return Object.fromEntries(aliases);
}

/** The whole file. */
export function editorSchema(): string {
  const root = blockSchema(CONFIG_SCHEMA) as { properties: object };
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Cloister configuration',
    ...root,
    properties: { $schema: { type: 'string' }, ...root.properties, ...withAliases() },
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}
