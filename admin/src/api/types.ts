// What the server answers: names for the types of the API description, and for what no description can say.
import type { Client, NewClient, Permissions, Token } from './description.d.ts';

export {
  ACCESS_ACTIONS as ACTIONS,
  type AccessAction as Action,
} from '../../../src/lib/access-actions.ts';
export type {
  AuditEntry,
  AuditIssue,
  AuditPage,
  AuditVerification,
  Client,
  ClientAccess,
  ClientChange,
  Clients,
  CollectionList,
  CollectionRights,
  ListedCollection,
  Me,
  Permissions,
} from './description.d.ts';
export type { Json, JsonObject } from './json.ts';
export type { NewClient as NewClientBody, Token as TokenAnswer };

export type AccessType = Client['accessType'];
export type CollectionPermission = NonNullable<Permissions['collections']>[number];
export type EndpointPermission = NonNullable<Permissions['endpoints']>[number];

/** Of what is listed, and of documents: the answer of a collection depends on its specification. */
export interface Results<T> {
  readonly results: readonly T[];
}
