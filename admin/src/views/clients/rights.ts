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
  const known = { id: '', clientId, accessType, roles, permissions, ...(reviewer === true && { reviewer }) };
  return `This client may ${describeRights(known)}.`;
}
