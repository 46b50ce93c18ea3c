// Recipes as definitions: what `definitions/` asks of them, answered by `recipe.ts`.
import type { DefinitionIssue, DefinitionKind } from '../model/definition.ts';
import { parseRecipe, type Recipe } from './recipe.ts';

/** The name has been looked at: whatever stands here is right. */
const SOME_NAME = 'recipe';

/** Recipes as definitions. The name of a value means nothing: that of its definition counts. */
export const RECIPES: DefinitionKind<Recipe> = {
  noun: 'recipe',
  parse(source) {
    const { recipe, errors, warnings } = parseRecipe({ ...source, recipe: SOME_NAME }, `${SOME_NAME}.json`);
    const finding = (
      severity: DefinitionIssue['severity'],
      { message, path }: (typeof errors)[number],
    ): DefinitionIssue => ({
      severity,
      message,
      path,
    });
    const findings = [
      ...errors.map((issue) => finding('error', issue)),
      ...warnings.map((issue) => finding('warning', issue)),
    ];
    return { value: recipe, findings };
  },
};
