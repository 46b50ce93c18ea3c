// Who has signed in at this tab. The token is in memory; "Stay signed in" keeps it for the tab, through reloads.
import { createContext, use, useSyncExternalStore } from 'react';
import type { TokenAnswer } from '../api/types.ts';

export type SessionState =
  /** `was`: the client whose token is no longer taken, and whose work is still on the page. */
  | { readonly kind: 'out'; readonly was?: string }
  | { readonly kind: 'in'; readonly clientId: string; readonly token: string; readonly expiresAt: number };

interface KeptToken {
  readonly clientId: string;
  readonly token: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

export interface SignIn extends KeptToken {
  readonly isKept: boolean;
}

const KEY = 'cloister.session';
/** Milliseconds before its end at which a token counts as expired, so that no request takes it along too late. */
const MARGIN_MS = 5000;

function readKept(storage: Storage, now: number): KeptToken | undefined {
  try {
    const { clientId, token, expiresAt } = JSON.parse(storage.getItem(KEY) ?? '{}') as Partial<KeptToken>;
    if (typeof clientId !== 'string' || typeof token !== 'string' || typeof expiresAt !== 'number')
      return undefined;
    return expiresAt > now ? { clientId, token, expiresAt } : undefined;
  } catch {
    return undefined;
  }
}

/** A token with the moment of its end. */
export const timed = ({ accessToken, expiresIn }: TokenAnswer) => ({
  token: accessToken,
  expiresAt: Date.now() + expiresIn * 1000,
});

export class Session {
  #state: SessionState = { kind: 'out' };
  #timer: number | undefined;
  readonly #listeners = new Set<() => void>();
  /** `sessionStorage` of the tab, given in `main.tsx`. */
  readonly #storage: Storage;
  #isKept = false;

  constructor(storage: Storage) {
    this.#storage = storage;
    const kept = readKept(storage, Date.now());
    if (kept !== undefined) this.signIn({ ...kept, isKept: true });
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): SessionState => this.#state;

  readonly token = (): string | undefined => (this.#state.kind === 'in' ? this.#state.token : undefined);

  signIn({ isKept, ...kept }: SignIn): void {
    this.#isKept = isKept;
    if (isKept) this.#storage.setItem(KEY, JSON.stringify(kept));
    else this.#storage.removeItem(KEY);
    const left = kept.expiresAt - Date.now() - MARGIN_MS;
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.expire(kept.token), Math.max(0, left));
    this.#change({ kind: 'in', ...kept });
  }

  /** Goes on with another token of the same client, whose secret has just been changed. */
  readonly renew = (answer: TokenAnswer): void => {
    if (this.#state.kind !== 'in') return;
    const { clientId } = this.#state;
    this.signIn({ clientId, ...timed(answer), isKept: this.#isKept });
  };

  /** The server refused this token, or its time is over. One that is no longer in use changes nothing. */
  readonly expire = (token: string): void => {
    if (this.#state.kind !== 'in' || this.#state.token !== token) return;
    this.#storage.removeItem(KEY);
    this.#change({ kind: 'out', was: this.#state.clientId });
  };

  readonly signOut = (): void => {
    window.clearTimeout(this.#timer);
    this.#storage.removeItem(KEY);
    this.#change({ kind: 'out' });
  };

  #change(state: SessionState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

export const useSession = (session: Session): SessionState =>
  useSyncExternalStore(session.subscribe, session.state);

const SessionContext = createContext<Session | undefined>(undefined);
export const SessionProvider = SessionContext;

/** The session around this component, for what changes it. */
export function useCurrentSession(): Session {
  const session = use(SessionContext);
  if (session === undefined) throw new Error('no session around this component');
  return session;
}
