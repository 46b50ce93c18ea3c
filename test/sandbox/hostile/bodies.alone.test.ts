// Large bodies of many callers at the same time.
import { runClasses } from './run.ts';

await runClasses('bodies');
