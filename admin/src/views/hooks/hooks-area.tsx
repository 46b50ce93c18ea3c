// The views of the area "Hooks".
import { Route, Switch } from 'wouter';
import { ModuleList } from '../../parts/modules/module-list.tsx';
import { useCodeRights } from '../../parts/modules/module-queries.ts';
import { parseSection } from '../../parts/modules/module-ref.ts';
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
        {({ name, section: text }) => {
          const section = parseSection('hook', text);
          return section ? <SectionView of={{ kind: 'hook', name }} section={section} /> : <NotFound />;
        }}
      </Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}
