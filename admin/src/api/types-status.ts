// What the server answers about itself.
export type { SelfTest, SelfTestItem, Status } from './description.d.ts';
