// What an import reads of an older server: the collections of one of its databases, page by page.
import type { JsonObject } from '../../lib/json/json.ts';

interface OlderCollection {
  readonly name: string;
  /** Number of documents. */
  readonly documents: number;
}

/** Asks for documents by what a member of theirs holds, itself or in a list. */
export interface MemberQuery {
  readonly member: string;
  readonly values: readonly string[];
  /** Members that are needed beside `_id`. */
  readonly include: readonly string[];
}

/** A database of an older server. Its methods reject with a StoreError where it cannot be read. */
export interface OlderDatabase {
  /** Its name, which is that of a folder of collections where each of these has a database of its own. */
  readonly name: string;
  readonly collections: readonly OlderCollection[];
  /** What is left out, and why, in lines for the operator. */
  readonly notices: readonly string[];
  /** Yields all documents of a collection. `notice` gets lines about those that cannot be read. */
  pages(collection: string, notice: (text: string) => void): AsyncGenerator<readonly JsonObject[]>;
  /** Finds documents of a collection. */
  findByMember(collection: string, query: MemberQuery): Promise<readonly JsonObject[]>;
}
