// What the server answers about routes and recipes.
export type { BranchDecision, ConditionTest, Decision, Recipes, Routes } from './description.d.ts';
