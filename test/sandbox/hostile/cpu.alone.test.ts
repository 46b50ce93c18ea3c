// Programs that do not end.
import { runClasses } from './run.ts';

await runClasses('cpu');
