// Hooks that misbehave, in front of and behind reads and writes.
import { runClasses } from './run.ts';

await runClasses('hooks');
