// What a grant does not give: other collections, other origins.
import { runClasses } from './run.ts';

await runClasses('model', 'egress');
