// All recipes, with their settings in a few words.
import { DefinitionList } from '../../parts/delivery/definition-list.tsx';
import { recipeInWords } from './settings.ts';

export const RecipeList = () => (
  <DefinitionList
    noun="recipe"
    title="Recipes"
    empty="There are no recipes. A recipe says how files are delivered: format, size, quality."
    label="Settings"
    inWords={({ document }) => <span className="wrap">{recipeInWords(document)}</span>}
  />
);
