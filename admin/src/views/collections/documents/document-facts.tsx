// What the server has written into a document.

import type { Json } from '../../../api/types.ts';
import type { StoredDocument } from '../../../api/types-collections.ts';
import { Facts } from '../../../parts/facts.tsx';
import { Time } from '../../../parts/time.tsx';

const moment = (at: Json | undefined, by: Json | undefined) =>
  typeof at === 'number' ? (
    <>
      <Time at={at} />
      {typeof by === 'string' && ` by ${by}`}
    </>
  ) : undefined;

export function DocumentFacts({ document }: { readonly document: StoredDocument }) {
  const { _id, v, createdAt, createdBy, lastModifiedAt, lastModifiedBy } = document;
  const facts = [
    [
      'Id',
      <span key="id" className="mono">
        {String(_id)}
      </span>,
    ],
    ['Version', typeof v === 'number' ? String(v) : undefined],
    ['Created', moment(createdAt, createdBy)],
    ['Changed', moment(lastModifiedAt, lastModifiedBy)],
  ] as const;
  return <Facts facts={facts.filter(([, value]) => value !== undefined)} />;
}
