// The views of the area "Clients".
import { Route, Switch } from 'wouter';
import { NotFound } from '../../shell/not-found.tsx';
import { ClientList } from './client-list.tsx';
import { ClientView } from './client-view.tsx';
import { NewClient } from './new-client.tsx';

export function ClientsArea() {
  return (
    <Switch>
      <Route path="/" component={ClientList} />
      <Route path="/new" component={NewClient} />
      <Route path="/:id">{({ id }) => <ClientView key={id} clientId={decodeURIComponent(id)} />}</Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}
