// Large texts: forms, arguments and logs, each within its limits, many at the same time.
import { runClasses } from './run.ts';

await runClasses('texts');
