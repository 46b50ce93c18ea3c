// How many documents a change of the specification touches, asked before it is saved.
import type { Api } from '../../../api/api.ts';
import type { DocumentPage } from '../../../api/types-collections.ts';
import { formatNumber } from '../../../parts/time.tsx';
import type { SpecificationChanges } from './changes-in-words.ts';

/** Fields that are counted; of a change of more the last ones are not. */
const MAX_COUNTS = 20;

const documents = (count: number) => `${formatNumber(count)} ${count === 1 ? 'document' : 'documents'}`;

/** One line for each field that documents have, or lack. Fields that cannot be counted are left out. */
export async function affectedDocuments(
  api: Api,
  path: string,
  { removedFields, requiredFields, retypedFields }: SpecificationChanges,
): Promise<readonly string[]> {
  const count = async (filter: object): Promise<number> => {
    const query = { filter: JSON.stringify(filter) };
    const { metadata } = await api.get<Pick<DocumentPage, 'metadata'>>(`${path}/count`, { query });
    return metadata.totalCount;
  };
  const having = (name: string, text: string) => async () => {
    const found = await count({ [name]: { $ne: null } });
    return found === 0
      ? []
      : [`${documents(found)} ${found === 1 ? 'has' : 'have'} a value in ${name}${text}`];
  };
  const lacking = (name: string) => async () => {
    const found = await count({ [name]: null });
    const verb = found === 1 ? 'has' : 'have';
    return found === 0
      ? []
      : [`${documents(found)} ${verb} no value in ${name}, which is required from then on`];
  };
  const asked = [
    ...removedFields.map((name) => having(name, ', which stays and is still shown')),
    ...retypedFields.map((name) => having(name, ', which stays as it is')),
    ...requiredFields.map(lacking),
  ].slice(0, MAX_COUNTS);
  const lines = await Promise.all(asked.map((ask) => ask().catch(() => [])));
  return lines.flat();
}
