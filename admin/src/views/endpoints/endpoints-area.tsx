// The views of the area "Endpoints", and what waits for a reviewer, hooks included.
import { Route, Switch } from 'wouter';
import { ModuleList } from '../../parts/modules/module-list.tsx';
import { useCodeRights } from '../../parts/modules/module-queries.ts';
import { type ModuleRef, parseSection, type Section } from '../../parts/modules/module-ref.ts';
import { NewModule } from '../../parts/modules/new-module.tsx';
import { SectionView } from '../../parts/modules/section-view.tsx';
import { NotFound } from '../../shell/not-found.tsx';
import { ReviewQueue } from './review-queue.tsx';
import { ReviewVersion } from './review-version.tsx';
import { TrySection } from './try-section.tsx';

const refOf = ({ version, name }: { readonly version: string; readonly name: string }): ModuleRef => ({
  kind: 'endpoint',
  version,
  name,
});

function OneEndpoint({ of: ref, section }: { readonly of: ModuleRef; readonly section: Section }) {
  return (
    <SectionView of={ref} section={section}>
      {(module) => <TrySection module={module} />}
    </SectionView>
  );
}

export function EndpointsArea() {
  const { mayChange, mayRead } = useCodeRights();
  return (
    <Switch>
      <Route path="/">
        <ModuleList kind="endpoint" />
      </Route>
      {mayChange && (
        <Route path="/new">
          <NewModule kind="endpoint" />
        </Route>
      )}
      {mayRead && <Route path="/review" component={ReviewQueue} />}
      {mayRead && (
        <Route path="/review/endpoint/:version/:name/:number">
          {({ version, name, number }) => (
            <ReviewVersion of={refOf({ version, name })} version={Number(number)} />
          )}
        </Route>
      )}
      {mayRead && (
        <Route path="/review/hook/:name/:number">
          {({ name, number }) => <ReviewVersion of={{ kind: 'hook', name }} version={Number(number)} />}
        </Route>
      )}
      <Route path="/:version/:name">
        {(params) => <OneEndpoint of={refOf(params)} section={mayRead ? 'code' : 'try'} />}
      </Route>
      <Route path="/:version/:name/:section">
        {({ section: text, ...params }) => {
          const section = parseSection('endpoint', text);
          return section ? <OneEndpoint of={refOf(params)} section={section} /> : <NotFound />;
        }}
      </Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}
