// The settings of recipes in one table: names, short names, kinds and bounds. Types of what they become.

export const RASTER_FORMATS = ['jpg', 'png', 'webp', 'avif', 'gif'] as const;
export type RasterFormat = (typeof RASTER_FORMATS)[number];

export const RESIZE_STYLES = ['aspectfit', 'aspectfill', 'fill', 'crop', 'entropy'] as const;
export type ResizeStyle = (typeof RESIZE_STYLES)[number];

export const GRAVITIES = [
  'northwest',
  'north',
  'northeast',
  'west',
  'center',
  'east',
  'southwest',
  'south',
  'southeast',
] as const;
export type Gravity = (typeof GRAVITIES)[number];

/** What a recipe may ask for as output: formats in order of preference, or one of two words. */
export type FormatChoice = readonly RasterFormat[] | 'auto' | 'json';

/** Settings of image recipes as rendering reads them. Absent: not set. Pixels unless said otherwise. */
export interface ImageSettings {
  readonly format?: FormatChoice;
  /** 1 to 100. */
  readonly quality?: number;
  readonly width?: number;
  readonly height?: number;
  /** Width divided by height. */
  readonly ratio?: number;
  readonly resizeStyle?: ResizeStyle;
  readonly gravity?: Gravity;
  /** Top, left, bottom, right; or top and left. */
  readonly crop?: readonly number[];
  readonly cropX?: number;
  readonly cropY?: number;
  readonly devicePixelRatio?: number;
  /** Sigma of a Gaussian. */
  readonly blur?: number;
  readonly sharpen?: number;
  /** 0 is grey, 1 unchanged. */
  readonly saturate?: number;
  /** Degrees clockwise. */
  readonly rotate?: number;
  readonly flip?: 'x' | 'y' | 'xy';
  readonly progressive?: boolean;
  /** Whether an image may become larger than its original. */
  readonly enlarge?: boolean;
  /** Whether the frames of an animation are kept, where the output format can. */
  readonly animated?: boolean;
  /** `#rrggbb`: behind transparent parts where the format has none, and in the corners of a rotation. */
  readonly background?: string;
}

export type SettingName = keyof ImageSettings;

export type SettingRule =
  | {
      readonly kind: 'number';
      readonly min: number;
      readonly max: number;
      readonly integer?: boolean;
      /** A value outside the bounds, which the older server took, is moved to the nearest bound with a warning. */
      readonly clamp?: boolean;
      /** What 0 means: the setting is absent, or the number 0. */
      readonly zero: 'absent' | 'value';
    }
  | { readonly kind: 'boolean' | 'format' | 'ratio' | 'crop' | 'colour' }
  | { readonly kind: 'word'; readonly words: Readonly<Record<string, string>> };

const words = (list: readonly string[]) => Object.fromEntries(list.map((word) => [word, word]));

const PIXELS = { kind: 'number', min: 1, max: 16_384, integer: true, zero: 'absent' } as const;
const OFFSET = { kind: 'number', min: 0, max: 65_535, integer: true, zero: 'value' } as const;

export const SETTING_RULES: Readonly<Record<SettingName, SettingRule>> = {
  format: { kind: 'format' },
  quality: { kind: 'number', min: 1, max: 100, zero: 'absent' },
  width: PIXELS,
  height: PIXELS,
  ratio: { kind: 'ratio' },
  resizeStyle: { kind: 'word', words: words(RESIZE_STYLES) },
  gravity: { kind: 'word', words: { ...words(GRAVITIES), centre: 'center', none: 'northwest' } },
  crop: { kind: 'crop' },
  cropX: OFFSET,
  cropY: OFFSET,
  devicePixelRatio: { kind: 'number', min: 1, max: 3, clamp: true, zero: 'absent' },
  blur: { kind: 'number', min: 0.3, max: 100, clamp: true, zero: 'absent' },
  sharpen: { kind: 'number', min: 0.1, max: 10, clamp: true, zero: 'absent' },
  saturate: { kind: 'number', min: 0, max: 10, clamp: true, zero: 'value' },
  rotate: { kind: 'number', min: -360, max: 360, zero: 'absent' },
  flip: { kind: 'word', words: { x: 'x', y: 'y', xy: 'xy', yx: 'xy' } },
  progressive: { kind: 'boolean' },
  enlarge: { kind: 'boolean' },
  animated: { kind: 'boolean' },
  background: { kind: 'colour' },
};

/** Short names of the older server. */
export const SETTING_ALIASES: Readonly<Record<string, SettingName>> = {
  fmt: 'format',
  q: 'quality',
  w: 'width',
  h: 'height',
  rx: 'ratio',
  resize: 'resizeStyle',
  g: 'gravity',
  coords: 'crop',
  cx: 'cropX',
  cy: 'cropY',
  dpr: 'devicePixelRatio',
  b: 'blur',
  sh: 'sharpen',
  sat: 'saturate',
  r: 'rotate',
  fl: 'flip',
  pg: 'progressive',
};

/** Accepted because recipes of the older server have them; nothing here reads them. Metadata is always stripped. */
export const SETTINGS_WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  ...['filter', 'f', 'strip', 's', 'trim', 't', 'trimFuzz', 'tf'],
  ...['maxColours', 'maxColors', 'colours', 'colors', 'colourQuality', 'colorQuality'],
  ...['compress', 'transform'],
]);
