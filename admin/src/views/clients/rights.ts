// What a client may do, in the words that the commands use too.
import { describeRights } from '../../../../src/cli/output/client-rights.ts';
import type { Client } from '../../api/types.ts';

/** A sentence: "This client may read every collection; …" */
export function rightsOf({
  clientId,
  accessType,
  reviewer,
  roles = [],
  permissions = null,
}: Omit<Client, 'permissions'> & { readonly permissions?: Client['permissions'] | null }): string {
  // A grant whose name is still to be written grants nothing yet.
  const named = <T extends { readonly path: string }>(list: readonly T[]) =>
    list.filter(({ path }) => path !== '');
  const { collections, endpoints } = permissions ?? {};
  const written = permissions && {
    ...permissions,
    ...(collections && { collections: named(collections) }),
    ...(endpoints && { endpoints: named(endpoints) }),
  };
  const known = {
    id: '',
    clientId,
    accessType,
    roles,
    permissions: written,
    ...(reviewer === true && { reviewer }),
  };
  return `This client may ${describeRights(known)}.`;
}
