// The areas of the page: one link of the navigation each, and one folder in `views/`, which is loaded when it is opened.
import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { isAdmin } from './api/api-context.tsx';
import type { Me } from './api/types.ts';

interface Hint {
  readonly isFor: (me: Me) => boolean;
  readonly View: LazyExoticComponent<ComponentType<{ readonly className: string }>>;
}

export interface Area {
  /** First segment of its addresses. */
  readonly path: string;
  /** Text of its link, and heading of its first view. */
  readonly name: string;
  /** Whether the caller has any use for it. */
  readonly isFor: (me: Me) => boolean;
  /** A link below its own, where there is something to tell. */
  readonly hint?: Hint;
  /** Its views; addresses below its path are its own matter. */
  readonly Views: LazyExoticComponent<ComponentType>;
}

const isOurs = (me: Me) => me.issuer === undefined;
const isReviewer = (me: Me) => me.reviewer === true;

export const AREAS: readonly Area[] = [
  {
    path: '/collections',
    name: 'Collections',
    isFor: (me) => isAdmin(me) || me.collections.length > 0,
    Views: lazy(async () => ({
      default: (await import('./views/collections/collections-area.tsx')).CollectionsArea,
    })),
  },
  {
    path: '/media',
    name: 'Media',
    isFor: (me) => isAdmin(me) || me.collections.some(({ isMedia }) => isMedia),
    Views: lazy(async () => ({ default: (await import('./views/media/media-area.tsx')).MediaArea })),
  },
  {
    path: '/endpoints',
    name: 'Endpoints',
    isFor: isOurs,
    hint: {
      isFor: isReviewer,
      // The page works without it: a file that does not come takes nothing else with it.
      View: lazy(() =>
        import('./parts/modules/waiting-link.tsx').then(
          ({ WaitingLink }) => ({ default: WaitingLink }),
          () => ({ default: () => null }),
        ),
      ),
    },
    Views: lazy(async () => ({
      default: (await import('./views/endpoints/endpoints-area.tsx')).EndpointsArea,
    })),
  },
  {
    path: '/hooks',
    name: 'Hooks',
    isFor: (me) => isAdmin(me) || isReviewer(me),
    Views: lazy(async () => ({ default: (await import('./views/hooks/hooks-area.tsx')).HooksArea })),
  },
  {
    path: '/routes',
    name: 'Routes',
    isFor: isAdmin,
    Views: lazy(async () => ({ default: (await import('./views/routes/routes-area.tsx')).RoutesArea })),
  },
  {
    path: '/recipes',
    name: 'Recipes',
    isFor: isAdmin,
    Views: lazy(async () => ({ default: (await import('./views/recipes/recipes-area.tsx')).RecipesArea })),
  },
  {
    path: '/clients',
    name: 'Clients',
    isFor: isAdmin,
    Views: lazy(async () => ({ default: (await import('./views/clients/clients-area.tsx')).ClientsArea })),
  },
  {
    path: '/audit',
    name: 'Audit log',
    isFor: isAdmin,
    Views: lazy(async () => ({ default: (await import('./views/audit/audit-area.tsx')).AuditArea })),
  },
  {
    path: '/status',
    name: 'Status',
    isFor: isOurs,
    Views: lazy(async () => ({ default: (await import('./views/status/status-area.tsx')).StatusArea })),
  },
];
