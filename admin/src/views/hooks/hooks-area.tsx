// The views of the area "Hooks".
import { Route, Switch } from 'wouter';
import { ModuleList } from '../../parts/modules/module-list.tsx';
import { useCodeRights } from '../../parts/modules/module-queries.ts';
import type { Section } from '../../parts/modules/module-ref.ts';
import { NewModule } from '../../parts/modules/new-module.tsx';
import { SectionView } from '../../parts/modules/section-view.tsx';
import { NotFound } from '../../shell/not-found.tsx';

export function HooksArea() {
  const { mayChange } = useCodeRights();
  return (
    <Switch>
      <Route path="/">
        <ModuleList kind="hook" />
      </Route>
      {mayChange && (
        <Route path="/new">
          <NewModule kind="hook" />
        </Route>
      )}
      <Route path="/:name">{({ name }) => <SectionView of={{ kind: 'hook', name }} section="code" />}</Route>
      <Route path="/:name/:section">
        {({ name, section }) =>
          isSection(section) ? <SectionView of={{ kind: 'hook', name }} section={section} /> : <NotFound />
        }
      </Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}

/** Hooks cannot be tried: they run when documents are read and written. */
const isSection = (text: string): text is Section =>
  ['code', 'policy', 'versions', 'logs', 'usage'].includes(text);
