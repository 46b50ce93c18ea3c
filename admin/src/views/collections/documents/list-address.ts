// The state of a list of documents, which is in the address: page, order and filter, by the names that the API has for them.
import type { Query } from '../../../api/api.ts';
import type { CollectionDescription } from '../../../api/types-collections.ts';
import type { Field } from '../fields/field.ts';

export interface ListState {
  readonly page: number;
  readonly sort: string;
  readonly isDescending: boolean;
  /** JSON, as it is sent; empty: everything. */
  readonly filter: string;
}

export function parseListState(search: URLSearchParams, { settings }: CollectionDescription): ListState {
  const sort = search.get('sort');
  const page = Number(search.get('page') ?? '1');
  return {
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
    sort: sort ?? settings.sort ?? '',
    isDescending:
      sort === null && settings.sort !== null
        ? settings.sortOrder === -1
        : search.get('sortOrder') === 'desc',
    filter: search.get('filter') ?? '',
  };
}

/** The parameters of an address; what is as it always is stays out. */
export function formatListState(state: ListState, { settings }: CollectionDescription) {
  const isUsual =
    state.sort === (settings.sort ?? '') &&
    state.isDescending === (settings.sort !== null && settings.sortOrder === -1);
  return {
    ...(state.filter !== '' && { filter: state.filter }),
    ...(!isUsual && { sort: state.sort, ...(state.isDescending && { sortOrder: 'desc' }) }),
    ...(state.page > 1 && { page: String(state.page) }),
  };
}

/** What the API is asked for: the fields of the columns, with the documents behind references for their names. */
export function listQuery(state: ListState, columns: readonly Field[], pageSize: number): Query {
  const names = ['_id', ...columns.map(({ name }) => name)];
  return {
    page: state.page,
    count: pageSize,
    // Ids grow with time.
    sort: JSON.stringify({ [state.sort === '' ? '_id' : state.sort]: state.isDescending ? -1 : 1 }),
    ...(state.filter !== '' && { filter: state.filter }),
    fields: JSON.stringify(Object.fromEntries(names.map((name) => [name, 1]))),
    compose: columns.some(({ type }) => type === 'Reference'),
  };
}
