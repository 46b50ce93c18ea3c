// What the server answers about routes and recipes.
export type { BranchDecision, ConditionTest, Decision } from './description.d.ts';
