// Gives the API to the views, and what they ask it for the most.
import { createContext, use } from 'react';
import type { Api } from './api.ts';
import type { Me } from './types.ts';

const ApiContext = createContext<Api | undefined>(undefined);
export const ApiProvider = ApiContext;

/** The API, with the token of whoever has signed in. */
export function useApi(): Api {
  const api = use(ApiContext);
  if (api === undefined) throw new Error('no API around this component');
  return api;
}

const MeContext = createContext<Me | undefined>(undefined);
export const MeProvider = MeContext;

/** Who has signed in, and what it may do. */
export function useMe(): Me {
  const me = use(MeContext);
  if (me === undefined) throw new Error('nobody has signed in around this component');
  return me;
}

export const isAdmin = ({ accessType }: Pick<Me, 'accessType'>): boolean => accessType === 'admin';
