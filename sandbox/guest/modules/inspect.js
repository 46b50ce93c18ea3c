// `util.inspect`: values as text for people. Long lists are not put in columns. Not to be required by authors.
(function utilInspect(module) {
  'use strict';
  const custom = Symbol.for('nodejs.util.inspect.custom');
  const DEFAULTS = {
    depth: 2,
    breakLength: 128,
    compact: 3,
    maxArrayLength: 100,
    maxStringLength: 10_000,
    showHidden: false,
  };
  const NAME = /^[a-zA-Z_][a-zA-Z_0-9]*$/;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are written as escapes.
  const ESCAPED = /[\u0000-\u001f'\\\u007f-\u009f]/g;
  const ESCAPES = { '\b': '\\b', '\t': '\\t', '\n': '\\n', '\f': '\\f', '\r': '\\r', '\\': '\\\\' };

  function quoted(text) {
    const quote = !text.includes("'")
      ? "'"
      : !text.includes('"')
        ? '"'
        : !text.includes('`') && !text.includes('${')
          ? '`'
          : "'";
    const inner = text.replace(ESCAPED, (character) => {
      if (character === "'") return quote === "'" ? "\\'" : "'";
      return (
        ESCAPES[character] ?? `\\x${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
      );
    });
    return quote + inner + quote;
  }

  function textOfPrimitive(value, options) {
    if (typeof value === 'string') {
      const rest = value.length - options.maxStringLength;
      if (rest <= 0) return quoted(value);
      return `${quoted(value.slice(0, options.maxStringLength))}... ${rest} more character${rest > 1 ? 's' : ''}`;
    }
    if (typeof value === 'bigint') return `${value}n`;
    return Object.is(value, -0) ? '-0' : String(value);
  }

  function nameOfClass(value) {
    for (let at = value; at !== null; at = Object.getPrototypeOf(at)) {
      const made =
        Object.getOwnPropertyDescriptor(at, 'constructor')?.value ??
        (Object.hasOwn(at, 'constructor') ? at.constructor : undefined);
      if (typeof made === 'function' && made.name !== '' && value instanceof made) return made.name;
    }
    return null;
  }

  const textOfKey = (key) => (typeof key === 'symbol' ? String(key) : NAME.test(key) ? key : quoted(key));

  function headOfFunction(value) {
    const made = nameOfClass(value) ?? 'Function';
    if (/^class\b/.test(Function.prototype.toString.call(value))) {
      const parent = Object.getPrototypeOf(value)?.name;
      return `[class ${value.name || '(anonymous)'}${parent ? ` extends ${parent}` : ''}]`;
    }
    return `[${made}${value.name === '' ? ' (anonymous)' : `: ${value.name}`}]`;
  }

  /** What an object shows before its members, and whether it has braces where it has none. */
  function headOf(value, name) {
    if (typeof value === 'function') return headOfFunction(value);
    if (value instanceof RegExp) return RegExp.prototype.toString.call(value);
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
    if (value instanceof Error)
      return typeof value.stack === 'string' && value.stack !== '' ? value.stack : `[${String(value)}]`;
    if (
      value instanceof Number ||
      value instanceof Boolean ||
      value instanceof BigInt ||
      value instanceof Symbol
    ) {
      return `[${name}: ${textOfPrimitive(value.valueOf(), DEFAULTS)}]`;
    }
    return value instanceof String ? `[String: ${quoted(value.valueOf())}]` : '';
  }

  function bracesOf(value, name) {
    const size = value.size ?? value.length;
    if (Array.isArray(value))
      return [name === 'Array' ? '[' : `${name ?? '[Array: null prototype]'}(${size}) [`, ']'];
    if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return [`${name}(${size}) [`, ']'];
    if (value instanceof Set || value instanceof Map) return [`${name}(${size}) {`, '}'];
    return [name === null ? '[Object: null prototype] {' : name === 'Object' ? '{' : `${name} {`, '}'];
  }

  const isEmpty = (value, keys) =>
    keys.length === 0 &&
    !((value.size ?? (Array.isArray(value) || ArrayBuffer.isView(value) ? value.length : 0)) > 0);

  module.exports = function createInspect(given) {
    const options = { ...DEFAULTS, ...given };
    if (options.depth === null) options.depth = Number.POSITIVE_INFINITY;
    const above = [];
    let indentation = 0;
    let deepest = 0;
    let isCircular = new Map();

    function cut(texts, count) {
      const rest = count - texts.length;
      return rest > 0 ? [...texts, `... ${rest} more item${rest > 1 ? 's' : ''}`] : texts;
    }

    function indented(write, by) {
      indentation += by;
      const text = write();
      indentation -= by;
      return text;
    }

    function elementsOf(value, level) {
      const texts = [];
      const max = Math.min(options.maxArrayLength ?? Number.POSITIVE_INFINITY, value.length);
      let holes = 0;
      const passHoles = () => {
        if (holes > 0) texts.push(`<${holes} empty item${holes > 1 ? 's' : ''}>`);
        holes = 0;
      };
      for (let index = 0; index < value.length && texts.length < max; index += 1) {
        if (Object.hasOwn(value, index)) {
          passHoles();
          texts.push(indented(() => textOf(value[index], level), 2));
        } else holes += 1;
      }
      passHoles();
      return holes === 0 && texts.length === max ? cut(texts, value.length) : texts;
    }

    function propertyOf(value, key, level) {
      const property = Object.getOwnPropertyDescriptor(value, key);
      const name = property?.enumerable === false ? `[${String(key)}]` : textOfKey(key);
      if (property === undefined || 'value' in property)
        return `${name}: ${indented(() => textOf(value[key], level), 2)}`;
      const kinds = [property.get && 'Getter', property.set && 'Setter'].filter(Boolean);
      return `${name}: [${kinds.join('/')}]`;
    }

    function keysOf(value) {
      const isList = Array.isArray(value) || ArrayBuffer.isView(value) || value instanceof String;
      const names = options.showHidden ? Object.getOwnPropertyNames(value) : Object.keys(value);
      const kept = isList ? names.filter((name) => !/^\d+$/.test(name) && name !== 'length') : names;
      const symbols = Object.getOwnPropertySymbols(value);
      return [...kept, ...symbols.filter((key) => Object.getOwnPropertyDescriptor(value, key).enumerable)];
    }

    function membersOf(value, level) {
      if (Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView)))
        return elementsOf(value, level);
      if (value instanceof Set) return [...value].map((each) => indented(() => textOf(each, level), 2));
      if (!(value instanceof Map)) return [];
      return [...value].map(([key, each]) =>
        indented(() => `${textOf(key, level)} => ${textOf(each, level)}`, 2),
      );
    }

    /** One line where it is short and not deep, else a line for each member. */
    function joined(texts, head, [open, close], level) {
      const base = head === '' ? '' : `${head} `;
      const start = texts.length + indentation + open.length + head.length + 10;
      const length = texts.reduce((sum, text) => sum + text.length, texts.length + start);
      const isShort =
        length <= options.breakLength && !texts.some((text) => text.includes('\n')) && !head.includes('\n');
      if (options.compact !== false && deepest - level < options.compact && isShort)
        return `${base}${open} ${texts.join(', ')} ${close}`;
      const line = `\n${' '.repeat(indentation)}`;
      return `${base}${open}${line}  ${texts.join(`,${line}  `)}${line}${close}`;
    }

    function textOfObject(value, level) {
      const name = nameOfClass(value);
      const head = headOf(value, name);
      const keys = keysOf(value);
      const isPlain = head === '';
      if (!isPlain && keys.length === 0) return head;
      if (level > options.depth && !isEmpty(value, keys))
        return `[${Array.isArray(value) ? 'Array' : (name ?? 'Object: null prototype')}]`;
      above.push(value);
      deepest = level;
      const texts = [...membersOf(value, level + 1), ...keys.map((key) => propertyOf(value, key, level + 1))];
      above.pop();
      const braces = isPlain ? bracesOf(value, name) : ['{', '}'];
      const reference = isCircular.get(value);
      const first = [reference === undefined ? '' : `<ref *${reference}>`, head]
        .filter((text) => text !== '')
        .join(' ');
      if (texts.length === 0) return `${first === '' ? '' : `${first} `}${braces[0]}${braces[1]}`;
      return joined(texts, first, braces, level);
    }

    function textOf(value, level) {
      if ((typeof value !== 'object' && typeof value !== 'function') || value === null)
        return textOfPrimitive(value, options);
      if (typeof value[custom] === 'function') {
        const answer = value[custom](options.depth - level, options, module.exports);
        if (answer !== value)
          return typeof answer === 'string'
            ? answer.replaceAll('\n', `\n${' '.repeat(indentation)}`)
            : textOf(answer, level);
      }
      if (!above.includes(value)) return textOfObject(value, level);
      if (!isCircular.has(value)) isCircular.set(value, isCircular.size + 1);
      return `[Circular *${isCircular.get(value)}]`;
    }

    return (value) => {
      isCircular = new Map();
      return textOf(value, 0);
    };
  };
});
