// The views of the area "Recipes".
import { Route, Switch } from 'wouter';
import { NotFound } from '../../shell/not-found.tsx';
import { RecipeList } from './recipe-list.tsx';
import { NewRecipe, RecipeView } from './recipe-view.tsx';

export function RecipesArea() {
  return (
    <Switch>
      <Route path="/" component={RecipeList} />
      <Route path="/new" component={NewRecipe} />
      <Route path="/:name">{({ name }) => <RecipeView key={name} name={name} />}</Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}
