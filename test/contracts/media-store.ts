// What every adapter of the MediaStore port must do. An adapter's test file calls `mediaStoreContract`.
import { afterEach, beforeEach, describe } from 'vitest';
import type { MediaSubject, OpenedMedia } from './media-cases.ts';
import { mediaCrashContract } from './media-store-crash.ts';
import { mediaReadingContract } from './media-store-reading.ts';
import { mediaUploadContract } from './media-store-uploads.ts';

/** Registers the whole contract. `open` gives an empty store of its own to each test. */
export function mediaStoreContract(name: string, open: () => Promise<OpenedMedia>): void {
  describe(`${name} as a media store`, { timeout: 60_000 }, () => {
    const subject: MediaSubject = { opened: undefined as never, store: undefined as never };

    beforeEach(async () => {
      subject.opened = await open();
      subject.store = subject.opened.store;
    });

    afterEach(async () => {
      await subject.store.close();
      await subject.opened.dispose();
    });

    mediaUploadContract(subject);
    mediaReadingContract(subject);
    mediaCrashContract(subject);
  });
}
