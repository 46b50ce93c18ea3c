// Hooks whose results are large or odd, with the limits that they have by default.
import { runClasses } from './run.ts';

await runClasses('results');
