// The views of the area "Audit log".
import { Route, Switch } from 'wouter';
import { Empty } from '../../parts/loading.tsx';
import { NotFound } from '../../shell/not-found.tsx';
import { View } from '../../shell/view.tsx';

export function AuditArea() {
  return (
    <Switch>
      <Route path="/">
        <View title="Audit log">
          <Empty text="There is no view here yet." />
        </View>
      </Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}
