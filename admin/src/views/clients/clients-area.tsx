// The views of the area "Clients".
import { Route, Switch } from 'wouter';
import { Empty } from '../../parts/loading.tsx';
import { NotFound } from '../../shell/not-found.tsx';
import { View } from '../../shell/view.tsx';

export function ClientsArea() {
  return (
    <Switch>
      <Route path="/">
        <View title="Clients">
          <Empty text="There is no view here yet." />
        </View>
      </Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}
