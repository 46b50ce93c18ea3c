// Code as a weapon: its text, its loading, its routes and its metadata.
import { runClasses } from './run.ts';

await runClasses('text', 'load', 'routes', 'metadata');
