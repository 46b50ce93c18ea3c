// Memory bombs.
import { runClasses } from './run.ts';

await runClasses('memory');
