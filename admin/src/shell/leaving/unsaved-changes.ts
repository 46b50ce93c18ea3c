// What has been changed on the page and not saved. Whoever wants to leave it asks here first: links, the back button, signing out,
// the end of the tab.
import { createContext, use, useEffect } from 'react';

/** Asks whether these may be lost: "what you changed in the document", for example. */
type Question = (names: readonly string[]) => Promise<boolean>;

const warnOfUnload = (event: BeforeUnloadEvent) => event.preventDefault();

export class UnsavedChanges {
  readonly #changed = new Map<object, string>();
  readonly #window: Window;
  #ask: Question | undefined;

  constructor(window: Window) {
    this.#window = window;
  }

  get isEmpty(): boolean {
    return this.#changed.size === 0;
  }

  /** Notes that something was changed, in the form `key`. The returned function takes it back. */
  add(name: string, key: object = {}): () => void {
    this.#changed.set(key, name);
    this.#watchUnload();
    return () => {
      this.#changed.delete(key);
      this.#watchUnload();
    };
  }

  /** What was changed, of one form or of all, is saved, or not wanted any more. */
  forget(key?: object): void {
    if (key === undefined) this.#changed.clear();
    else this.#changed.delete(key);
    this.#watchUnload();
  }

  /** Whether what was changed, of one form or of all, may be lost; it is forgotten then. */
  async mayLeave(key?: object): Promise<boolean> {
    const names = [...this.#changed].flatMap(([one, name]) =>
      key === undefined || one === key ? [name] : [],
    );
    if (names.length === 0) return true;
    const isSure = (await this.#ask?.([...new Set(names)])) ?? true;
    if (isSure) this.forget(key);
    return isSure;
  }

  /** Puts `ask` in charge of the question. The returned function ends that. */
  askWith(ask: Question): () => void {
    this.#ask = ask;
    return () => {
      if (this.#ask === ask) this.#ask = undefined;
    };
  }

  /** Browsers keep a page that listens out of their fast way back, so it listens only while there is something to lose. */
  #watchUnload(): void {
    if (this.isEmpty) this.#window.removeEventListener('beforeunload', warnOfUnload);
    else this.#window.addEventListener('beforeunload', warnOfUnload);
  }
}

const UnsavedContext = createContext<UnsavedChanges | undefined>(undefined);
export const UnsavedProvider = UnsavedContext;

/** The changes of the page, for what asks before it ends something. */
export function useUnsavedChanges(): UnsavedChanges {
  const unsaved = use(UnsavedContext);
  if (unsaved === undefined) throw new Error('nothing around this component keeps unsaved changes');
  return unsaved;
}

/** Every form that saves something calls it: while `isChanged`, nobody leaves without being asked. `name` is what would be gone; `key` stands for the form where something else asks about it alone. */
export function useUnsaved(name: string, isChanged: boolean, key?: object): void {
  const unsaved = useUnsavedChanges();
  useEffect(() => (isChanged ? unsaved.add(name, key) : undefined), [unsaved, name, isChanged, key]);
}
