// Where the page is. It takes the place of the router's own location, so that no other view is shown, whichever way it was asked for,
// before unsaved changes may be lost.
import { createContext, use, useSyncExternalStore } from 'react';
import type { BaseLocationHook } from 'wouter';
import type { UnsavedChanges } from './unsaved-changes.ts';

interface NavigateOptions {
  readonly replace?: boolean;
}

/** The place of an entry among those of the history, which the page writes into each. */
function positionOf(state: unknown): number | undefined {
  const { position } = (state ?? {}) as { readonly position?: unknown };
  return typeof position === 'number' ? position : undefined;
}

export class PageLocation {
  readonly #window: Window;
  readonly #unsaved: UnsavedChanges;
  readonly #listeners = new Set<() => void>();
  #position: number;
  #path: string;
  #search: string;

  constructor(window: Window, unsaved: UnsavedChanges) {
    const { history, location } = window;
    this.#window = window;
    this.#unsaved = unsaved;
    this.#path = location.pathname;
    this.#search = location.search;
    this.#position = positionOf(history.state) ?? 0;
    history.replaceState({ position: this.#position }, '');
    window.addEventListener('popstate', () => this.#followHistory());
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly path = (): string => this.#path;
  readonly search = (): string => this.#search;

  /** Opens an address; asks first where that leaves a view with unsaved changes. */
  readonly navigate = (to: string, { replace = false }: NavigateOptions = {}): void => {
    const { pathname } = new URL(to, this.#window.location.href);
    const open = () => this.#open(to, replace);
    if (pathname === this.#path || this.#unsaved.isEmpty) open();
    else void this.#unsaved.mayLeave().then((isSure) => isSure && open());
  };

  #open(to: string, replace: boolean): void {
    const { history } = this.#window;
    if (!replace) this.#position += 1;
    const state = { position: this.#position };
    if (replace) history.replaceState(state, '', to);
    else history.pushState(state, '', to);
    this.#admit();
  }

  /** Shows what the address names. */
  #admit(): void {
    const { location } = this.#window;
    this.#path = location.pathname;
    this.#search = location.search;
    for (const listener of this.#listeners) listener();
  }

  /** The buttons of the browser have changed the address already: it is put back until the question is answered. */
  #followHistory(): void {
    const { history, location } = this.#window;
    const position = positionOf(history.state);
    if (position === undefined) {
      // A link to a part of the page has made an entry.
      this.#position += 1;
      history.replaceState({ position: this.#position }, '');
      this.#admit();
      return;
    }
    const steps = position - this.#position;
    if (steps === 0) return;
    if (location.pathname === this.#path || this.#unsaved.isEmpty) {
      this.#position = position;
      this.#admit();
      return;
    }
    history.go(-steps);
    void this.#unsaved.mayLeave().then((isSure) => isSure && history.go(steps));
  }
}

const LocationContext = createContext<PageLocation | undefined>(undefined);
export const LocationProvider = LocationContext;

function usePageLocation(): PageLocation {
  const location = use(LocationContext);
  if (location === undefined) throw new Error('no location around this component');
  return location;
}

function usePageSearch(): string {
  const location = usePageLocation();
  return useSyncExternalStore(location.subscribe, location.search);
}

/** The location as the router takes it. */
export const usePagePath: BaseLocationHook = () => {
  const location = usePageLocation();
  return [useSyncExternalStore(location.subscribe, location.path), location.navigate];
};
usePagePath.searchHook = usePageSearch;
