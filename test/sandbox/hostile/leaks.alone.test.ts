// State that might pass from one request or endpoint to another, in all three isolations.
import { runClasses } from './run.ts';

await runClasses('leaks');
