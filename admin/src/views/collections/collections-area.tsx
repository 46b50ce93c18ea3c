// The views of the area "Collections".
import { Route, Switch } from 'wouter';
import { NotFound } from '../../shell/not-found.tsx';
import { CollectionList } from './collection-list.tsx';

export function CollectionsArea() {
  return (
    <Switch>
      <Route path="/" component={CollectionList} />
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}
