// What every adapter of the DocumentStore port must do. An adapter's test file calls `documentStoreContract`.
import { afterEach, beforeEach, describe } from 'vitest';
import { documentStoreDifferential } from './document-store-differential.ts';
import { indexContract } from './document-store-indexes.ts';
import { readingContract } from './document-store-reading.ts';
import { statusContract } from './document-store-status.ts';
import { writingContract } from './document-store-writing.ts';
import type { OpenedStore, Subject } from './store-cases.ts';

/** Registers the whole contract. `open` gives an empty store of its own to each test; `runs` is how often chance is tried. */
export function documentStoreContract(name: string, open: () => Promise<OpenedStore>, runs = 100): void {
  describe(`${name} as a document store`, () => {
    let opened: OpenedStore;
    const subject: Subject = {
      store: undefined as never,
      async reopen() {
        subject.store = await opened.reopen();
      },
      async collections() {
        const all = await subject.store.collections();
        return all.filter((ns) => opened.owns?.(ns) ?? true);
      },
    };

    beforeEach(async () => {
      opened = await open();
      subject.store = opened.store;
    });

    afterEach(() => opened.dispose());

    readingContract(subject);
    writingContract(subject);
    indexContract(subject);
    statusContract(subject);
    documentStoreDifferential(() => subject.store, runs);
  });
}
