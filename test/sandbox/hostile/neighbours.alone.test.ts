// Requests of one module that come at the same time: what some do is not at the expense of the others.
import { runClasses } from './run.ts';

await runClasses('neighbours');
