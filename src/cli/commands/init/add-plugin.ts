/**
 * Adds the plugin of rowsmith/vite to the text of a Vite config. The text is not parsed: a config
 * that is not one plain object is left to its author.
 */

/** Stands for a character of a string in masked code (from the private use area of Unicode). */
const stringMark = '\uE000';

/** The text with the plugin; undefined if it cannot be added safely. */
export function addPlugin(text: string): string | undefined {
  const code = maskedCode(text);
  // A quoted key is part of a string in `code`.
  if (code === undefined || /\browsmith\b/.test(code) || /['"]plugins['"]\s*:/.test(text))
    return undefined;
  const starts = [...code.matchAll(/\bexport\s+default\s+(?:defineConfig\s*\(\s*)?\{/g)];
  if (starts.length !== 1) return undefined;
  const [start] = starts;
  const plugins = findPlugins(code, start.index + start[0].length);
  if (plugins === 'unclear') return undefined;
  const withPlugin =
    plugins === 'none'
      ? insertAt(text, start.index + start[0].length, 'plugins: [rowsmith()]', '}')
      : insertAt(text, plugins, 'rowsmith()', ']');
  return withImport(withPlugin, code, start.index);
}

/** Same length as the text; undefined if it has regular expressions or templates with values. */
function maskedCode(text: string): string | undefined {
  const token =
    /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\$]|\\[\s\S])*`/g;
  const code = text.replace(token, (found) =>
    found.replace(/[^\n]/g, found.startsWith('/') ? ' ' : stringMark),
  );
  return /['"`/]/.test(code) ? undefined : code;
}

/** The position after the `[` of the plugins in the object with its `{` before `from`. */
function findPlugins(code: string, from: number): number | 'none' | 'unclear' {
  const object = outerCode(code, from);
  // A spread or a computed key may be other plugins, which replace these.
  if (object === undefined || /\.\.\.|,\s*\[|^\s*\[/.test(object)) return 'unclear';
  const keys = [...object.matchAll(/(?<![\w$.])plugins\b(\s*:\s*\[)?/g)];
  if (keys.length === 0) return 'none';
  const [{ index, 0: key, 1: list }] = keys;
  return keys.length > 1 || list === undefined ? 'unclear' : from + index + key.length;
}

/**
 * The object from `from` to its `}`, with blanks inside inner brackets; undefined without a `}`.
 */
function outerCode(code: string, from: number): string | undefined {
  let outer = '';
  let depth = 1;
  for (const char of code.slice(from)) {
    if ('})]'.includes(char)) depth--;
    if (depth === 0) return outer;
    outer += depth === 1 ? char : ' ';
    if ('{(['.includes(char)) depth++;
  }
  return undefined;
}

/** Inserts the first item of an object or a list that ends with `end`, in the style of the text. */
function insertAt(text: string, position: number, item: string, end: string): string {
  const [before, after] = [text.slice(0, position), text.slice(position)];
  const [space] = /^\s*/.exec(after)!;
  if (after[space.length] === end) {
    const padding = end === '}' ? ' ' : '';
    return `${before}${padding}${item}${padding}${after.slice(space.length)}`;
  }
  const separator = space === '' ? ' ' : space;
  return `${before}${space}${item},${separator}${after.slice(space.length)}`;
}

/** Adds the import before the first one, or before the config, with their quotes and semicolons. */
function withImport(text: string, code: string, configAt: number): string {
  const first = /^import\b[^\uE000;]*\uE000+[^\S\n]*;?/m.exec(code.slice(0, configAt));
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  if (first === null) {
    const line = `import rowsmith from 'rowsmith/vite';${eol}${eol}`;
    return text.slice(0, configAt) + line + text.slice(configAt);
  }
  const quote = text[first.index + first[0].indexOf(stringMark)];
  const semicolon = first[0].endsWith(';') ? ';' : '';
  const line = `import rowsmith from ${quote}rowsmith/vite${quote}${semicolon}${eol}`;
  return text.slice(0, first.index) + line + text.slice(first.index);
}
