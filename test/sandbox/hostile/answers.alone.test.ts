// Answers as weapons: headers, floods, and what happens after the answer.
import { runClasses } from './run.ts';

await runClasses('headers', 'floods', 'after');
