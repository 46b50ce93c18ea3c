// The attacks on what requests share and on the way out, by code that has every module that can be required.
import { runClassesWithModules } from './run.ts';

await runClassesWithModules('escape', 'globals', 'leaks', 'returns', 'thenables', 'rejections', 'after');
