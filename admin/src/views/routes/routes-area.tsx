// The views of the area "Routes".
import { Route, Switch } from 'wouter';
import { NotFound } from '../../shell/not-found.tsx';
import { RouteList } from './route-list.tsx';
import { NewRoute, RouteView } from './route-view.tsx';

export function RoutesArea() {
  return (
    <Switch>
      <Route path="/" component={RouteList} />
      <Route path="/new" component={NewRoute} />
      <Route path="/:name">{({ name }) => <RouteView key={name} name={name} />}</Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}
