// Ways out through the language: what is handed over, what comes back, what is missing.
import { runClasses } from './run.ts';

await runClasses('escape', 'globals', 'returns');
