// Reads the databases of an older server as documents for an import: which collections are what, each document converted, each
// revision with its document.
import { AppError } from '../../errors/errors.ts';
import { isId } from '../../lib/ids.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { createImportEntry, type ImportEntry, type ImportSite } from '../import-entry.ts';
import { formatNamespace } from '../namespaces.ts';
import { convertDocument } from './convert-document.ts';
import { type CollectionRole, findRoles, namespaceHere, type OlderSite } from './older-collections.ts';
import type { OlderDatabase } from './older-database.ts';
import { joinPages, withOwners, withRevisionIds } from './revision-links.ts';

interface ReaderOptions {
  readonly databases: readonly OlderDatabase[];
  readonly site: OlderSite & ImportSite;
  /** The collection with the clients of the older server. */
  readonly clientCollection: string;
}

interface PlannedCollection {
  readonly database: OlderDatabase;
  readonly name: string;
  readonly role: CollectionRole;
  /** Number of documents. */
  readonly documents: number;
}

export interface OlderPlan {
  readonly collections: readonly PlannedCollection[];
  /** Numbers of documents to read, and of clients, which are none of these. */
  readonly documents: number;
  readonly clients: number;
  /** What else is there, and why it is not read, in lines for the operator. */
  readonly notices: readonly string[];
}

interface ReadWatch {
  /** Gets the error of each document that is left out. */
  readonly onRejected: (error: AppError) => void;
  /** Gets lines about what was read, once all of it is. */
  readonly notice: (text: string) => void;
}

export interface OlderReader {
  plan(): Promise<OlderPlan>;
  entries(plan: OlderPlan, watch: ReadWatch): AsyncGenerator<ImportEntry>;
  /** The records of clients, as the older server has them. */
  clients(plan: OlderPlan): AsyncGenerator<JsonObject>;
}

/** Lines for the operator about many documents: one line for all that it is true of, with their number. */
interface NoticeCounts {
  /** Counts one more document that a line is true of. */
  add(line: string): void;
  /** The lines, in the order in which they were first added. */
  lines(): readonly string[];
}

/** A document may have any number of names. */
const MAX_LINES = 200;

function createNoticeCounts(): NoticeCounts {
  const counts = new Map<string, number>();
  return {
    add(line) {
      const count = counts.get(line);
      if (count !== undefined || counts.size < MAX_LINES) counts.set(line, (count ?? 0) + 1);
    },
    lines: () =>
      [...counts].map(
        ([line, count]) =>
          `${line} (${count.toLocaleString('en')} ${count === 1 ? 'document' : 'documents'})`,
      ),
  };
}

/** Characters of an id or the name of a field in a line. */
const MAX_SHOWN = 200;

const shortened = (text: string) =>
  text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN).toWellFormed()}…` : text;

/** How a document is named to the operator. */
function placeOf(where: string, { _id }: JsonObject): string {
  const id = typeof _id === 'string' ? _id : JSON.stringify(_id ?? null);
  return `${where}, document ${shortened(id)}`;
}

function countNotices(
  counts: NoticeCounts,
  where: string,
  converted: ReturnType<typeof convertDocument>,
): void {
  const { document, captioned, dropped, isDescribed, referenceMaps } = converted;
  if (isDescribed) counts.add(`${where}: the descriptions of changes are left out`);
  for (const name of dropped) {
    counts.add(`${where}: \`${name}\` is left out: the server writes a member of this name itself`);
  }
  for (const name of captioned) {
    counts.add(
      `${where}: \`${shortened(name)}\` keeps the ids of its files, and nothing that stood beside them`,
    );
  }
  for (const name of referenceMaps) {
    counts.add(
      `${where}: \`${shortened(name)}\` stays as a field: references to several collections are not composed`,
    );
  }
  const { _id, originalDocumentId } = document;
  if (typeof _id === 'string' && !isId(_id)) {
    counts.add(`${where}: their ids are none that a path reaches, so that only lists show them`);
  }
  if (originalDocumentId !== undefined && !isId(originalDocumentId)) {
    counts.add(`${where}: these revisions name their document by an id that no path reaches`);
  }
}

export function createOlderReader({ databases, site, clientCollection }: ReaderOptions): OlderReader {
  /** The collection as the older server has it. */
  const whereIs = ({ database, name }: PlannedCollection) =>
    formatNamespace({ database: databases.length > 1 ? database.name : null, collection: name });

  const pagesOf = async function* (
    { database, name, role }: PlannedCollection,
    notice: (text: string) => void,
  ): AsyncGenerator<readonly JsonObject[]> {
    const pages = database.pages(name, notice);
    if (role.kind === 'revisions') {
      for await (const page of joinPages(pages)) yield withOwners(page, { database, owner: role.owner });
    } else if (role.kind === 'documents' && role.versions !== undefined) {
      const links = { database, versions: role.versions };
      for await (const page of joinPages(pages)) yield withRevisionIds(page, links);
    } else yield* pages;
  };

  const entriesOf = async function* (
    planned: PlannedCollection,
    counts: NoticeCounts,
    watch: ReadWatch,
  ): AsyncGenerator<ImportEntry> {
    const { database, name, role } = planned;
    const isRevision = role.kind === 'revisions';
    const ns = namespaceHere(site, database, isRevision ? role.target : name);
    const owner = isRevision ? namespaceHere(site, database, role.owner) : ns;
    const kind = {
      dateFields: site.dateFields(owner),
      mediaFields: site.mediaFields(owner),
      isRevision,
      isRecord: site.holdsRecords(owner),
    };
    const where = whereIs(planned);
    for await (const page of pagesOf(planned, watch.notice)) {
      for (const read of page) {
        let entry: ImportEntry;
        const converted = convertDocument(read, kind);
        const { document } = converted;
        try {
          entry = createImportEntry({ place: placeOf(where, read), ns, document }, site);
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          watch.onRejected(error);
          continue;
        }
        countNotices(counts, where, converted);
        if (isRevision && document['originalDocumentId'] === undefined)
          counts.add(`${where}: these revisions are those of no document that is there`);
        yield entry;
      }
    }
  };

  return {
    async plan() {
      const collections: PlannedCollection[] = [];
      const notices: string[] = [];
      for (const database of databases) {
        const roles = await findRoles(database, { site, clientCollection });
        const documents = new Map<string, number>();
        for (const one of database.collections)
          documents.set(one.name, (documents.get(one.name) ?? 0) + one.documents);
        for (const [name, role] of roles)
          collections.push({ database, name, role, documents: documents.get(name) ?? 0 });
        notices.push(...database.notices);
      }
      const countOf = (isWanted: (role: CollectionRole) => boolean) =>
        collections.filter(({ role }) => isWanted(role)).reduce((sum, { documents }) => sum + documents, 0);
      const own = collections.filter(({ role }) => role.kind === 'server').map(({ name }) => name);
      if (own.length > 0) notices.push(`left out, as they are the older server's own: ${own.join(', ')}`);
      return {
        collections,
        documents: countOf(({ kind }) => kind === 'documents' || kind === 'revisions'),
        clients: countOf(({ kind }) => kind === 'clients'),
        notices,
      };
    },
    async *entries({ collections }, watch) {
      const counts = createNoticeCounts();
      for (const planned of collections) {
        const { kind } = planned.role;
        if (kind === 'documents' || kind === 'revisions') yield* entriesOf(planned, counts, watch);
      }
      for (const line of counts.lines()) watch.notice(line);
    },
    async *clients({ collections }) {
      for (const { database, name, role } of collections) {
        if (role.kind !== 'clients') continue;
        for await (const page of database.pages(name, () => undefined)) yield* page;
      }
    },
  };
}
