// The views of the area "Hooks".
import { Route, Switch } from 'wouter';
import { Empty } from '../../parts/loading.tsx';
import { NotFound } from '../../shell/not-found.tsx';
import { View } from '../../shell/view.tsx';

export function HooksArea() {
  return (
    <Switch>
      <Route path="/">
        <View title="Hooks">
          <Empty text="There is no view here yet." />
        </View>
      </Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}
