// Code that runs later than its request: in the time slices, and with the limits, of others.
import { runClasses } from './run.ts';

await runClasses('rejections', 'thenables');
