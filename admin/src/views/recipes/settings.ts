// The settings of recipes as the form shows them: the rules are those of the server, the words are here.
import {
  SETTING_ALIASES,
  SETTING_RULES,
  type SettingName,
  type SettingRule,
} from '../../../../src/delivery/recipes/setting-rules.ts';
import type { Json, JsonObject } from '../../api/types.ts';
import { isObject } from '../../parts/delivery/definition.ts';

export type { SettingName, SettingRule };
export const SETTING_NAMES = Object.keys(SETTING_RULES) as readonly SettingName[];
export const ruleOf = (name: SettingName): SettingRule => SETTING_RULES[name];

interface Words {
  readonly label: string;
  readonly description: string;
}

export const WORDS: Readonly<Record<SettingName, Words>> = {
  format: { label: 'Format', description: 'jpg, png, webp, avif, gif, auto, json; or a list: webp,jpg' },
  quality: { label: 'Quality', description: '1 to 100' },
  width: { label: 'Width', description: 'Pixels' },
  height: { label: 'Height', description: 'Pixels' },
  ratio: { label: 'Ratio', description: 'Gives the missing dimension: 16-9' },
  resizeStyle: { label: 'Resize style', description: 'How the picture gets into the box' },
  gravity: { label: 'Gravity', description: 'The part that aspectfill keeps' },
  crop: { label: 'Crop', description: 'top,left,bottom,right or top,left' },
  cropX: { label: 'Crop from the left', description: 'Pixels' },
  cropY: { label: 'Crop from the top', description: 'Pixels' },
  devicePixelRatio: { label: 'Device pixel ratio', description: '1 to 3: multiplies width and height' },
  blur: { label: 'Blur', description: '0.3 to 100' },
  sharpen: { label: 'Sharpen', description: '0.1 to 10' },
  saturate: { label: 'Saturation', description: '0 is grey, 1 unchanged' },
  rotate: { label: 'Rotate', description: 'Degrees clockwise' },
  flip: { label: 'Flip', description: 'x: left to right, y: top to bottom' },
  progressive: { label: 'Progressive JPEG', description: '' },
  enlarge: { label: 'May become larger than the original', description: '' },
  animated: { label: 'Keeps animations', description: '' },
  background: { label: 'Background', description: '#rrggbb, behind what is transparent' },
};

export const GROUPS: readonly { readonly legend: string; readonly names: readonly SettingName[] }[] = [
  {
    legend: 'Format and size',
    names: ['format', 'quality', 'width', 'height', 'ratio', 'resizeStyle', 'gravity', 'enlarge'],
  },
  { legend: 'Part of the picture', names: ['crop', 'cropX', 'cropY', 'devicePixelRatio'] },
  {
    legend: 'Effects',
    names: ['blur', 'sharpen', 'saturate', 'rotate', 'flip', 'background', 'progressive', 'animated'],
  },
];

export const settingsOf = ({ settings }: JsonObject): JsonObject => (isObject(settings) ? settings : {});

/** The long name of a setting. */
function settingNameOf(name: string): SettingName | undefined {
  if (Object.hasOwn(SETTING_ALIASES, name)) return SETTING_ALIASES[name];
  return SETTING_NAMES.find((known) => known === name);
}

const isPlain = (value: Json) =>
  value === null || (typeof value !== 'object' && typeof value !== 'undefined');

/** False: there is something in it that the form has no place for, such as settings by their short names. */
export function isRecipeForForm(document: JsonObject): boolean {
  const { path, settings } = document;
  if (path !== undefined && path !== null && typeof path !== 'string') return false;
  if (!isObject(settings)) return false;
  return Object.entries(settings).every(([name, value]) => {
    if (name === 'allowOverride')
      return Array.isArray(value) && value.every((part) => typeof part === 'string');
    return SETTING_NAMES.some((known) => known === name) && isPlain(value);
  });
}

/** The settings in a few words: "width 400, format auto". */
export const recipeInWords = (document: JsonObject): string => {
  const settings = Object.entries(settingsOf(document));
  if (settings.length === 0) return 'as the original is';
  return settings
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
};

/** Which setting a message of the server is about. */
export function placeOf(message: string) {
  const [, name = ''] = /^Setting "([^"]*)"/.exec(message) ?? [];
  if (name === 'allowOverride') return { place: name, text: message };
  if (message.startsWith('Property "path"')) return { place: 'path', text: message };
  const place = settingNameOf(name);
  return place === undefined ? undefined : { place, text: message };
}
