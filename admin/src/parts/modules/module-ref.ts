// Which endpoint or hook a view is about: its address at the server, and the addresses of its views.
import { pathOf } from '../../api/api.ts';

export type ModuleRef =
  | { readonly kind: 'endpoint'; readonly version: string; readonly name: string }
  | { readonly kind: 'hook'; readonly name: string };

export type ModuleKind = ModuleRef['kind'];
/** Hooks cannot be tried: they run when documents are read and written. */
const HOOK_SECTIONS = ['code', 'policy', 'versions', 'logs', 'usage'] as const;
const SECTIONS = [...HOOK_SECTIONS, 'try'] as const;
export type Section = (typeof SECTIONS)[number];

/** The section that the last segment of an address names; undefined where modules of the kind have none of the name. */
export function parseSection(kind: ModuleKind, text: string): Section | undefined {
  const sections: readonly Section[] = kind === 'hook' ? HOOK_SECTIONS : SECTIONS;
  return sections.find((section) => section === text);
}

/** `1.0/report`, `slug` */
export const titleOf = (ref: ModuleRef): string =>
  ref.kind === 'endpoint' ? `${ref.version}/${ref.name}` : ref.name;

/** A message of the server in which the module has its title: answers to older clients name an endpoint `1.0:report`. */
export const withTitle = (message: string, ref: ModuleRef): string =>
  ref.kind === 'endpoint' ? message.replace(`"${ref.version}:${ref.name}"`, `"${titleOf(ref)}"`) : message;

/** Of the API: the module, or what is below it. */
export const apiPathOf = (ref: ModuleRef, ...below: readonly string[]): string =>
  ref.kind === 'endpoint'
    ? pathOf(ref.version, ref.name, ...below)
    : pathOf('api', 'hooks', ref.name, ...below);

/** Hooks whose names are those of other views. */
const TAKEN = ['new', 'review'];

/** Address of a view, within the area. The code is shown without a section, unless the name is that of another view. */
export function hrefOf(ref: ModuleRef, section: Section = 'code'): string {
  const below = section === 'code' && !TAKEN.includes(ref.name) ? [] : [section];
  return ref.kind === 'endpoint' ? pathOf(ref.version, ref.name, ...below) : pathOf(ref.name, ...below);
}

/** Address of a view from any area. */
export const fullHrefOf = (ref: ModuleRef, section?: Section): string =>
  `~/admin/${ref.kind}s${hrefOf(ref, section)}`;

export const areaOf = (kind: ModuleKind) =>
  kind === 'endpoint' ? { name: 'Endpoints', href: '/' } : { name: 'Hooks', href: '/' };
