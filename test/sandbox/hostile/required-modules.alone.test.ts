// The attacks on what requests share and on the way out, by code that has every module that can be required. Not those on modules
// without promises: with `require` there are none of that kind.
import { runClassesWithModules } from './run.ts';

await runClassesWithModules('escape', 'globals', 'leaks', 'returns', 'rejections', 'after');
