// What is done with the documents of a collection, as access rules and permissions of clients name it.

export const ACCESS_ACTIONS = ['read', 'create', 'update', 'delete', 'history'] as const;
export type AccessAction = (typeof ACCESS_ACTIONS)[number];

/** True for the name of an action. */
export function isAccessAction(value: unknown): value is AccessAction {
  return ACCESS_ACTIONS.some((action) => action === value);
}
