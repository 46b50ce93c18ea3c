// Validates the roles and permissions of a client.

import { ACCESS_ACTIONS, type AccessAction, isAccessAction } from '../../lib/access-actions.ts';
import { MAX_ROLE_LENGTH } from '../../lib/client-names.ts';
import { badField, members } from './body-members.ts';
import {
  type CollectionPermission,
  type EndpointPermission,
  isRole,
  MAX_ROLES,
  type Permissions,
  RESERVED_ROLES,
} from './client.ts';

const MAX_GRANTS = 1000;
const MAX_NAME_LENGTH = 200;
/** Duplicates are allowed, within reason. */
const MAX_ACTIONS = 20;

function parseRole(value: unknown, field: string): string {
  if (isRole(value)) return value;
  throw RESERVED_ROLES.some((name) => name === value)
    ? badField(field, `${RESERVED_ROLES.join(', ')} are reserved: a role has another name`)
    : badField(field, `A role is 1 to ${MAX_ROLE_LENGTH} letters, digits, - or _`);
}

/** Validates the list of roles; each is kept once. Throws BAD_REQUEST naming the field. */
export function parseRoles(value: unknown): readonly string[] {
  if (!Array.isArray(value) || value.length > MAX_ROLES) {
    throw badField('roles', `Roles are a list of at most ${MAX_ROLES} names`);
  }
  return [...new Set(value.map((role: unknown, index) => parseRole(role, `roles.${index}`)))];
}

function parseName(value: unknown, field: string): string {
  const fits =
    typeof value === 'string' && value !== '' && value.length <= MAX_NAME_LENGTH && value.isWellFormed();
  if (!fits || value.includes('/')) {
    throw badField(field, `must be a name: 1 to ${MAX_NAME_LENGTH} characters without a slash`);
  }
  return value;
}

function parseActions(value: unknown, field: string): readonly AccessAction[] {
  if (!Array.isArray(value) || value.length > MAX_ACTIONS) {
    throw badField(field, `must be a list of actions: ${ACCESS_ACTIONS.join(', ')}`);
  }
  const unknown = value.findIndex((action) => !isAccessAction(action));
  if (unknown !== -1)
    throw badField(`${field}.${unknown}`, `must be one of the actions ${ACCESS_ACTIONS.join(', ')}`);
  return [...new Set(value.filter(isAccessAction))];
}

function parseList<T>(value: unknown, field: string, parse: (entry: unknown, at: string) => T): readonly T[] {
  if (!Array.isArray(value) || value.length > MAX_GRANTS) {
    throw badField(field, `must be a list of at most ${MAX_GRANTS} entries`);
  }
  return value.map((entry: unknown, index) => parse(entry, `${field}.${index}`));
}

/** The value of a member, parsed, under its name; nothing for one that is absent. */
function optional<K extends string, T>(
  given: Readonly<Record<string, unknown>>,
  { name, at, parse }: { name: K; at: string; parse: (value: unknown, field: string) => T },
): Partial<Record<K, T>> {
  const value = given[name];
  if (value === undefined) return {};
  return { [name]: parse(value, `${at}.${name}`) } as Record<K, T>;
}

function parseEndpointPermission(entry: unknown, at: string): EndpointPermission {
  const given = members(entry, at, ['path', 'apiVersion']);
  return {
    path: parseName(given['path'], `${at}.path`),
    ...optional(given, { name: 'apiVersion', at, parse: parseName }),
  };
}

function parseCollectionPermission(entry: unknown, at: string): CollectionPermission {
  const given = members(entry, at, ['path', 'apiVersion', 'database', 'actions']);
  return {
    path: parseName(given['path'], `${at}.path`),
    ...optional(given, { name: 'apiVersion', at, parse: parseName }),
    ...optional(given, { name: 'database', at, parse: parseName }),
    ...optional(given, { name: 'actions', at, parse: parseActions }),
  };
}

const parseCollections = (value: unknown, field: string) =>
  parseList(value, field, parseCollectionPermission);
const parseEndpoints = (value: unknown, field: string) => parseList(value, field, parseEndpointPermission);

/** Validates permissions; null or undefined: no restriction. Throws BAD_REQUEST naming the field. */
export function parsePermissions(value: unknown): Permissions | null {
  if (value === null || value === undefined) return null;
  const at = 'permissions';
  const given = members(value, at, ['actions', 'collections', 'endpoints']);
  return {
    ...optional(given, { name: 'actions', at, parse: parseActions }),
    ...optional(given, { name: 'collections', at, parse: parseCollections }),
    ...optional(given, { name: 'endpoints', at, parse: parseEndpoints }),
  };
}
